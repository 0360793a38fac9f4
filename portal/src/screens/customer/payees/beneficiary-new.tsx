// Saves whom an account may pay.
import { useState } from 'preact/hooks'
import { Button, Notice, Screen } from '../../../parts/basic.tsx'
import { Check, Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  signError,
  useErrors,
} from '../../../parts/form.tsx'
import { readDraft, storeDraft, useDraft } from '../../../state/draft.ts'
import { parseCreditTransfer } from '../../../texts/credit-transfer-text.ts'
import { locale, texts } from '../../../texts/language.ts'
import { toTyped } from '../../../texts/money.tsx'
import { to } from '../../../state/paths.ts'
import { navigate, readQuery } from '../../../state/router.ts'
import {
  comparePayee,
  type Compared,
  needsAcceptance,
  toCarried,
} from '../../../calls/payee-check.ts'
import { useSubmit } from '../../../calls/submit.ts'
import { ibanSigns, toIban } from '../../../texts/typed-text.ts'
import type { Account, Beneficiary } from '../../../state/types.ts'
import { WithAccount } from '../account-choice.tsx'
import { emptyTransfer, oncePayee, transferDraft } from '../transfer-body.ts'

const empty = { name: '', iban: '', nickname: '' }

function tellCheck(check: Compared): string {
  const t = texts().beneficiaries
  if (check === 'failed' || check.result === 'not_possible') return t.notCompared
  return check.name === undefined ? t.noMatch : t.closeMatch(check.name)
}

/** The text of a QR code has lines, which a field would lose: it fills in the whole payment. */
function usePastedCode(
  { currency }: Account,
  isForPayment: boolean,
  fill: (payee: { name: string; iban: string }) => void,
): [isPasted: boolean, onPaste: (event: ClipboardEvent) => void] {
  const [isPasted, setPasted] = useState(false)
  function onPaste(event: ClipboardEvent): void {
    const asked = parseCreditTransfer(event.clipboardData?.getData('text') ?? '')
    if (!asked) return
    event.preventDefault()
    const { name, iban, amount, reference } = asked
    fill({ name, iban })
    setPasted(true)
    if (!isForPayment) return
    const payment = { ...emptyTransfer, ...(readDraft(transferDraft) as object | undefined) }
    const typedAmount = amount !== undefined &&
      currency === 'EUR' && { amount: toTyped(amount, currency), notation: locale() }
    storeDraft(transferDraft, { ...payment, reference, ...typedAmount })
  }
  return [isPasted, onPaste]
}

function NewForm({ account }: { account: Account }) {
  const t = texts().beneficiaries
  const [draft, change, clear] = useDraft('beneficiary', empty)
  const [own, accept] = useErrors()
  const adding = useSubmit<Beneficiary>()
  const isSaved = adding.state === 'refused' && adding.failure?.code === 'already_exists'
  const errors = errorsOf(adding, isSaved ? { iban: t.savedAlready } : own, {
    name: texts().form.badText,
    iban: t.badIban,
    nickname: texts().form.badText,
  })
  const list = `${to('beneficiaries')}?account=${account.id}`
  const isForPayment = readQuery().has('pay')
  const [isOnce, setOnce] = useState(false)
  const [check, setCheck] = useState<Compared>()
  const right = typeof check === 'object' ? check.name : undefined

  async function submit(): Promise<void> {
    const iban = toIban(draft.iban)
    const ibanError = signError(iban, ibanSigns)
    const found = {
      ...findBlank(draft, 'name', 'iban'),
      ...findUnfit(draft, 'name', 'nickname'),
      ...(ibanError && { iban: ibanError }),
      ...(iban === account.iban && { iban: t.ownIban }),
    }
    if (!accept(found)) return
    const [name, nickname] = [draft.name.trim(), draft.nickname.trim() || null]
    let carried = toCarried(check)
    if (!check) {
      const compared = await comparePayee(account.id, { name, iban })
      if (compared === 'failed' || (compared && needsAcceptance(compared))) {
        return setCheck(compared)
      }
      carried = toCarried(compared)
    }
    const path = `/accounts/${account.id}/beneficiaries`
    const body = { name, iban, nickname, ...carried }
    const made = await adding.submit({ method: 'POST', path, body, isRepeatable: false })
    if (!made) return
    const { id } = made.result
    clear()
    if (isForPayment) storeDraft(oncePayee, isOnce ? id : undefined)
    const payment = `${to('transfer')}?from=${account.id}&to=${id}&keep`
    navigate(isForPayment ? payment : `${list}&added`, { replace: true })
  }
  const typed = (part: Partial<typeof empty>) => {
    if (isSaved) adding.reset()
    setCheck(undefined)
    change(part)
  }
  const [isPasted, onPaste] = usePastedCode(account, isForPayment, typed)
  const field = bindFields(draft, typed, errors)
  return (
    <section class="card" onPaste={onPaste}>
      <p class="quiet" role="status">
        {isPasted ? t.pasted : t.paste}
      </p>
      <Form errors={errors} {...(!isSaved && { of: adding })} onSubmit={() => void submit()}>
        <Field {...field('name')} label={t.name} hint={t.nameHint} maxLength={70} />
        <Field {...field('iban')} label={t.iban} hint={t.ibanHint} maxLength={60} />
        <Field {...field('nickname')} label={t.nickname} hint={t.nicknameHint} maxLength={70} />
        {isForPayment && <Check label={t.once} checked={isOnce} onChange={setOnce} />}
        {check && (
          <Notice kind="warning" role="alert">
            <p>{tellCheck(check)}</p>
            {right && <UseName of={right} onUse={() => typed({ name: right })} />}
          </Notice>
        )}
        <FormActions
          label={check ? t.goOn : isForPayment ? t.toPayment : t.save}
          kind={check ? 'plain' : 'primary'}
          isBusy={adding.isBusy}
          cancelKind={check && !right ? 'primary' : 'plain'}
          cancel={isForPayment ? to('transfer') : list}
        />
      </Form>
    </section>
  )
}

const UseName = ({ of: name, onUse }: { of: string; onUse: () => void }) => (
  <Button kind="primary" onClick={onUse}>
    {texts().beneficiaries.useName(name)}
  </Button>
)

export const BeneficiaryNew = () => (
  <Screen title={texts().beneficiaries.add}>
    <WithAccount>{(account) => <NewForm key={account.id} account={account} />}</WithAccount>
  </Screen>
)

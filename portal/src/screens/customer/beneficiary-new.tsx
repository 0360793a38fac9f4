// Saves whom an account may pay.
import { useState } from 'preact/hooks'
import { Button, Notice, Screen } from '../../parts/basic.tsx'
import { Check, Field } from '../../parts/field.tsx'
import {
  bind,
  errorsOf,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  signError,
  useErrors,
} from '../../parts/form.tsx'
import { send } from '../../calls/call.ts'
import { Failure } from '../../state/failure.ts'
import { storeDraft, useDraft } from '../../state/draft.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { navigate, readQuery } from '../../state/router.ts'
import { useSubmit } from '../../calls/submit.ts'
import { ibanSigns, toIban } from '../../texts/typed-text.ts'
import type { Account, Beneficiary, PayeeCheck } from '../../state/types.ts'
import { WithAccount } from './account-choice.tsx'
import { oncePayee } from './transfer-body.ts'

const empty = { name: '', iban: '', nickname: '' }

/** Too many names were compared, or the bank gave no answer. */
type Compared = PayeeCheck | 'failed'

/** What a payer should know of the name; undefined: it is right, or the account is elsewhere. */
async function checkName(
  accountId: string,
  name: string,
  iban: string,
): Promise<Compared | undefined> {
  const path = `/accounts/${accountId}/payee-checks`
  const sent = { method: 'POST', path, body: { name, iban } } as const
  const found = await send<PayeeCheck>(sent).catch((thrown: unknown) => {
    // What else was refused, such as a wrong IBAN, the bank tells next.
    const isLost = thrown instanceof Failure && [0, 429, 500, 503].includes(thrown.status)
    return isLost ? 'failed' : undefined
  })
  if (typeof found !== 'object') return found
  return ['close_match', 'no_match'].includes(found.result) ? found : undefined
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
    if (!check) {
      const compared = await checkName(account.id, name, iban)
      setCheck(compared)
      if (compared) return
    }
    const path = `/accounts/${account.id}/beneficiaries`
    const body = { name, iban, nickname }
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
  const field = bind(draft, typed, errors)
  return (
    <section class="card">
      <Form errors={errors} {...(!isSaved && { of: adding })} onSubmit={() => void submit()}>
        <Field {...field('name')} label={t.name} hint={t.nameHint} maxLength={70} />
        <Field {...field('iban')} label={t.iban} hint={t.ibanHint} maxLength={60} />
        <Field {...field('nickname')} label={t.nickname} hint={t.nicknameHint} maxLength={70} />
        {isForPayment && <Check label={t.once} checked={isOnce} onChange={setOnce} />}
        {check && (
          <Notice kind="warning" role="alert">
            <p>{check === 'failed' ? t.notCompared : right ? t.closeMatch(right) : t.noMatch}</p>
            {right && <Button onClick={() => typed({ name: right })}>{t.useName(right)}</Button>}
          </Notice>
        )}
        <FormActions
          label={check ? t.goOn : isForPayment ? t.toPayment : t.save}
          isBusy={adding.isBusy}
          cancel={isForPayment ? to('transfer') : list}
        />
      </Form>
    </section>
  )
}

export const BeneficiaryNew = () => (
  <Screen title={texts().beneficiaries.add}>
    <WithAccount>{(account) => <NewForm key={account.id} account={account} />}</WithAccount>
  </Screen>
)

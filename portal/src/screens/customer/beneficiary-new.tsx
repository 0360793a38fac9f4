// Saves whom an account may pay.
import { Button, ButtonLink, Screen } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import {
  bind,
  errorsOf,
  findBlank,
  findUnfit,
  Form,
  signError,
  useErrors,
} from '../../parts/form.tsx'
import { useDraft } from '../../state/draft.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { navigate } from '../../state/router.ts'
import { useSubmit } from '../../calls/submit.ts'
import { ibanSigns, toIban } from '../../texts/typed-text.ts'
import type { Account, Beneficiary } from '../../state/types.ts'
import { WithAccount } from './account-choice.tsx'

const empty = { name: '', iban: '', nickname: '' }

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

  async function submit(): Promise<void> {
    const iban = toIban(draft.iban)
    const ibanError = signError(iban, ibanSigns)
    const found = {
      ...findBlank(draft, 'name', 'iban'),
      ...findUnfit(draft, 'name', 'nickname'),
      ...(ibanError && { iban: ibanError }),
    }
    if (!accept(found)) return
    const [name, nickname] = [draft.name.trim(), draft.nickname.trim() || null]
    const path = `/accounts/${account.id}/beneficiaries`
    const body = { name, iban, nickname }
    if (!(await adding.submit({ method: 'POST', path, body, isRepeatable: false }))) return
    clear()
    navigate(`${list}&added`, { replace: true })
  }
  const typed = (part: Partial<typeof empty>) => {
    if (isSaved) adding.reset()
    change(part)
  }
  const field = bind(draft, typed, errors)
  return (
    <section class="card">
      <Form errors={errors} {...(!isSaved && { of: adding })} onSubmit={() => void submit()}>
        <Field {...field('name')} label={t.name} hint={t.nameHint} maxLength={70} />
        <Field {...field('iban')} label={t.iban} hint={t.ibanHint} maxLength={60} />
        <Field {...field('nickname')} label={t.nickname} hint={t.nicknameHint} maxLength={70} />
        <div class="actions">
          <Button kind="primary" type="submit" isBusy={adding.isBusy}>
            {t.save}
          </Button>
          <ButtonLink href={list}>{texts().common.cancel}</ButtonLink>
        </div>
      </Form>
    </section>
  )
}

export const BeneficiaryNew = () => (
  <Screen title={texts().beneficiaries.add}>
    <WithAccount>{(account) => <NewForm key={account.id} account={account} />}</WithAccount>
  </Screen>
)

// Saves whom an account may pay.
import { useState } from 'preact/hooks'
import { Button, ButtonLink, Screen } from '../../parts/basic.tsx'
import { errorsOf, Field, Form } from '../../parts/form.tsx'
import { useDraft } from '../../draft.ts'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { navigate } from '../../router.ts'
import { useSubmit } from '../../submit.ts'
import type { Account, Beneficiary } from '../../types.ts'
import { WithAccount } from './account-choice.tsx'

const empty = { name: '', iban: '', nickname: '' }

function NewForm({ account }: { account: Account }) {
  const t = texts().beneficiaries
  const [draft, change, clear] = useDraft('beneficiary', empty)
  const [isChecked, setChecked] = useState(false)
  const adding = useSubmit<Beneficiary>()
  const required = (value: string) =>
    isChecked && value.trim() === '' ? texts().form.required : undefined
  const isSaved = adding.state === 'refused' && adding.failure?.code === 'already_exists'
  const own = {
    name: required(draft.name),
    iban: required(draft.iban) ?? (isSaved ? t.savedAlready : undefined),
  }
  const errors = errorsOf(adding, own, {
    name: texts().form.badText,
    iban: t.badIban,
    nickname: texts().form.badText,
  })
  const list = `${to('beneficiaries')}?account=${account.id}`

  async function submit(): Promise<void> {
    setChecked(true)
    const [name, nickname] = [draft.name.trim(), draft.nickname.trim() || null]
    const iban = draft.iban.replaceAll(/\s/g, '').toUpperCase()
    if (!name || !iban) return
    const path = `/accounts/${account.id}/beneficiaries`
    const body = { name, iban, nickname }
    if (!(await adding.submit({ method: 'POST', path, body, isRepeatable: false }))) return
    clear()
    navigate(`${list}&added`, { replace: true })
  }
  const field = (name: keyof typeof empty) => ({
    name,
    value: draft[name],
    error: errors[name],
    autocomplete: 'off',
    onInput: (value: string) => {
      if (isSaved) adding.reset()
      change({ [name]: value })
    },
  })
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

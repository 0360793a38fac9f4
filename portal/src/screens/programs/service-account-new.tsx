// Makes a service account and shows its first key, this once.
import { useState } from 'preact/hooks'
import { Screen } from '../../parts/basic.tsx'
import { Form, FormActions, useErrors, useTyped } from '../../parts/form.tsx'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { navigate } from '../../state/router.ts'
import { useSubmit } from '../../calls/submit.ts'
import type { ServiceAccountWithKey } from '../../state/types.ts'
import { emptyTerms, TermsFields, termsErrors, toBody } from './service-account-fields.tsx'
import { ShownOnce } from './shown-once.tsx'

export function ServiceAccountNew() {
  const t = texts()
  const [terms, change] = useTyped(emptyTerms)
  const [own, accept] = useErrors()
  const [made, setMade] = useState<ServiceAccountWithKey>()
  const creating = useSubmit<ServiceAccountWithKey>()
  const errors = termsErrors(creating, own)
  async function submit(): Promise<void> {
    const { body, errors: found } = await toBody(terms)
    if (!accept(found)) return
    const path = '/admin/service-accounts'
    const done = await creating.submit({ method: 'POST', path, body, isRepeatable: false })
    if (!done) return
    setMade(done.result)
    creating.reset()
  }
  if (made) {
    const toAccount = to('staffServiceAccount', { serviceAccountId: made.id })
    return (
      <Screen title={t.programs.created}>
        <ShownOnce
          title={t.programs.keyOf(made.name)}
          name={t.programs.key}
          secret={made.key}
          text={t.programs.keyMeaning}
          onClose={() => navigate(toAccount, { replace: true })}
        />
      </Screen>
    )
  }
  return (
    <Screen title={t.programs.create}>
      <div class="card narrow">
        <Form errors={errors} of={creating} onSubmit={() => void submit()}>
          <TermsFields value={terms} onChange={change} errors={errors} />
          <FormActions label={t.programs.create} isBusy={creating.isBusy} cancel={to('programs')} />
        </Form>
      </div>
    </Screen>
  )
}

// Asks for a mail with a link to set a password. The answer does not tell whose address it is.
import { useState } from 'preact/hooks'
import { Button, ButtonLink, Notice, Screen } from '../../parts/basic.tsx'
import { errorsOf, Field, Form } from '../../parts/form.tsx'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { useSubmit } from '../../submit.ts'

export function Forgot() {
  const t = texts()
  const [email, setEmail] = useState('')
  const [isEmpty, setEmpty] = useState(false)
  const asking = useSubmit()
  const errors = errorsOf(asking, { email: isEmpty ? t.form.required : undefined }, {})
  function submit(): void {
    setEmpty(email === '')
    if (email === '') return
    const path = '/auth/password-reset'
    void asking.submit({ method: 'POST', path, body: { email }, isRepeatable: true })
  }
  return (
    <Screen title={t.forgot.title}>
      {asking.state === 'done' ? (
        <>
          <Notice kind="good">{t.forgot.sent}</Notice>
          <ButtonLink href={to('home')}>{t.forgot.toSignIn}</ButtonLink>
        </>
      ) : (
        <>
          <p>{t.forgot.intro}</p>
          <Form errors={errors} of={asking} onSubmit={submit}>
            <Field
              name="email"
              label={t.forgot.email}
              type="email"
              autocomplete="email"
              value={email}
              onInput={setEmail}
              error={errors['email']}
            />
            <div class="actions">
              <Button kind="primary" type="submit" isBusy={asking.isBusy}>
                {t.forgot.submit}
              </Button>
              <ButtonLink href={to('home')}>{t.common.back}</ButtonLink>
            </div>
          </Form>
        </>
      )}
    </Screen>
  )
}

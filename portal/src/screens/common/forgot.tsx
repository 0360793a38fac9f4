// Asks for a mail with a link to set a password. The answer does not tell whose address it is.
import { Button, ButtonLink, Notice, Screen } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, errorsOf, findBlank, Form, useErrors, useTyped } from '../../parts/form.tsx'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { useSubmit } from '../../calls/submit.ts'

export function Forgot() {
  const t = texts()
  const [body, change] = useTyped({ email: '' })
  const [own, accept] = useErrors()
  const asking = useSubmit()
  const errors = errorsOf(asking, own, {})
  function submit(): void {
    if (!accept(findBlank(body, 'email'))) return
    const path = '/auth/password-reset'
    void asking.submit({ method: 'POST', path, body, isRepeatable: true })
  }
  const field = bindFields(body, change, errors)
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
            <Field {...field('email')} label={t.forgot.email} type="email" autocomplete="email" />
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

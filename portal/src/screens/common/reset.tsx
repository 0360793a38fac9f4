// Sets a password by the link of a mail.
import { Button, ButtonLink, Notice, Screen } from '../../parts/basic.tsx'
import { bindFields, errorsOf, Form, useErrors, useTyped } from '../../parts/form.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { passwordError } from '../../texts/password.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { resetToken } from '../../state/reset-token.ts'
import { navigate } from '../../state/router.ts'
import { endReason, phase } from '../../calls/session.ts'
import { signOut } from '../../calls/sign-in.ts'
import { useSubmit } from '../../calls/submit.ts'
import { useLink } from './mailed-link.ts'

function SetPassword({ token }: { token: string }) {
  const t = texts()
  const [typed, change] = useTyped({ newPassword: '' })
  const [own, accept] = useErrors()
  const setting = useSubmit()
  const { username, isDead = false } = useLink('password-reset', token)
  const errors = errorsOf(setting, own, { newPassword: t.password.common })
  async function submit(): Promise<void> {
    if (!accept({ newPassword: passwordError(typed.newPassword, username) })) return
    const path = '/auth/password-reset/confirm'
    const body = { token, ...typed }
    if (!(await setting.submit({ method: 'POST', path, body, isRepeatable: false }))) return
    resetToken.value = ''
    // Setting a password has ended every session of its user; this browser's may be another's.
    if (phase.value === 'in') await signOut('passwordSet')
    else endReason.value = 'passwordSet'
    // Behind the sign-in: who reset it looks at the sessions and orders that others left.
    navigate(to('security'), { replace: true })
  }
  const isRefused = setting.state === 'refused' && setting.failure?.fields.includes('token')
  const isUsed = isDead || isRefused
  if (token === '' || isUsed) {
    return (
      <>
        <Notice kind={isUsed ? 'bad' : 'info'}>{isUsed ? t.reset.used : t.reset.noToken}</Notice>
        <ButtonLink href={to('forgot')} kind="primary">
          {t.reset.another}
        </ButtonLink>
      </>
    )
  }
  return (
    <Form errors={errors} of={setting} onSubmit={() => void submit()}>
      {username && <p>{t.reset.of(username)}</p>}
      <PasswordField
        {...bindFields(typed, change, errors)('newPassword')}
        label={t.password.new}
        hint={t.password.rules}
        autocomplete="new-password"
      />
      <Button kind="primary" type="submit" isBusy={setting.isBusy}>
        {t.reset.submit}
      </Button>
    </Form>
  )
}

export const Reset = () => (
  <Screen title={texts().reset.title}>
    <SetPassword key={resetToken.value} token={resetToken.value} />
  </Screen>
)

// Sign in. Stays at the address that was asked for, and leads there.
import { useState } from 'preact/hooks'
import { Button, FailureNotice, Notice, Screen } from '../../parts/basic.tsx'
import {
  bind,
  Field,
  findBlank,
  Form,
  PasswordField,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import { Failure } from '../../call.ts'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { ended } from '../../session.ts'
import { openSession, signIn } from '../../sign-in.ts'

export function SignIn() {
  const t = texts()
  const [typed, change] = useTyped({ username: '', password: '' })
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [errors, accept] = useErrors()
  async function submit(): Promise<void> {
    if (isBusy || !accept(findBlank(typed, 'username', 'password'))) return
    setBusy(true)
    setFailure(undefined)
    try {
      await signIn(typed.username, typed.password)
    } catch (thrown) {
      setFailure(thrown as Failure)
      change({ password: '' })
    }
    setBusy(false)
  }
  const field = bind(typed, change, errors)
  const reason = ended.value
  return (
    <Screen title={t.signIn.title}>
      {reason && !failure && (
        <Notice kind={reason === 'revoked' ? 'warning' : 'info'}>{t.signIn.ended[reason]}</Notice>
      )}
      {failure && <FailureNotice key={failure.requestId} failure={failure} />}
      <div class="card">
        <Form errors={errors} onSubmit={() => void submit()}>
          <Field {...field('username')} isFirst label={t.signIn.username} autocomplete="username" />
          <PasswordField
            {...field('password')}
            label={t.password.label}
            autocomplete="current-password"
          />
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {t.signIn.title}
          </Button>
        </Form>
        <p>
          <a href={to('forgot')}>{t.signIn.forgot}</a>
        </p>
      </div>
    </Screen>
  )
}

export function Unreachable() {
  const t = texts()
  return (
    <Screen title={t.signIn.title}>
      <FailureNotice failure={new Failure('offline')} again={() => void openSession()} />
    </Screen>
  )
}

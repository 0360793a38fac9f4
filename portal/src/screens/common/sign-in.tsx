// Sign in. Stays at the address that was asked for, and leads there.
import { useState } from 'preact/hooks'
import { Button, FailureNotice, Notice, Screen } from '../../parts/basic.tsx'
import { Check, Field, Form } from '../../parts/form.tsx'
import { Failure } from '../../call.ts'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { ended } from '../../session.ts'
import { openSession, signIn } from '../../sign-in.ts'

export function SignIn() {
  const t = texts()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [isShown, setShown] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [errors, setErrors] = useState<Record<string, string | undefined>>({})
  async function submit(): Promise<void> {
    if (isBusy) return
    const required = (value: string) => (value === '' ? t.form.required : undefined)
    const found = { username: required(username), password: required(password) }
    setErrors(found)
    if (found.username ?? found.password) return
    setBusy(true)
    setFailure(undefined)
    try {
      await signIn(username, password)
    } catch (thrown) {
      setFailure(thrown as Failure)
      setPassword('')
    }
    setBusy(false)
  }
  const reason = ended.value
  return (
    <Screen title={t.signIn.title}>
      {reason && !failure && (
        <Notice kind={reason === 'revoked' ? 'warning' : 'info'}>{t.signIn.ended[reason]}</Notice>
      )}
      {failure && <FailureNotice key={failure.requestId} failure={failure} />}
      <div class="card">
        <Form errors={errors} onSubmit={() => void submit()}>
          <Field
            name="username"
            isFirst
            label={t.signIn.username}
            value={username}
            onInput={setUsername}
            autocomplete="username"
            error={errors['username']}
          />
          <Field
            name="password"
            label={t.signIn.password}
            type={isShown ? 'text' : 'password'}
            value={password}
            onInput={setPassword}
            autocomplete="current-password"
            error={errors['password']}
          />
          <Check label={t.signIn.show} checked={isShown} onChange={setShown} />
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {t.signIn.submit}
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

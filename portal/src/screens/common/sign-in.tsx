// Sign in. Stays at the address that was asked for, and leads there.
import { useState } from 'preact/hooks'
import { Button, FailureNotice, Notice, Screen } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, findBlank, Form, useErrors, useTyped } from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { Failure } from '../../state/failure.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { endReason, hasIssuer, hasSecondFactors } from '../../calls/session.ts'
import { signIn, signInAtIssuer, signInByPasskey, signOut } from '../../calls/sign-in.ts'
import type { Challenge } from '../../state/types.ts'
import type { SecondStep } from './second-step.tsx'

type FormProps = {
  /** Goes on with the challenge of a second factor; throws its refusal. */
  onChallenge: (challenge: Challenge) => Promise<void> | void
  onDone?: () => void
}

/** User name and password. */
export function SignInForm({ onChallenge, onDone }: FormProps) {
  const t = texts()
  const [typed, change] = useTyped({ username: '', password: '' })
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [errors, accept] = useErrors()
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (isBusy) return
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
      onDone?.()
    } catch (thrown) {
      setFailure(thrown as Failure)
      change({ password: '' })
    }
    setBusy(false)
  }
  async function byPassword(): Promise<void> {
    try {
      await signIn(typed.username.trim(), typed.password)
    } catch (thrown) {
      const { challenge } = thrown as Partial<Failure>
      if (!challenge) throw thrown
      await onChallenge(challenge)
    }
  }
  /** Not at the same time as a sign-in, whose session it would end. */
  async function outAgain(): Promise<void> {
    setBusy(true)
    await signOut()
    setBusy(false)
  }
  const field = bindFields(typed, change, errors)
  return (
    <>
      <EndNotice isBusy={isBusy} hasFailure={failure !== undefined} signOutAgain={outAgain} />
      {failure && <FailureNotice key={failure.requestId} failure={failure} />}
      <div class="card">
        <Form
          errors={errors}
          onSubmit={() => {
            if (accept(findBlank(typed, 'username', 'password'))) void attempt(byPassword)
          }}
        >
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
        {hasSecondFactors && 'PublicKeyCredential' in globalThis && (
          <div class="actions">
            <Button isBusy={isBusy} onClick={() => void attempt(byPasskey)}>
              {t.signIn.byPasskey}
            </Button>
          </div>
        )}
        {hasIssuer && (
          <div class="actions">
            <Button isBusy={isBusy} onClick={() => void attempt(signInAtIssuer)}>
              {t.signIn.byIssuer}
            </Button>
          </div>
        )}
        <p>
          <a href={to('forgot')}>{t.signIn.forgot}</a>
        </p>
        <p>
          <a href={to('help')}>{t.signIn.help}</a>
        </p>
      </div>
    </>
  )
}

type EndProps = { isBusy: boolean; hasFailure: boolean; signOutAgain: () => Promise<void> }

/** Why the last session ended. One that may still be open can be ended again. */
function EndNotice({ isBusy, hasFailure, signOutAgain }: EndProps) {
  const t = texts()
  const reason = endReason.value
  const isOpen = reason === 'mayBeOpen'
  if (!reason || (hasFailure && !isOpen)) return null
  return (
    <Notice kind={isOpen || reason === 'revoked' ? 'warning' : 'info'}>
      {t.signIn.ended[reason]}
      {isOpen && (
        <Button isBusy={isBusy} onClick={() => void signOutAgain()}>
          {t.nav.signOut}
        </Button>
      )}
    </Notice>
  )
}

async function byPasskey(): Promise<void> {
  try {
    await signInByPasskey()
  } catch (thrown) {
    const isUnknown = (thrown as Partial<Failure>).code === 'invalid_credentials'
    throw isUnknown ? new Failure('passkey_failed') : thrown
  }
}

type SignInProps = { loadSecondStep: () => Promise<typeof SecondStep> }

/** The second step is loaded when somebody has one. */
export function SignIn({ loadSecondStep }: SignInProps) {
  const [challenge, setChallenge] = useState<Challenge>()
  if (challenge) {
    return (
      <Later load={loadSecondStep} with={{ challenge, onBack: () => setChallenge(undefined) }} />
    )
  }
  return (
    <Screen title={texts().signIn.title}>
      <p class="quiet small">{texts().signIn.note(location.host)}</p>
      <SignInForm onChallenge={setChallenge} />
    </Screen>
  )
}

// Signs in by the link of a mail in place of a lost second factor, to enrol a new one.
import { ButtonLink, Notice, Screen } from '../../parts/basic.tsx'
import { Failure } from '../../state/failure.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { resetToken } from '../../state/reset-token.ts'
import { navigate } from '../../state/router.ts'
import { answerSignIn } from '../../calls/sign-in.ts'
import { SignInForm } from './sign-in.tsx'

async function answer(challengeId: string, recoveryToken: string): Promise<void> {
  try {
    await answerSignIn(challengeId, { recoveryToken })
  } catch (thrown) {
    const isRefused = (thrown as Partial<Failure>).code === 'invalid_credentials'
    throw isRefused ? new Failure('link_refused') : thrown
  }
}

export function FactorReset() {
  const t = texts().factorReset
  const recoveryToken = resetToken.value
  return (
    <Screen title={t.title}>
      {recoveryToken === '' ? (
        <>
          <Notice>{t.noToken}</Notice>
          <ButtonLink href={to('home')} kind="primary">
            {t.toSignIn}
          </ButtonLink>
        </>
      ) : (
        <>
          <p>{t.intro}</p>
          <SignInForm
            onChallenge={({ id }) => answer(id, recoveryToken)}
            onDone={() => {
              resetToken.value = ''
              navigate(to('home'), { replace: true })
            }}
          />
        </>
      )}
    </Screen>
  )
}

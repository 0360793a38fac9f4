// Signs in by the link of a mail in place of a lost second factor, to enrol a new one.
import { ButtonLink, Notice, Screen } from '../../parts/basic.tsx'
import { Failure } from '../../state/failure.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { resetToken } from '../../state/reset-token.ts'
import { navigate } from '../../state/router.ts'
import { answerSignIn } from '../../calls/sign-in.ts'
import { useLink } from './mailed-link.ts'
import { SignInForm } from './sign-in.tsx'

async function answer(challengeId: string, recoveryToken: string): Promise<void> {
  try {
    await answerSignIn(challengeId, { recoveryToken })
  } catch (thrown) {
    const isRefused = (thrown as Partial<Failure>).code === 'invalid_credentials'
    throw isRefused ? new Failure('link_refused') : thrown
  }
}

function Replacement({ token }: { token: string }) {
  const t = texts()
  const { username, isDead = false } = useLink('factor-reset', token)
  if (token === '' || isDead) {
    return (
      <>
        <Notice kind={isDead ? 'bad' : 'info'}>
          {isDead ? t.errors.link_refused : t.factorReset.noToken}
        </Notice>
        <ButtonLink href={to('home')} kind="primary">
          {t.factorReset.toSignIn}
        </ButtonLink>
      </>
    )
  }
  return (
    <>
      {username && <p>{t.reset.of(username)}</p>}
      <p>{t.factorReset.intro}</p>
      <SignInForm
        onChallenge={({ id }) => answer(id, token)}
        onDone={() => {
          resetToken.value = ''
          navigate(to('home'), { replace: true })
        }}
      />
    </>
  )
}

export const FactorReset = () => (
  <Screen title={texts().factorReset.title}>
    <Replacement key={resetToken.value} token={resetToken.value} />
  </Screen>
)

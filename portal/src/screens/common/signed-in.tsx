// Where the identity provider sends the browser back to: the sign-in, or the confirmation, ends
// here. In a tab of its own a confirmation begins here too.
import { useEffect, useState } from 'preact/hooks'
import { Button, ButtonLink, FailureNotice, Notice, Screen } from '../../parts/basic.tsx'
import { send } from '../../calls/call.ts'
import { phase, tellOtherPages } from '../../calls/session.ts'
import { endIssuerSignIn, goToIssuer } from '../../calls/sign-in.ts'
import type { Failure } from '../../state/failure.ts'
import { takeBrought } from '../../state/issuer-answer.ts'
import { to } from '../../state/paths.ts'
import { navigate } from '../../state/router.ts'
import type { Challenge } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { SecondStep } from './second-step.tsx'

type State = {
  failure?: Failure
  challenge?: Challenge
  /** Where the person goes once the second step is done. */
  next?: string
  isConfirmed?: boolean
}

const challengePath = (id: string): string => `/auth/confirmations/${id}/issuer`

async function end(): Promise<State> {
  const begun = /^#confirm=([0-9a-f-]{36})$/.exec(location.hash)?.[1]
  if (begun !== undefined) {
    history.replaceState(null, '', location.pathname)
    return goToIssuer(challengePath(begun), { confirm: begun })
  }
  const brought = takeBrought()
  if (!brought) return { next: to('home') }
  const { answer, purpose } = brought
  if ('confirm' in purpose) {
    const path = `${challengePath(purpose.confirm)}/answer`
    await send({ method: 'POST', path, body: answer })
    tellOtherPages({ what: 'confirmed', challengeId: purpose.confirm })
    close()
    return { isConfirmed: true }
  }
  try {
    await endIssuerSignIn(answer)
    return { next: purpose.to }
  } catch (thrown) {
    const { challenge } = thrown as Partial<Failure>
    if (!challenge) throw thrown
    return { challenge, next: purpose.to }
  }
}

export function SignedIn() {
  const t = texts().signIn
  const [state, setState] = useState<State>()
  useEffect(() => {
    end().then(setState, (thrown: unknown) => setState({ failure: thrown as Failure }))
  }, [])
  const next = state?.next
  const isIn = phase.value === 'in'
  useEffect(() => {
    if (next !== undefined && (isIn || !state?.challenge)) navigate(next, { replace: true })
  }, [state, isIn])
  if (state?.challenge && !isIn) {
    return (
      <SecondStep
        challenge={state.challenge}
        onBack={() => navigate(to('home'), { replace: true })}
      />
    )
  }
  return (
    <Screen title={t.title}>
      {state?.failure && <FailureNotice failure={state.failure} />}
      {state?.isConfirmed && <Notice kind="good">{t.confirmed}</Notice>}
      {state?.isConfirmed && (
        <Button kind="primary" onClick={() => close()}>
          {texts().common.close}
        </Button>
      )}
      {state?.failure && (
        <ButtonLink kind="primary" href={to('home')}>
          {t.title}
        </ButtonLink>
      )}
      {!state && <p role="status">{texts().common.loading}</p>}
    </Screen>
  )
}

// Begins and ends the browser's session.
import { retryRead, send } from './call.ts'
import type { EndReason } from '../state/end-reason.ts'
import { Failure } from '../state/failure.ts'
import { dropDraftsOfOthers, forgetDrafts } from '../state/draft.ts'
import { dropMovementsOfOthers, findOpenPage, forgetMovements, takeKept } from './movements.ts'
import { changePreferences, preferences, storePreferences } from '../state/preferences.ts'
import { language, loadTexts } from '../texts/language.ts'
import { sendUntilKnown } from './submit.ts'
import { type IssuerAnswer, keepPurpose, type VisitPurpose } from '../state/issuer-answer.ts'
import { navigate } from '../state/router.ts'
import {
  beActive,
  forgetBy,
  leaveSession,
  me,
  mustEnrol,
  pagesOfBrowser,
  phase,
  sessionSignal,
  tellOtherPages,
  unreachableBecause,
  type PageMessage,
} from './session.ts'
import type { Challenge, Me } from '../state/types.ts'

/** Asks the server who is signed in, as patiently as a screen asks for what it shows. */
export async function openSession(): Promise<void> {
  const signal = sessionSignal()
  try {
    const user = await retryRead(() => send<Me>({ method: 'GET', path: '/me', signal }), signal)
    await takeKept()
    signal.throwIfAborted()
    dropDraftsOfOthers(user.id)
    dropMovementsOfOthers(user.id)
    me.value = user
    if (user.restricted) mustEnrol.value = true
    else await agreeOnLanguage(user)
    signal.throwIfAborted()
    phase.value = 'in'
    const wasCustomer = user.roles.includes('customer')
    if (preferences.value.wasCustomer !== wasCustomer) changePreferences({ wasCustomer })
  } catch (thrown) {
    // A session that is refused, or left meanwhile, has set `phase` already.
    if (phase.value === 'in' || signal.aborted) return
    unreachableBecause.value = thrown instanceof Failure ? thrown : new Failure('offline')
    phase.value = 'unreachable'
  }
}

/** Mails of a person who has told none are in this one. */
const defaultLanguage = 'en'

/** Tells the bank the language that the page begins with; or follows the one that was told. */
async function agreeOnLanguage(user: Me): Promise<void> {
  if (user.language === null) {
    if (language() !== defaultLanguage) await tellLanguage()
  } else if (preferences.value.language === 'auto' && user.language !== language()) {
    changePreferences({ language: user.language })
    await loadTexts()
  }
}

/** Mails and statements follow the page. Where that cannot be told now, it is told another time. */
export const tellLanguage = (): Promise<void> =>
  send<void>({ method: 'PATCH', path: '/me', body: { language: language() } }).catch(
    () => undefined,
  )

/** Refused with `second_factor_required` and a challenge, for a person with a second factor. */
export const signIn = (username: string, password: string): Promise<void> =>
  begin('/portal/session', { username, password })

/** What answers the challenge of a sign-in: one of these. */
export type Proof = { code: string } | { passkey: object } | Recovery
export type Recovery = { recoveryCode: string } | { recoveryToken: string }

/** The second step of a sign-in. */
export const answerSignIn = (challengeId: string, proof: Proof): Promise<void> =>
  begin('/portal/session/second-factor', { challengeId, ...proof })

type Passkeys = { askPasskey: (challenge: Challenge) => Promise<object> }
let loadPasskeys: () => Promise<Passkeys>

/** A whole sign-in with a passkey that the browser offers. */
export async function signInByPasskey(): Promise<void> {
  const path = '/auth/login/passkey'
  const { challenge } = await send<{ challenge: Challenge }>({ method: 'POST', path })
  const { askPasskey } = await loadPasskeys()
  await answerSignIn(challenge.id, { passkey: await askPasskey(challenge) })
}

/** Leads to a movement of money whose outcome is open, so that it is found out and told. */
async function begin(path: string, proof: object): Promise<void> {
  const body = { ...proof, device: deviceName() }
  // Sent again after 503 or a short 429, as any change is: the password need not be typed again.
  await sendUntilKnown({ method: 'POST', path, body, isRepeatable: false }, () => undefined)
  tellOtherPages({ what: 'changed' })
  await openSession()
  const page = findOpenPage()
  if (page !== undefined && phase.value === 'in') navigate(page, { replace: true })
}

/** Leaves for the identity provider; never resolves. */
export async function goToIssuer(path: string, purpose: VisitPurpose): Promise<never> {
  const { location: at } = await send<{ location: string }>({ method: 'POST', path })
  keepPurpose(purpose)
  location.assign(at)
  return new Promise(() => {})
}

/** Begins a sign-in of staff there, and comes back to the page that is asked for. */
export const signInAtIssuer = (): Promise<never> =>
  goToIssuer('/portal/session/issuer', { to: location.pathname + location.search })

/** Refused as {@link signIn} is, for a person with a second factor of this bank. */
export const endIssuerSignIn = (answer: IssuerAnswer): Promise<void> =>
  begin('/portal/session/issuer/answer', answer)

const logoutMsMax = 10_000

/** Ends the session on the server and forgets what was kept for it. */
export async function signOut(because: EndReason = 'signedOut'): Promise<void> {
  // Before the answer: this page may be closed before it comes.
  tellOtherPages({ what: 'out', because: 'mayBeOpen' })
  const signal = AbortSignal.timeout(logoutMsMax)
  const isOver = await send({ method: 'POST', path: '/auth/logout', signal }).then(
    () => true,
    (thrown: Partial<Failure>) => thrown.status === 401,
  )
  // Without its word the cookie may still open the session.
  const told = isOver ? because : 'mayBeOpen'
  leaveSession(told)
  tellOtherPages({ what: 'out', because: told })
}

function forgetTyped(): void {
  forgetDrafts()
  forgetMovements()
  // A sign-out makes the browser empty its storage.
  storePreferences()
}

/** @param load what asks the browser for a passkey, once a person wants to sign in by one */
export function startSession(load: () => Promise<Passkeys>): void {
  loadPasskeys = load
  forgetBy(forgetTyped)
  pagesOfBrowser.addEventListener('message', ({ data }: MessageEvent<PageMessage>) => {
    if (data.what === 'active') beActive()
    else if (data.what === 'out') leaveSession(data.because)
    else if (data.what === 'changed') {
      // Nothing that is shown may be sent with the cookie of another person.
      leaveSession(data.because)
      void openSession()
    }
  })
  // A page from the back-forward cache shows what was there before a sign-out.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload()
  })
  void openSession()
}

/** A name by which its owner knows the device in the list of sessions. */
export function deviceName(): string {
  const agent = navigator.userAgent
  const browsers = {
    Edg: 'Edge',
    OPR: 'Opera',
    Firefox: 'Firefox',
    Chrome: 'Chrome',
    Safari: 'Safari',
  }
  const systems = {
    Android: 'Android',
    iPhone: 'iPhone',
    iPad: 'iPad',
    Windows: 'Windows',
    Macintosh: 'Mac',
    CrOS: 'ChromeOS',
    Linux: 'Linux',
  }
  const find = (known: Record<string, string>) =>
    Object.entries(known).find(([sign]) => agent.includes(sign))?.[1]
  return [find(browsers) ?? 'Browser', find(systems)].filter((part) => part).join(', ')
}

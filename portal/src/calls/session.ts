// Who is signed in, and until when. The server decides both; the page only warns in time.
import { cell } from '../state/cell.ts'
import type { EndReason } from '../state/end-reason.ts'
import type { Failure, OwnCode } from '../state/failure.ts'
import type { Code, Me, Role } from '../state/types.ts'

/** `starting` until the server has told whether the browser's session is alive. */
export const phase = cell<'starting' | 'out' | 'in' | 'unreachable'>('starting')
/** Why it is `unreachable`. */
export const unreachableBecause = cell<Failure | undefined>(undefined)
export const me = cell<Me | undefined>(undefined)

/** Nothing else can be done before the person has enrolled a second factor. */
export const mustEnrol = cell(false)

/** Why the last session ended; undefined before there was one. */
export const endReason = cell<EndReason | undefined>(undefined)

export const hasRole = (...roles: readonly Role[]): boolean =>
  roles.some((role) => me.value?.roles.includes(role))
export const isCustomer = (): boolean => hasRole('customer')
export const isStaff = (): boolean => hasRole('support-agent', 'admin')
export const isAdmin = (): boolean => hasRole('admin')

const setting = (name: string): number =>
  Number.parseInt(document.documentElement.dataset[name] ?? '0', 10)
/** Without an accepted request for so long, the session ends. */
export const idleSeconds = setting('sessionIdleSeconds')
/** At least a minute before the end (WCAG 2.2, 2.2.1), or halfway through a short idle time. */
export const warningSeconds = Math.min(75, idleSeconds / 2)

const factorRoles = document.documentElement.dataset['secondFactor'] ?? ''
/** Whether anybody at this bank signs in with a second factor. */
export const hasSecondFactors = factorRoles !== ''
/** Whether the person may have one. */
export const mayHaveFactor = (): boolean => hasRole(...(factorRoles.split(' ') as Role[]))

/** When a second factor has to be enrolled, where a role requires one: by the person's age. */
export const factorDueAt = (createdAt: string): number =>
  Date.parse(createdAt) + setting('secondFactorGraceSeconds') * 1000

/** Whether changes by staff wait for a second person. */
export const hasFourEyes = document.documentElement.dataset['fourEyes'] === 'on'

/** Whether staff sign in at an OpenID Connect issuer. */
export const hasIssuer = document.documentElement.dataset['issuer'] === 'on'

// By two clocks: that of the page may stand still while the computer sleeps, the other may be set.
const readClocks = () => ({ page: performance.now(), date: Date.now() })
let activeAt = readClocks()

/** Called when a request was accepted, here or in another page of the browser. */
export function beActive(): void {
  activeAt = readClocks()
}

/** How long ago the last request was accepted. */
export function idleMs(): number {
  const { page, date } = readClocks()
  return Math.max(page - activeAt.page, date - activeAt.date)
}

// Pages of the same browser share one session, and so its activity and its end.
export const pagesOfBrowser = new BroadcastChannel('strongroom.session')
export type PageMessage =
  | { what: 'active' }
  /** There is a new session, perhaps of somebody else, or the last one was refused. */
  | { what: 'changed'; because?: EndReason }
  | { what: 'out'; because: EndReason }
  /** The person confirmed a challenge in another page, at the issuer. */
  | { what: 'confirmed'; challengeId: string }
export const tellOtherPages = (message: PageMessage): void => pagesOfBrowser.postMessage(message)

export function noteActivity(): void {
  beActive()
  tellOtherPages({ what: 'active' })
}

let session = new AbortController()
/** Ends with the session: what goes on in its name stops. */
export const sessionSignal = (): AbortSignal => session.signal

/** Whether what was typed is kept, for the same person's next session. */
const keepsTyped = {
  idle: false,
  expired: true,
  revoked: true,
  signedOut: false,
  mayBeOpen: false,
  passwordSet: false,
  emailProved: false,
} as const satisfies Record<EndReason, boolean>

let forgetTyped: () => void = () => {}
/** @param forget makes the page forget drafts of forms, and what is paid */
export const forgetBy = (forget: () => void): void => void (forgetTyped = forget)

/** The page forgets what it showed; what was typed unless the person was there, and may go on. */
export function leaveSession(because: EndReason | undefined): void {
  // A page that begins without a session may be one that a browser opened again.
  const isKept = because === undefined ? phase.value !== 'starting' : keepsTyped[because]
  session.abort()
  session = new AbortController()
  me.value = undefined
  mustEnrol.value = false
  phase.value = 'out'
  if (because) endReason.value = because
  clearTimeout(forgetting)
  if (!isKept) return forgetTyped()
  // No new session for that long is an idle end as well.
  const end = () => phase.value === 'out' && forgetTyped()
  if (idleSeconds > 0) forgetting = setTimeout(end, idleSeconds * 1000)
}
let forgetting: ReturnType<typeof setTimeout> | undefined

const isIdle = (): boolean => idleSeconds > 0 && idleMs() >= idleSeconds * 1000

/** Called when the server has refused the session. */
export function sessionEnded(code: Code | OwnCode): void {
  if (phase.value !== 'in') return leaveSession(undefined)
  const because = isIdle() ? 'idle' : code === 'session_revoked' ? 'revoked' : 'expired'
  leaveSession(because)
  tellOtherPages({ what: 'changed', because })
}

export const endIdle = (): void => leaveSession('idle')

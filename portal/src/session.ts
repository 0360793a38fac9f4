// Who is signed in, and until when. The server decides both; the page only warns in time.
import { cell } from './cell.ts'
import type { OwnCode } from './call.ts'
import type { Code, Me, Role } from './types.ts'

/** `starting` until the server has told whether the browser's session is alive. */
export const phase = cell<'starting' | 'out' | 'in' | 'unreachable'>('starting')
export const me = cell<Me | undefined>(undefined)

/** Nothing else can be done before the person has enrolled a second factor. */
export const mustEnrol = cell(false)

export type EndReason = 'idle' | 'expired' | 'revoked' | 'signedOut' | 'passwordSet'
/** Why the last session ended; undefined before there was one. */
export const ended = cell<EndReason | undefined>(undefined)

export const hasRole = (...roles: readonly Role[]): boolean =>
  roles.some((role) => me.value?.roles.includes(role))
export const isCustomer = (): boolean => hasRole('customer')
export const isStaff = (): boolean => hasRole('support-agent', 'admin')
export const isAdmin = (): boolean => hasRole('admin')

const setting = (name: string): number =>
  Number.parseInt(document.documentElement.dataset[name] ?? '0', 10)
/** Without an accepted request for so long, the session ends. */
export const idleSeconds = setting('sessionIdleSeconds')

const factorRoles = document.documentElement.dataset['secondFactor'] ?? ''
/** Whether anybody at this bank signs in with a second factor. */
export const hasSecondFactors = factorRoles !== ''
/** Whether the person may have one. */
export const mayHaveFactor = (): boolean => hasRole(...(factorRoles.split(' ') as Role[]))

/** Whether changes by staff wait for a second person. */
export const hasFourEyes = document.documentElement.dataset['fourEyes'] === 'on'

/** When the last request was accepted, on the page's own clock, in milliseconds. */
export const activity = { at: performance.now() }

// Pages of the same browser share one session, and so its activity and its end.
export const pagesOfBrowser = new BroadcastChannel('strongroom.session')
export type Told = { what: 'active' } | { what: 'in' } | { what: 'out'; because: EndReason }
export const tell = (told: Told): void => pagesOfBrowser.postMessage(told)

export function noteActivity(): void {
  activity.at = performance.now()
  tell({ what: 'active' })
}

/** The page forgets what it showed. Drafts of forms stay, for the same person's next session. */
export function leave(because: EndReason | undefined): void {
  me.value = undefined
  mustEnrol.value = false
  phase.value = 'out'
  if (because) ended.value = because
}

/** Called when the server has refused the session. */
export function sessionEnded(code: Code | OwnCode): void {
  const wasIn = phase.value === 'in'
  leave(wasIn ? (code === 'session_revoked' ? 'revoked' : 'expired') : undefined)
}

export function endIdle(): void {
  leave('idle')
}

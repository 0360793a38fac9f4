// Begins and ends the browser's session.
import { send } from './call.ts'
import { dropDraftsOfOthers, findOpenPage, forgetDrafts } from './draft.ts'
import { storePreferences } from './preferences.ts'
import { navigate } from './router.ts'
import {
  activity,
  type EndReason,
  leave,
  me,
  pagesOfBrowser,
  phase,
  tell,
  type Told,
} from './session.ts'
import type { User } from './types.ts'

/** Asks the server who is signed in. */
export async function openSession(): Promise<void> {
  try {
    const user = await send<User>({ method: 'GET', path: '/me' })
    dropDraftsOfOthers(user.id)
    me.value = user
    phase.value = 'in'
  } catch {
    // A refusal has set `phase` already, as for any call.
    if (phase.value === 'starting') phase.value = 'unreachable'
  }
}

/** Leads to a movement of money whose outcome is open, so that it is found out and told. */
export async function signIn(username: string, password: string): Promise<void> {
  const body = { username, password, device: deviceName() }
  await send({ method: 'POST', path: '/portal/session', body })
  await openSession()
  tell({ what: 'in' })
  const page = findOpenPage()
  if (page !== undefined && phase.value === 'in') navigate(page, { replace: true })
}

/** Ends the session on the server and forgets what was kept for it. */
export async function signOut(because: EndReason = 'signedOut'): Promise<void> {
  await send({ method: 'POST', path: '/auth/logout' }).catch(() => undefined)
  forget(because)
  tell({ what: 'out', because })
}

function forget(because: EndReason): void {
  forgetDrafts(me.value?.id)
  storePreferences()
  leave(because)
}

export function startSession(): void {
  pagesOfBrowser.addEventListener('message', ({ data }: MessageEvent<Told>) => {
    if (data.what === 'active') activity.at = performance.now()
    else if (data.what === 'out') forget(data.because)
    else if (phase.value !== 'in') void openSession()
  })
  // A page from the back-forward cache shows what was there before a sign-out.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload()
  })
  void openSession()
}

/** A name by which its owner knows the device in the list of sessions. */
function deviceName(): string {
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

// What the identity provider gave the browser. It leaves the address bar and the history at once,
// and is kept nowhere but in this page's memory. What the visit was for is kept in this tab.
import { to } from './paths.ts'

export type IssuerAnswer = { state: string; code?: string; iss?: string; error?: string }

/** `confirm` a challenge, or sign in and go `to` a page. */
export type VisitPurpose = { confirm: string } | { to: string }

let brought: { answer: IssuerAnswer; purpose: VisitPurpose } | undefined
/** Once: an answer works once. */
export function takeBrought(): typeof brought {
  const taken = brought
  brought = undefined
  return taken
}

export function takeIssuerAnswer(): void {
  if (location.pathname !== to('signedIn')) return
  const given = new URLSearchParams(location.search)
  const state = given.get('state')
  if (!state) return
  const others = ['code', 'iss', 'error'].flatMap((name) => {
    const value = given.get(name)
    return value ? [[name, value] as const] : []
  })
  // Before the page asks who is signed in: nobody is, and what was kept is forgotten then.
  brought = { answer: { state, ...Object.fromEntries(others) }, purpose: takePurpose() }
  history.replaceState(null, '', location.pathname)
}

const key = 'strongroom.visit'
export const keepPurpose = (purpose: VisitPurpose): void =>
  sessionStorage.setItem(key, JSON.stringify(purpose))

/** That of the visit that ends; without one the person signs in. */
function takePurpose(): VisitPurpose {
  const home = { to: to('home') }
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as VisitPurpose | null
    sessionStorage.removeItem(key)
    return kept ?? home
  } catch {
    return home
  }
}

// Every page of the portal. The build gives the paths to the server, which answers 404 for others.
import type { Role } from '../../src/gate/roles.ts'

export type Page = {
  path: string
  /** Who sees it; left out: everybody who is signed in; `public`: also who is not. */
  roles?: readonly Role[] | 'public'
}

const customer = ['customer'] as const
const staff = ['support-agent', 'admin'] as const
const admin = ['admin'] as const

export const pages = {
  home: { path: '/portal/' },
  forgot: { path: '/portal/forgot', roles: 'public' },
  reset: { path: '/portal/reset', roles: 'public' },
  security: { path: '/portal/security' },
  preferences: { path: '/portal/preferences' },

  accountNew: { path: '/portal/accounts/new', roles: customer },
  account: { path: '/portal/accounts/:accountId', roles: customer },
  entry: { path: '/portal/accounts/:accountId/entries/:transactionId', roles: customer },
  accountClose: { path: '/portal/accounts/:accountId/close', roles: customer },
  charts: { path: '/portal/accounts/:accountId/charts', roles: customer },
  transfer: { path: '/portal/transfer', roles: customer },
  receipt: { path: '/portal/transfers/:transferId', roles: customer },
  beneficiaries: { path: '/portal/beneficiaries', roles: customer },
  beneficiaryNew: { path: '/portal/beneficiaries/new', roles: customer },
  cards: { path: '/portal/cards', roles: customer },
  statements: { path: '/portal/statements', roles: customer },

  search: { path: '/portal/staff', roles: staff },
  staffCustomer: { path: '/portal/staff/users/:userId', roles: staff },
  staffAccount: { path: '/portal/staff/accounts/:accountId', roles: staff },
  staffTransfer: { path: '/portal/staff/transfers/:transferId', roles: staff },
  clearing: { path: '/portal/staff/clearing', roles: staff },
  deposit: { path: '/portal/staff/accounts/:accountId/deposit', roles: admin },
  withdrawal: { path: '/portal/staff/accounts/:accountId/withdrawal', roles: admin },
  users: { path: '/portal/staff/users', roles: staff },
  userNew: { path: '/portal/staff/users/new', roles: admin },
  audit: { path: '/portal/staff/audit', roles: admin },
  today: { path: '/portal/staff/today', roles: staff },
} as const satisfies Record<string, Page>

export type PageName = keyof typeof pages
/** The parameters in a path, such as `accountId`. */
type ParametersIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never
export type Parameters<N extends PageName> = Record<ParametersIn<(typeof pages)[N]['path']>, string>

/** The address of a page. */
export function to<N extends PageName>(
  name: N,
  ...[parameters]: ParametersIn<(typeof pages)[N]['path']> extends never ? [] : [Parameters<N>]
): string {
  const values = (parameters ?? {}) as Record<string, string>
  return pages[name].path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(values[key] as string),
  )
}

/** The page of a path and its parameters. Fixed paths come before those with parameters. */
export function findPage(
  path: string,
): { name: PageName; parameters: Record<string, string> } | undefined {
  const byRank = Object.entries(pages).toSorted(
    ([, one], [, other]) => one.path.split(':').length - other.path.split(':').length,
  )
  for (const [name, page] of byRank) {
    const pattern = page.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')
    const found = new RegExp(`^${pattern}$`).exec(path)
    if (found) return { name: name as PageName, parameters: { ...found.groups } }
  }
  return undefined
}

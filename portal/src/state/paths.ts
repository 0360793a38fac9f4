// Every page of the portal. The build gives the paths to the server, which answers 404 for others.
import type { Role } from '../../../src/gate/roles.ts'

/** Screens that are loaded together, and the files of texts that they need. */
export const groupTexts = {
  own: ['own', 'signIn'],
  factors: ['factors', 'signIn'],
  customer: ['accounts', 'home'],
  account: ['accounts'],
  pay: ['accounts', 'customer'],
  receipt: ['accounts', 'customer', 'paymentState'],
  customerRare: ['accounts', 'customerRare'],
  insight: ['accounts', 'insight'],
  payees: ['accounts', 'payees'],
  cards: ['accounts', 'cards'],
  orders: ['accounts', 'customer', 'orders'],
  lists: ['accounts', 'lists'],
  members: ['accounts', 'members'],
  people: ['people', 'signIn'],
  person: ['people'],
  ledger: ['accounts', 'ledger'],
  cash: ['accounts', 'ledger', 'trial'],
  postings: ['accounts', 'ledger', 'trial', 'postings'],
  rail: ['ledger', 'rail'],
  clearing: ['operations'],
  operations: ['operations', 'audit'],
  trail: ['audit'],
  watch: ['today', 'trial'],
  programs: ['programs', 'audit'],
  webhooks: ['programs', 'feed'],
} as const
export type Group = keyof typeof groupTexts

export type Page = {
  path: string
  group: Group
  /** Who sees it; left out: everybody who is signed in; `public`: also who is not. */
  roles?: readonly Role[] | 'public'
}

const own = { group: 'own' } as const
const open = { ...own, roles: 'public' } as const
const daily = { group: 'customer', roles: ['customer'] } as const
const account = { ...daily, group: 'account' } as const
const pay = { ...daily, group: 'pay' } as const
const receipt = { ...daily, group: 'receipt' } as const
const payees = { ...daily, group: 'payees' } as const
const cards = { ...daily, group: 'cards' } as const
const rare = { ...daily, group: 'customerRare' } as const
const insight = { ...daily, group: 'insight' } as const
const orders = { ...daily, group: 'orders' } as const
const lists = { ...daily, group: 'lists' } as const
const members = { ...daily, group: 'members' } as const
const people = { group: 'people', roles: ['support-agent', 'admin'] } as const
const person = { ...people, group: 'person' } as const
const clearing = { ...people, group: 'clearing' } as const
const cash = { ...people, group: 'cash' } as const
const postings = { ...people, group: 'postings' } as const
const rail = { group: 'rail', roles: ['admin'] } as const
const ledger = { ...people, group: 'ledger' } as const
const operations = { ...people, group: 'operations' } as const
const trail = { ...people, group: 'trail' } as const
const watch = { ...people, group: 'watch' } as const
const programs = { ...people, group: 'programs' } as const
const webhooks = { ...people, group: 'webhooks' } as const
const admin = { roles: ['admin'] } as const

export const pages = {
  home: { path: '/portal/', group: 'customer' },
  forgot: { path: '/portal/forgot', ...open },
  reset: { path: '/portal/reset', ...open },
  factorReset: { path: '/portal/factor-reset', ...open },
  help: { path: '/portal/help', ...open },
  signedIn: { path: '/portal/signed-in', group: 'factors', roles: 'public' },
  security: { path: '/portal/security', group: 'factors' },
  preferences: { path: '/portal/preferences', ...own },
  profile: { path: '/portal/profile', ...own },
  emailProof: { path: '/portal/email', ...own, roles: ['customer'] },

  accountNew: { path: '/portal/accounts/new', ...rare },
  account: { path: '/portal/accounts/:accountId', ...account },
  entry: { path: '/portal/accounts/:accountId/entries/:transactionId', ...receipt },
  accountClose: { path: '/portal/accounts/:accountId/close', ...rare },
  charts: { path: '/portal/accounts/:accountId/charts', ...rare },
  insight: { path: '/portal/accounts/:accountId/insight', ...insight },
  transfer: { path: '/portal/transfer', ...pay },
  receipt: { path: '/portal/transfers/:transferId', ...receipt },
  orders: { path: '/portal/orders', ...orders },
  lists: { path: '/portal/lists', ...lists },
  signatures: { path: '/portal/signatures', ...members },
  sharedAccount: { path: '/portal/shared/:accountId', ...members },
  beneficiaries: { path: '/portal/beneficiaries', ...payees },
  beneficiaryNew: { path: '/portal/beneficiaries/new', ...payees },
  cards: { path: '/portal/cards', ...cards },
  cardPayments: { path: '/portal/cards/payments', ...cards },
  statements: { path: '/portal/statements', ...rare },

  search: { path: '/portal/staff', ...people },
  staffOrders: { path: '/portal/staff/orders', ...people },
  staffAccount: { path: '/portal/staff/accounts/:accountId', ...ledger },
  staffTransfer: { path: '/portal/staff/transfers/:transferId', ...cash },
  clearing: { path: '/portal/staff/clearing', ...clearing },
  deposit: { path: '/portal/staff/accounts/:accountId/deposit', ...cash, ...admin },
  withdrawal: { path: '/portal/staff/accounts/:accountId/withdrawal', ...cash, ...admin },
  staffPosting: { path: '/portal/staff/accounts/:accountId/posting', ...postings, ...admin },
  postings: { path: '/portal/staff/postings', ...postings, ...admin },
  bankAccountNew: { path: '/portal/staff/bank/new', ...rail },
  incoming: { path: '/portal/staff/incoming', ...rail },
  staffBank: { path: '/portal/staff/bank/:code/:currency', ...postings },
  users: { path: '/portal/staff/users', ...people },
  userNew: { path: '/portal/staff/users/new', ...people, ...admin },
  staffCustomer: { path: '/portal/staff/users/:userId', ...person },
  audit: { path: '/portal/staff/audit', ...trail, ...admin },
  approvals: { path: '/portal/staff/approvals', ...operations, ...admin },
  today: { path: '/portal/staff/today', ...watch },
  overdrawn: { path: '/portal/staff/overdrawn', ...watch },
  disputes: { path: '/portal/staff/disputes', ...watch },
  programs: { path: '/portal/staff/programs', ...programs },
  serviceAccountNew: { path: '/portal/staff/programs/new', ...programs, ...admin },
  webhooks: { path: '/portal/staff/programs/webhooks', ...webhooks },
  webhookNew: { path: '/portal/staff/programs/webhooks/new', ...webhooks, ...admin },
  staffWebhook: { path: '/portal/staff/programs/webhooks/:webhookId', ...webhooks },
  events: { path: '/portal/staff/programs/events', ...webhooks },
  staffServiceAccount: { path: '/portal/staff/programs/:serviceAccountId', ...programs },
} as const satisfies Record<string, Page>

export type PageName = keyof typeof pages
/** The parameters in a path, such as `accountId`. */
type ParametersIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never
export type Parameters<N extends PageName> = Record<ParametersIn<(typeof pages)[N]['path']>, string>

/** The home of staff is the search; a person who is a customer as well has that of customers. */
export const groupOf = (name: PageName, isForCustomer: boolean): Group =>
  name === 'home' && !isForCustomer ? 'people' : pages[name].group

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

/** The page of an approval, by the address of it that the API tells. */
export const approvalPage = (location: string | undefined): string =>
  `${to('approvals')}?request=${location?.split('/').at(-1) ?? ''}`

/** The page of a path and its parameters. Fixed paths come before those with parameters. */
export function findPage(
  path: string,
): { name: PageName; parameters: Record<string, string> } | undefined {
  for (const [name, page] of Object.entries(pages)) {
    const pattern = page.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')
    const found = new RegExp(`^${pattern}$`).exec(path)
    if (found) return { name: name as PageName, parameters: { ...found.groups } }
  }
  return undefined
}

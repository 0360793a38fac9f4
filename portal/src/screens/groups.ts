// The screens in a few files of the build. Customers' browsers do not load those of the staff, and
// what is not needed for daily use is loaded when it is first shown.
import type { PageName } from '../pages.ts'

export const groups = {
  customer: () => import('./customer/screens.ts'),
  customerRare: () => import('./customer/rare-screens.ts'),
  staff: () => import('./staff/screens.ts'),
  operations: () => import('./staff/operations.ts'),
}

/** The pages of the groups that are loaded later; all others are with the first screen. */
const later: Partial<Record<PageName, keyof typeof groups>> = {
  accountClose: 'customerRare',
  accountNew: 'customerRare',
  beneficiaries: 'customerRare',
  beneficiaryNew: 'customerRare',
  cards: 'customerRare',
  charts: 'customerRare',
  statements: 'customerRare',
  audit: 'operations',
  clearing: 'operations',
  deposit: 'operations',
  staffTransfer: 'operations',
  today: 'operations',
  userNew: 'operations',
  users: 'operations',
  withdrawal: 'operations',
}

export const loadGroup = (name: PageName, isForCustomers: boolean) =>
  groups[later[name] ?? (isForCustomers ? 'customer' : 'staff')]()

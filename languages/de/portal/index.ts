// The texts of the portal in German, in files by what screens need together.

export const files = {
  common: () => import('./common.ts'),
  own: () => import('./own.ts'),
  factors: () => import('./factors.ts'),
  accounts: () => import('./accounts.ts'),
  customer: () => import('./customer.ts'),
  customerRare: () => import('./customer-rare.ts'),
  orders: () => import('./orders.ts'),
  payees: () => import('./payees.ts'),
  people: () => import('./people.ts'),
  today: () => import('./today.ts'),
  ledger: () => import('./ledger.ts'),
  operations: () => import('./operations.ts'),
  programs: () => import('./programs.ts'),
  trial: () => import('./trial.ts'),
  audit: () => import('./audit.ts'),
}

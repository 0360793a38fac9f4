// The texts of the portal in files by what screens need together: the same files in each language.

export const files = {
  common: () => import('./common.ts'),
  signIn: () => import('./sign-in.ts'),
  movement: () => import('./movement.ts'),
  shortcuts: () => import('./shortcuts.ts'),
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
  postings: () => import('./postings.ts'),
  paymentState: () => import('./payment-state.ts'),
  audit: () => import('./audit.ts'),
}

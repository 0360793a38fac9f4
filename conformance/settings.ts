// What differs from server to server. The defaults are Strongroom's. `--settings file.json`
// replaces single values, and those of `defaults` are flags as well.

export const defaults = {
  /** Plain HTTP listener; without it `5.8-https` is left out. */
  httpUrl: '',
  /** Longest wait for one promise, in seconds. */
  waitMax: 90,
  /** Lifetimes in seconds; 0 leaves the clause about it out. */
  tokenTtl: 900,
  sessionIdle: 300,
  sessionMax: 43_200,
  loginFailures: 5,
  loginWindow: 60,
  resets: 3,
  pageMax: 100,
  bodyMax: 2_097_152,
  /** How many reads at once surely exceed the burst limit. */
  burstTries: 150,
  /** The limits of reads as `count/seconds`; without both `8.1-windows` is left out. */
  readBurst: '',
  readSustained: '',
}

export const routes = {
  login: '/api/v1/auth/login',
  logout: '/api/v1/auth/logout',
  refresh: '/api/v1/auth/refresh',
  reset: '/api/v1/auth/password-reset',
  users: '/api/v1/admin/users',
  session: '/api/v1/admin/sessions/{id}',
  accounts: '/accounts',
  account: '/accounts/{id}',
  details: '/api/v1/accounts/{id}/details',
  settings: '/api/v1/accounts/{id}/settings',
  transactions: '/accounts/{id}/transactions',
  addBeneficiary: '/api/v1/accounts/{id}/beneficiaries',
  nested: '/api/v1/accounts/{id}/beneficiaries/{beneficiaryId}',
  beneficiary: '/beneficiaries/{id}',
  addCard: '/api/v1/accounts/{id}/cards',
  card: '/cards/{id}',
  transfers: '/transfers',
  transfer: '/transfers/{id}',
  deposit: '/api/v1/admin/accounts/{id}/deposits',
  freeze: '/api/v1/admin/accounts/{id}/freeze',
}

/** Fields of answers, and bodies of requests that the specification leaves open. */
export const fields = {
  token: 'token',
  refreshToken: 'refreshToken',
  sessionId: 'sessionId',
  id: 'id',
  balance: 'balance',
  phone: 'registeredPhone',
  user: { givenName: 'Test', familyName: 'Person' },
  account: { currency: 'EUR' },
  beneficiary: { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' },
  money: { amount: '100.00', currency: 'EUR' },
  reason: 'Conformance',
}

export type Settings = typeof defaults & { routes: typeof routes; fields: typeof fields }

// Texts that are no amount (CWE-20), and every place where an amount is taken.
import type { Reply } from '../support/client.ts'
import type { Scene } from '../support/fixture.ts'

type Currency = 'EUR' | 'JPY' | 'KWD'

const nowhere: readonly unknown[] = [
  '+1',
  '-1',
  '-0',
  '1e2',
  '1E2',
  '1e-2',
  '01',
  '00',
  '00.10',
  '1.',
  '.5',
  '.',
  '',
  ' 1',
  '1 ',
  '1\n',
  '\u00a01',
  '1\u200b',
  '1 000',
  '1_000',
  '1,000',
  '1,5',
  '1.5.0',
  "1'000",
  '٥',
  '١٢',
  '１２',
  '१',
  '²',
  '½',
  '1٫5',
  '1．5',
  '−1',
  '0x10',
  '0b11',
  '0o7',
  '1n',
  'NaN',
  'Infinity',
  '$1',
  '1 EUR',
  '1.0001',
  '1000000000000000',
  '9'.repeat(40),
  '1'.repeat(5000),
]

const ofCurrencies: readonly (readonly [Currency, string])[] = [
  ['EUR', '0.001'],
  ['EUR', '1.500'],
  ['JPY', '10.5'],
  ['JPY', '10.0'],
  ['KWD', '0.0001'],
]

export const badAmounts: readonly (readonly [Currency, unknown])[] = [
  ...nowhere.map((text) => ['EUR', text] as const),
  ...ofCurrencies,
]

type At = { account: string; to: string; currency: Currency }
type Place = { path: string; ask(bank: Scene, at: At, amount: unknown): Promise<Reply> }

const cash = (verb: string): Place => ({
  path: '/body/amount',
  ask: ({ root }, { account, currency }, amount) =>
    root.post(`/api/v1/admin/accounts/${account}/${verb}`, { amount, currency, reason: 'Desk' }),
})

const setting = (name: string): Place => ({
  path: `/body/${name}`,
  ask: ({ root }, { account }, amount) =>
    root.patch(`/api/v1/accounts/${account}/settings`, { [name]: amount }),
})

const ownLimit = (name: 'perPayment' | 'perDay'): Place => ({
  path: `/body/${name}`,
  ask: ({ ada }, { account, currency }, amount) =>
    ada.put(`/api/v1/accounts/${account}/limits`, {
      currency,
      perPayment: null,
      perDay: null,
      [name]: amount,
    }),
})

const filter = (name: string): Place => ({
  path: `/query/${name}`,
  ask: ({ ada }, { account }, amount) => {
    const query = new URLSearchParams({ [name]: String(amount) }).toString()
    return ada.get(`/api/v1/accounts/${account}/transactions?${query}`)
  },
})

export const amountPlaces: readonly Place[] = [
  {
    path: '/body/amount',
    ask: ({ ada }, { account, to, currency }, amount) =>
      ada.post('/api/v1/transfers', { fromAccountId: account, toAccountId: to, amount, currency }),
  },
  cash('deposits'),
  cash('withdrawals'),
  setting('dailyTransferLimit'),
  setting('overdraftLimit'),
  ownLimit('perPayment'),
  ownLimit('perDay'),
  filter('minAmount'),
  filter('maxAmount'),
]

// What a clearing is refused for, what no account stops, and how far a capture goes above its hold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerAccount } from '../../../test/support/ledger-account.ts'
import type { Code } from '../../domain/errors.ts'
import { type Account, decide, type Facts } from './decide.ts'
import {
  asExpired,
  captureHold,
  type CountedHold,
  freeOf,
  maxBalance,
  withUnarranged,
} from './holds.ts'
import type { MovementOf } from './movement.ts'

const now = Date.UTC(2026, 0, 2, 9)
const account = ledgerAccount({
  held: 60n,
  heldUntil: new Date(now + 1),
  activeHolds: 1,
  dailyTransferLimit: 0n,
  ownPerPayment: 0n,
  ownPerDay: 0n,
})
const bank = { ...account, ownerId: null, held: 0n, heldUntil: null, activeHolds: 0, balance: 0n }
const clearingAccount = { ...bank, id: 'c', kind: 'clearing' } as const
const suspense = { ...bank, id: 's', kind: 'suspense' } as const
const hold: CountedHold = {
  id: 'h',
  accountId: 'a',
  cardId: 'card',
  kind: 'authorization',
  currency: 'EUR',
  reference: '',
  callerId: 'rail',
  createdAt: new Date(now - 1),
  amount: 80n,
  captured: 20n,
  remaining: 60n,
  status: 'active',
  expiresAt: new Date(now + 1),
  endedAt: null,
  counted: 80n,
  countedOn: '2026-01-02',
}
const payment = { refunded: 0n, chargedBack: 0n, wonIds: [], tolerance: 0 }
const caller = {
  userId: 'rail',
  sessionId: 'k',
  kid: null,
  role: 'admin',
  operation: 'clearCardPayment',
} as const
const common = {
  fromAccountId: 'a',
  toAccountId: 'c',
  amount: 61n,
  currency: 'EUR',
  reference: '',
  caller,
} as const
const clearing: MovementOf<'clearing'> = {
  ...common,
  kind: 'clearing',
  suspenseId: 's',
  paymentId: 'h',
  counterparty: { name: 'Shop', iban: null },
  cleared: {
    cardId: 'card',
    channel: 'chip',
    merchantName: 'Shop',
    merchantCategory: '5411',
    merchantCountry: 'DE',
    mails: [],
  },
}
const { paymentId: _, ...unasked } = clearing
const facts: Facts = {
  from: account,
  to: clearingAccount,
  hold,
  payment,
  at: now,
  day: '2026-01-02',
}
const ended = { ...hold, status: 'released', remaining: 0n, endedAt: new Date(now) } as const
const block = new Date(now + 1)
const huge = maxBalance - 100n

type Case = [
  name: string,
  change: { movement?: Partial<MovementOf<'clearing'>>; isAlone?: true } & Partial<Facts>,
  refusal: Code | undefined,
]
/** In order of precedence, then what no account stops. */
const cases: Case[] = [
  ['of another program', { hold: { ...hold, callerId: 'other' } }, 'forbidden'],
  ['of no payment', { hold: undefined, payment: undefined }, 'not_found'],
  ['of a hold that is no card payment', { payment: undefined }, 'not_found'],
  ['of another card', { hold: { ...hold, cardId: 'card 2' } }, 'not_found'],
  ['for a customer', { to: { ...account, id: 'b' } }, 'not_found'],
  ['out of an account of the bank', { from: { ...bank, kind: 'fees', id: 'f' } }, 'not_found'],
  ['of a closed account', { from: { ...account, status: 'closed' } }, 'account_closed'],
  ['in another currency', { movement: { currency: 'USD' } }, 'currency_mismatch'],
  ['of nothing', { movement: { amount: 0n } }, 'invalid_request'],
  ['of less', { movement: { amount: -1n } }, 'invalid_request'],
  ['of more than a payment can hold', { movement: { amount: maxBalance } }, 'limit_exceeded'],
  [
    'that leaves more lacking than an account can',
    { isAlone: true, movement: { amount: maxBalance + 41n } },
    'limit_exceeded',
  ],
  ['at the most that may be lacking', { isAlone: true, movement: { amount: huge } }, undefined],
  ['above its authorisation, and above what there is', {}, undefined],
  ['without an authorisation', { isAlone: true }, undefined],
  ['after a release', { hold: ended }, undefined],
  ['of a frozen account', { from: { ...account, status: 'frozen' } }, undefined],
  [
    'of a blocked account',
    { from: { ...account, debitsBlockedUntil: block, creditsBlockedUntil: block } },
    undefined,
  ],
  ['of an overdrawn account', { from: { ...account, balance: -500n } }, undefined],
  ['out of suspense', { from: suspense, hold: ended }, undefined],
]

test('a clearing is refused for what it names, and for nothing that its account says', () => {
  for (const [name, { movement, isAlone, ...more }, refusal] of cases) {
    const asked = { ...(isAlone ? unasked : clearing), ...movement }
    const about = isAlone ? { hold: undefined, payment: undefined } : {}
    assert.equal(decide(asked, { ...facts, ...about, ...more }), refusal, name)
  }
})

test('a capture goes above its hold by the tolerance of the authorisation and by what is available, to the cent', () => {
  const capture = (amount: bigint): MovementOf<'card'> => ({
    ...common,
    kind: 'card',
    amount,
    hold: { step: 'capture', id: 'h', isFinal: false },
  })
  const refusal = (amount: bigint, tolerance: number, from: Partial<Account> = {}) =>
    decide(capture(amount), {
      ...facts,
      from: { ...account, ...from },
      payment: { refunded: 0n, chargedBack: 0n, wonIds: [], tolerance },
    })
  assert.equal(refusal(60n, 0), undefined)
  assert.equal(refusal(61n, 0), 'limit_exceeded')
  // A fifth of 80 are 16; 29 % are 23.2.
  assert.deepEqual([refusal(76n, 20), refusal(77n, 20)], [undefined, 'limit_exceeded'])
  assert.deepEqual([refusal(83n, 29), refusal(84n, 29)], [undefined, 'limit_exceeded'])
  const poor = { balance: 69n }
  assert.deepEqual(
    [refusal(69n, 20, poor), refusal(70n, 20, poor)],
    [undefined, 'insufficient_funds'],
  )
  // What was reserved is taken of an account that lacks money, and no more.
  const lacking = { balance: 30n }
  assert.deepEqual(
    [refusal(60n, 20, lacking), refusal(61n, 20, lacking)],
    [undefined, 'insufficient_funds'],
  )
})

test('what is taken comes out of the hold first, and what is lacking then is exact', () => {
  const take = (amount: bigint, of: CountedHold = hold, balance = 100n) => {
    const booked = { ...account, balance: balance - amount }
    return captureHold({ hold: of, from: booked }, { isFinal: false, amount }, now)
  }
  const part = take(59n)
  assert.deepEqual([part.unheld, part.hold.remaining, part.from.held], [0n, 1n, 1n])
  const whole = take(60n)
  assert.deepEqual([whole.unheld, whole.hold.status, whole.from.held], [0n, 'captured', 0n])
  const above = take(100n)
  assert.deepEqual([above.unheld, above.hold.captured, freeOf(above.from)], [40n, 120n, 0n])
  assert.equal(withUnarranged(above.from, new Date(now)).unarranged, undefined)
  const beyond = take(101n)
  const { unarranged } = withUnarranged(beyond.from, new Date(now))
  assert.deepEqual(unarranged, { amount: 1n, since: new Date(now) })
  const late = take(10n, ended)
  const { status, captured, endedAt } = late.hold
  assert.deepEqual([late.unheld, status, captured, endedAt], [10n, 'released', 30n, ended.endedAt])
  assert.equal(late.from.held, 60n, 'of other holds')
})

test('a hold whose time is over is as its expiry has left it, from that millisecond on', () => {
  assert.equal(asExpired(hold, now), hold)
  assert.deepEqual(asExpired(hold, now + 1), {
    ...hold,
    status: 'expired',
    remaining: 0n,
    endedAt: hold.expiresAt,
    counted: 20n,
  })
  assert.equal(asExpired(ended, now + 1), ended)
})

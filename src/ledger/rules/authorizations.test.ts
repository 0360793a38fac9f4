// Why a card does not pay, each reason alone and before all later ones, and what counts to its day.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codes } from '../../domain/errors.ts'
import {
  type Card,
  type CardRequest,
  channels,
  countInCard,
  declineCard,
  type DeclineReason,
  declineReasons,
  sealedTerms,
  toDecline,
} from './authorizations.ts'
import { type CountedHold, maxBalance } from './holds.ts'

const at = Date.UTC(2026, 0, 31, 9)
const day = '2026-01-31'
const card: Card = {
  id: 'card',
  accountId: 'a',
  status: 'active',
  expiryMonth: 1,
  expiryYear: 2026,
  perPaymentLimit: 100n,
  perDayLimit: 150n,
  paysOnline: true,
  paysAbroad: true,
  paysContactless: true,
  paysCash: true,
  spentOn: day,
  spentAmount: 50n,
}
const account = {
  currency: 'EUR',
  status: 'active',
  debitsBlockedUntil: null,
  creditsBlockedUntil: null,
}
const request = { cardId: 'card', channel: 'chip', isAbroad: false } as CardRequest
const facts = { request, amount: 100n, total: 100n, currency: 'EUR', account, at, day }

type Change = { card?: Partial<Card>; account?: Partial<typeof account> | object } & Partial<
  Omit<typeof facts, 'account'>
>
const judge = (changes: readonly Change[], refusal?: 'insufficient_funds') => {
  // The first value of a property stands.
  const all = changes.toReversed()
  const changed: Partial<typeof facts> = Object.assign({}, ...all) as object
  const cards = Object.assign({}, card, ...all.map((each) => each.card)) as Card
  const accounts = Object.assign({}, account, ...all.map((each) => each.account)) as typeof account
  return declineCard(cards, { ...facts, ...changed, account: accounts }, refusal)
}

/** What makes an ordinary payment fail, the first check first. */
const reasons: Record<DeclineReason, Change> = {
  card_cancelled: { card: { status: 'cancelled' } },
  card_frozen: { card: { status: 'frozen' } },
  card_expired: { card: { expiryMonth: 12, expiryYear: 2025 } },
  account_frozen: { account: { status: 'frozen' } },
  debits_blocked: { account: { debitsBlockedUntil: new Date(at + 1) } },
  currency_mismatch: { currency: 'USD' },
  channel_off: { request: { ...request, isAbroad: true }, card: { paysAbroad: false } },
  per_payment_limit: { total: 101n },
  per_day_limit: { card: { spentAmount: 51n } },
  insufficient_funds: {},
}

test('a card is declined for each reason, in the order of the list', () => {
  assert.deepEqual(Object.keys(reasons), [...declineReasons])
  assert.equal(judge([]), undefined)
  assert.equal(judge([], 'insufficient_funds'), 'insufficient_funds')
  declineReasons.forEach((reason, index) => {
    const rest = declineReasons.slice(index).map((each) => reasons[each])
    assert.equal(judge(rest, 'insufficient_funds'), reason)
    if (reason !== 'insufficient_funds') assert.equal(judge(rest.slice(0, 1)), reason)
  })
})

test('a card is valid to the end of its month', () => {
  const cases: [month: number, year: number, isValid: boolean][] = [
    [1, 2026, true],
    [12, 2025, false],
    [2, 2026, true],
    [12, 2026, true],
    [10, 2025, false],
    [1, 2027, true],
  ]
  for (const [expiryMonth, expiryYear, isValid] of cases) {
    const declined = judge([{ card: { expiryMonth, expiryYear } }])
    assert.equal(declined, isValid ? undefined : 'card_expired', `${expiryMonth}/${expiryYear}`)
  }
  const next = { day: '2026-02-01' }
  assert.equal(judge([next]), 'card_expired')
})

test('each way to pay has its own switch, and one for other countries stands before all', () => {
  const switches = {
    online: 'paysOnline',
    contactless: 'paysContactless',
    chip: undefined,
    cash: 'paysCash',
  } as const
  const off = { paysOnline: false, paysContactless: false, paysCash: false, paysAbroad: false }
  for (const channel of channels) {
    const own = switches[channel]
    for (const isAbroad of [false, true]) {
      const asked = { request: { ...request, channel, isAbroad } }
      const alone = own === undefined ? {} : { [own]: true }
      const here = { card: { ...off, ...alone, paysAbroad: isAbroad } }
      assert.equal(judge([{ ...asked, ...here }]), undefined, channel)
      const others = own === undefined ? {} : { [own]: false }
      const isOff = { card: { ...others } }
      const declined = own === undefined ? undefined : 'channel_off'
      assert.equal(judge([{ ...asked, ...isOff }]), declined, channel)
      const atHome = { card: { paysAbroad: false } }
      assert.equal(judge([{ ...asked, ...atHome }]), isAbroad ? 'channel_off' : undefined, channel)
    }
  }
})

test('the limits of a card hold to the cent: of a payment as a whole, and of its day with what it adds', () => {
  const unlimited = { perPaymentLimit: null, perDayLimit: null }
  assert.equal(judge([{ amount: 100n, total: 100n }]), undefined)
  // A raise adds to the day what it adds, and to the payment all of it.
  assert.equal(judge([{ amount: 1n, total: 101n }]), 'per_payment_limit')
  assert.equal(judge([{ amount: 101n, total: 100n }]), 'per_day_limit')
  assert.equal(judge([{ amount: 101n, total: 101n, card: unlimited }]), undefined)
  // Of another day nothing was spent.
  assert.equal(judge([{ card: { spentOn: '2026-01-30', spentAmount: 150n } }]), undefined)
  const full = { ...unlimited, spentAmount: maxBalance - 100n }
  assert.equal(judge([{ card: full }]), undefined)
  assert.equal(judge([{ card: { ...full, spentAmount: maxBalance - 99n } }]), 'per_day_limit')
  const wide = { perDayLimit: maxBalance + 100n, spentAmount: maxBalance - 99n }
  assert.equal(judge([{ card: wide }]), 'per_day_limit')
})

test('of all refusals those are declines that the list has', () => {
  for (const code of codes) {
    const declined = (declineReasons as readonly string[]).includes(code) ? code : undefined
    assert.equal(toDecline(code), declined, code)
  }
  assert.equal(toDecline(undefined), undefined)
})

const hold = (counted: bigint, countedOn: string | null, cardId: string | null = 'card') =>
  ({ cardId, counted, countedOn }) as CountedHold

test('the day of a card counts what a movement has changed of its payment', () => {
  const spending = (amount: bigint, of = day) => ({ cardId: 'card', day: of, amount })
  const left = (spentAmount: bigint, spentOn = day) => ({ ...card, spentOn, spentAmount })
  const cases: [
    what: string,
    before: CountedHold | undefined,
    after: CountedHold,
    known: Card | undefined,
    counted: ReturnType<typeof countInCard>,
  ][] = [
    ['placed', undefined, hold(30n, day), card, { spending: spending(30n), card: left(80n) }],
    ['raised', hold(30n, day), hold(40n, day), card, { spending: spending(10n), card: left(60n) }],
    [
      'lowered',
      hold(30n, day),
      hold(20n, day),
      card,
      { spending: spending(-10n), card: left(40n) },
    ],
    ['as before', hold(30n, day), hold(30n, day), card, {}],
    [
      'raised on another day',
      hold(30n, '2026-01-30'),
      hold(5n, day),
      card,
      { spending: spending(5n), card: left(55n) },
    ],
    [
      'on a later day than any before',
      undefined,
      hold(5n, '2026-02-01'),
      card,
      { spending: spending(5n, '2026-02-01'), card: left(5n, '2026-02-01') },
    ],
    [
      'for the first time',
      undefined,
      hold(5n, day),
      { ...card, spentOn: null, spentAmount: 0n },
      { spending: spending(5n), card: left(5n) },
    ],
    [
      'of an earlier day',
      undefined,
      hold(5n, '2026-01-30'),
      card,
      { spending: spending(5n, '2026-01-30') },
    ],
    [
      'of a card that was not read',
      undefined,
      hold(5n, day),
      undefined,
      { spending: spending(5n) },
    ],
    ['of no day', undefined, hold(5n, null), card, {}],
    ['of no card', undefined, hold(5n, day, null), card, {}],
  ]
  for (const [what, before, after, known, counted] of cases) {
    assert.deepEqual(countInCard(before, after, known), counted, what)
  }
})

test('an authorisation is sealed with each of its terms, and without a tolerance as before there were any', () => {
  const authorization = {
    id: 'id',
    cardId: 'card',
    accountId: 'a',
    paymentId: 'payment',
    amount: 5n,
    currency: 'EUR',
    channel: 'chip',
    reason: null,
    callerId: 'rail',
    createdAt: new Date(at),
    expiresAt: new Date(at + 1),
    tolerance: 0,
  } as const
  const sealed = ['card', 'a', 'payment', '5', 'EUR', 'chip', null, 'rail', at, at + 1]
  assert.deepEqual(sealedTerms(authorization), sealed)
  assert.deepEqual(sealedTerms({ ...authorization, tolerance: 20 }), [...sealed, 20])
  assert.equal(sealedTerms({ ...authorization, expiresAt: null }).at(-1), null)
})

// What comes back of a card payment, and what is taken back of that: each condition alone, and the
// sums to the cent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerAccount } from '../../../test/support/ledger-account.ts'
import type { Code } from '../../domain/errors.ts'
import { type Account, type CardMoney, decide, decideHold, type Facts } from './decide.ts'
import { type Hold, maxBalance } from './holds.ts'
import type { MoneyMovement, ReserveMovement } from './movement.ts'

const now = Date.UTC(2026, 0, 2, 9)
const account = ledgerAccount({ held: 60n, activeHolds: 1 })
const bank = { ...account, ownerId: null, held: 0n, activeHolds: 0, balance: 0n }
const clearing: Account = { ...bank, id: 'c', kind: 'clearing' }
const suspense: Account = { ...bank, id: 's', kind: 'suspense' }
const other: Account = { ...account, id: 'b' }
const hold: Hold = {
  id: 'h',
  accountId: 'a',
  cardId: 'card',
  kind: 'authorization',
  currency: 'EUR',
  reference: '',
  callerId: 'rail',
  createdAt: new Date(now - 1),
  amount: 100n,
  captured: 20n,
  remaining: 60n,
  status: 'active',
  expiresAt: new Date(now + 1),
  endedAt: null,
}
const ended: Hold = { ...hold, status: 'released', remaining: 0n }
const payment: CardMoney = { refunded: 5n, chargedBack: 7n, wonIds: ['won'], tolerance: 0 }
const ofRail = { userId: 'rail', sessionId: 'k', kid: null, role: 'admin', operation: 'o' } as const
const ofOther = { ...ofRail, userId: 'other' }
const day = '2026-01-02'

type Change = { movement?: object } & Partial<Facts>
type Case = [what: string, change: Change, refusal: Code | undefined]

const judge = (movement: object, facts: Omit<Facts, 'at' | 'day'>, change: Change) => {
  const { movement: more, ...others } = change
  const made = {
    fromAccountId: 'a',
    toAccountId: 'c',
    currency: 'EUR',
    reference: '',
    caller: ofRail,
    paymentId: 'h',
    ...movement,
    ...more,
  } as unknown as MoneyMovement
  return decide(made, { ...facts, at: now, day, ...others })
}

/** 20 were captured, 12 came back before. */
const backs: Case[] = [
  ['the rest', { movement: { amount: 8n } }, undefined],
  ['a cent more', { movement: { amount: 9n } }, 'limit_exceeded'],
  ['by another rail', { movement: { caller: ofOther } }, 'forbidden'],
  ['of no payment', { hold: undefined, payment: undefined }, 'not_found'],
  [
    'of no payment, by another rail',
    { movement: { caller: ofOther }, hold: undefined },
    'not_found',
  ],
  ['of a hold that is no card payment', { payment: undefined }, 'not_found'],
  ['out of cash', { from: { ...bank, id: 'cash', kind: 'cash' } }, 'not_found'],
  ['out of the account itself', { from: other }, 'not_found'],
  ['to another account', { to: other }, 'not_found'],
  ['to suspense that is not named', { to: suspense }, 'not_found'],
  ['to suspense', { to: suspense, movement: { suspenseId: 's' } }, undefined],
  [
    'to suspense out of cash',
    { to: suspense, from: { ...bank, id: 'cash', kind: 'cash' }, movement: { suspenseId: 's' } },
    'not_found',
  ],
  ['of a payment that was released', { hold: ended }, undefined],
  [
    'of nothing that was captured',
    {
      to: suspense,
      movement: { suspenseId: 's' },
      hold: undefined,
      payment: { ...payment, refunded: 0n, chargedBack: 0n },
    },
    'limit_exceeded',
  ],
]

test('a refund and a chargeback bring back at most what was captured and has not come back, to its own account', () => {
  for (const kind of ['refund', 'chargeback'] as const) {
    const movement = { kind, amount: 1n, toAccountId: 'a', fromAccountId: 'c' }
    const facts = { from: clearing, to: account, hold, payment }
    for (const [what, change, refusal] of backs) {
      assert.equal(judge(movement, facts, change), refusal, `${kind} ${what}`)
    }
  }
})

const original = {
  kind: 'chargeback',
  status: 'completed',
  reversedBy: null,
  callerId: 'rail',
  claimedBy: null,
  isErased: false,
  toAccountId: 'a',
} as const
const takebacks: Case[] = [
  ['of a chargeback', {}, undefined],
  ['by another rail', { movement: { caller: ofOther } }, 'forbidden'],
  ['of no payment, by another rail', { movement: { caller: ofOther }, hold: undefined }, undefined],
  ['for another than clearing', { to: { ...bank, id: 'fees', kind: 'fees' } }, 'not_found'],
  ['out of another account', { from: other }, 'not_found'],
  ['out of suspense that is not named', { from: suspense }, 'not_found'],
  ['out of suspense', { from: suspense, movement: { suspenseId: 's' } }, undefined],
  ['of no card payment', { payment: undefined }, 'not_found'],
  ['of a refund', { original: { ...original, kind: 'refund' } }, 'not_found'],
  ['of nothing', { original: undefined }, 'not_found'],
  [
    'of nothing, out of suspense',
    { original: undefined, from: suspense, movement: { suspenseId: 's' } },
    'not_found',
  ],
  ['of one that was won', { movement: { originalId: 'won' } }, 'illegal_transition'],
  ['a second time', { original: { ...original, reversedBy: 'x' } }, 'already_reversed'],
  ['that leaves money lacking', { movement: { amount: 1000n } }, undefined],
  [
    'that leaves as much lacking as an account can',
    { movement: { amount: maxBalance + 40n }, to: { ...clearing, balance: -100n } },
    undefined,
  ],
  [
    'that leaves more lacking',
    { movement: { amount: maxBalance + 41n }, to: { ...clearing, balance: -100n } },
    'limit_exceeded',
  ],
]

test('a chargeback is taken back from where its money lies, once, and not when it was won', () => {
  const movement = { kind: 'takeback', amount: 1n, originalId: 'open' }
  const facts = { from: account, to: clearing, hold, payment, original }
  for (const [what, change, refusal] of takebacks) {
    assert.equal(judge(movement, facts, change), refusal, what)
  }
})

test('a card payment is captured while its hold stands, above it by its tolerance alone', () => {
  const movement = { kind: 'card', amount: 60n, hold: { step: 'capture', id: 'h', isFinal: false } }
  const facts = { from: account, to: clearing, hold, payment }
  const cases: Case[] = [
    ['what remains', {}, undefined],
    ['more', { movement: { amount: 61n } }, 'limit_exceeded'],
    [
      'more, of a payment without a tolerance',
      { movement: { amount: 61n }, payment: undefined },
      'limit_exceeded',
    ],
    ['of a hold that has ended', { hold: ended }, 'illegal_transition'],
    [
      'of a hold in its last millisecond',
      { hold: { ...hold, expiresAt: new Date(now) } },
      'illegal_transition',
    ],
    ['of no hold', { hold: undefined }, 'not_found'],
  ]
  for (const [what, change, refusal] of cases) {
    assert.equal(judge(movement, facts, change), refusal, what)
  }
  // Another capture takes a hold that is no card payment.
  const plain = { ...movement, kind: 'capture' }
  assert.equal(judge(plain, facts, {}), 'illegal_transition')
  assert.equal(judge(plain, facts, { payment: undefined }), undefined)
})

test('a clearing takes what all captures of a payment may come to, to the cent', () => {
  const cleared = { cardId: 'card' }
  const movement = { kind: 'clearing', cleared }
  const facts = { from: account, to: clearing, hold, payment }
  const judgeAmount = (amount: bigint, change: Change = {}) =>
    judge({ ...movement, amount }, facts, change)
  assert.equal(judgeAmount(maxBalance - 20n), undefined)
  assert.equal(judgeAmount(maxBalance - 19n), 'limit_exceeded')
  const alone = { hold: undefined, payment: undefined, movement: { paymentId: undefined } }
  assert.equal(judgeAmount(maxBalance, alone), undefined)
  assert.equal(judgeAmount(maxBalance + 1n, alone), 'limit_exceeded')
})

const decidePlaced = (kind: Hold['kind'], status: string | undefined, amount = 1n) => {
  const terms = { step: 'place', kind, cardId: 'card', expiresAt: null } as const
  const movement = { kind: 'hold', amount, currency: 'EUR', caller: ofRail, hold: terms }
  const facts = { from: account, to: account, at: now, day }
  const card = status === undefined ? undefined : { status }
  return decideHold(movement as unknown as ReserveMovement, { ...facts, card })
}

test('a hold for a card that does not pay is refused, and no other one asks for the card', () => {
  const cases: [kind: Hold['kind'], status: string | undefined, refusal: Code | undefined][] = [
    ['authorization', 'active', undefined],
    ['authorization', undefined, undefined],
    ['authorization', 'cancelled', 'card_cancelled'],
    ['authorization', 'frozen', 'illegal_transition'],
    ['seizure', 'cancelled', undefined],
    ['dispute', 'frozen', undefined],
  ]
  for (const [kind, status, refusal] of cases) {
    assert.equal(decidePlaced(kind, status), refusal, `${kind} ${status}`)
  }
  // What the account lacks is told first.
  assert.equal(decidePlaced('authorization', 'cancelled', 41n), 'insufficient_funds')
})

test('the hold of a card payment is not raised by the route of other holds, and may be lowered there', () => {
  const decideChange = (amount: bigint | undefined, ofCard?: CardMoney) => {
    const terms = { step: 'change', id: 'h', ...(amount !== undefined && { amount }) }
    const movement = { kind: 'hold', amount: 0n, currency: 'EUR', caller: ofRail, hold: terms }
    const facts = { from: account, to: account, at: now, day, hold, payment: ofCard }
    return decideHold(movement as unknown as ReserveMovement, facts)
  }
  assert.equal(decideChange(101n, payment), 'illegal_transition')
  assert.equal(decideChange(101n), undefined)
  for (const amount of [100n, 99n, undefined])
    assert.equal(decideChange(amount, payment), undefined)
})

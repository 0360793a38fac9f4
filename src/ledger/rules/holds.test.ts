// What a movement makes of a hold and of its account: amounts, counts and ends, to the cent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerAccount } from '../../../test/support/ledger-account.ts'
import { dayMs } from '../../domain/clock.ts'
import {
  asExpired,
  asFirstAnswered,
  changeHold,
  type CountedHold,
  type HeldAccount,
  type Hold,
  type HoldKind,
  holdKinds,
  holdsMax,
  isLacking,
  isOver,
  maxBalance,
  noteChanged,
  placeHold,
  raiseHold,
  refuseChange,
  refusePlacing,
  releaseHold,
  spentOn,
  tellHoldTerms,
} from './holds.ts'

const now = Date.UTC(2026, 0, 2, 9)
const account: HeldAccount = ledgerAccount()
const placed = {
  id: 'h',
  cardId: null,
  kind: 'authorization',
  reference: '',
  callerId: 'rail',
  amount: 30n,
  expiresAt: undefined,
  countedOn: null,
} as const
const place = (more: Partial<Parameters<typeof placeHold>[1]> = {}, from = account) =>
  placeHold(from, { ...placed, ...more }, now)

test('a hold that names no end stands a week for a card, and until it ends otherwise for any other', () => {
  const ends: Record<HoldKind, Date | null> = {
    authorization: new Date(now + 7 * dayMs),
    seizure: null,
    dispute: null,
  }
  for (const kind of holdKinds) {
    const { hold, from } = place({ kind })
    assert.deepEqual([hold.expiresAt, from.heldUntil], [ends[kind], ends[kind]], kind)
    // A named end stands, and so does that there is none.
    for (const expiresAt of [null, new Date(now + 1)]) {
      assert.equal(place({ kind, expiresAt }).hold.expiresAt, expiresAt, kind)
    }
  }
})

test('a new hold is counted once in its account, and to the day of its card alone', () => {
  const { hold, from } = place({ expiresAt: null }, { ...account, held: 5n, activeHolds: 1 })
  assert.deepEqual(hold, {
    ...placed,
    accountId: 'a',
    currency: 'EUR',
    createdAt: new Date(now),
    captured: 0n,
    remaining: 30n,
    status: 'active',
    expiresAt: null,
    endedAt: null,
    counted: 0n,
  })
  assert.deepEqual([from.held, from.activeHolds], [35n, 2])
  assert.equal(place({ countedOn: '2026-01-02' }).hold.counted, 30n)
})

test('an account knows the first end of its holds, and none when nothing is held', () => {
  const [early, late] = [new Date(now + 1), new Date(now + 2)]
  const until = (expiresAt: Date | null, heldUntil: Date | null) =>
    place({ expiresAt }, { ...account, held: 5n, heldUntil, activeHolds: 1 }).from.heldUntil
  assert.deepEqual(until(early, late), early)
  assert.deepEqual(until(late, early), early)
  assert.deepEqual(until(early, null), early)
  assert.deepEqual(until(null, early), early)
  assert.equal(until(null, null), null)
  const alone = place({ expiresAt: early })
  const released = releaseHold(alone, now)
  assert.deepEqual([released.from.held, released.from.heldUntil], [0n, null])
  assert.equal(released.from.activeHolds, 0)
})

const card: CountedHold = {
  ...place({ cardId: 'card', countedOn: '2026-01-02', expiresAt: null }).hold,
  captured: 10n,
  remaining: 20n,
}
const holding: HeldAccount = { ...account, held: 20n, activeHolds: 1 }

test('a change keeps what was captured, counts once, and gives back to the day what it lowers', () => {
  const change = (terms: { amount?: bigint; expiresAt?: Date | null }) =>
    changeHold({ hold: card, from: holding }, terms)
  const raised = change({ amount: 31n })
  assert.deepEqual([raised.hold.remaining, raised.hold.counted, raised.from.held], [21n, 30n, 21n])
  const lowered = change({ amount: 29n })
  assert.deepEqual(
    [lowered.hold.remaining, lowered.hold.counted, lowered.from.held],
    [19n, 29n, 19n],
  )
  assert.deepEqual([raised.from.activeHolds, lowered.from.activeHolds], [1, 1])
  const until = new Date(now + 5)
  const prolonged = change({ expiresAt: until })
  assert.deepEqual([prolonged.hold.expiresAt, prolonged.hold.amount], [until, 30n])
  assert.deepEqual(prolonged.from, { ...holding, heldUntil: until })
})

test('what a card payment is raised by counts to the day of the raise', () => {
  const same = raiseHold({ hold: card, from: holding }, 7n, '2026-01-02')
  assert.deepEqual([same.hold.counted, same.hold.amount, same.from.held], [37n, 37n, 27n])
  const next = raiseHold({ hold: card, from: holding }, 7n, '2026-01-03')
  assert.deepEqual([next.hold.counted, next.hold.countedOn], [7n, '2026-01-03'])
})

test('a release gives back what remains, and leaves to the day what was captured', () => {
  const { hold, from } = releaseHold({ hold: card, from: holding }, now)
  assert.deepEqual([from.held, from.activeHolds], [0n, 0])
  assert.deepEqual(hold, {
    ...card,
    remaining: 0n,
    status: 'released',
    endedAt: new Date(now),
    counted: 10n,
  })
})

test('a hold is over when it ended, and from the millisecond of its end on', () => {
  const until = (time: number) => ({ ...card, expiresAt: new Date(time) })
  assert.deepEqual([isOver(until(now), now), isOver(until(now + 1), now)], [true, false])
  assert.equal(isOver(card, now), false)
  for (const status of ['captured', 'released', 'expired'] as const) {
    assert.equal(isOver({ ...card, status }, now), true, status)
  }
})

test('cards leave room for a court: the last hundred holds of an account are not theirs', () => {
  const asked = { amount: 1n, currency: 'EUR' } as const
  const wanted: Record<HoldKind, number> = { authorization: 1000, dispute: 1100, seizure: 1100 }
  assert.deepEqual(holdsMax, wanted)
  for (const kind of holdKinds) {
    const refusal = (activeHolds: number) =>
      refusePlacing(kind, asked, { ...account, activeHolds }, now)
    assert.equal(refusal(wanted[kind] - 1), undefined, kind)
    assert.equal(refusal(wanted[kind]), 'limit_exceeded', kind)
  }
  const poor = { ...account, balance: 0n, activeHolds: 2000 }
  assert.equal(refusePlacing('seizure', asked, poor, now), 'insufficient_funds')
})

test('a change is refused of no hold, of another account, and above what a balance can be', () => {
  const movement = { caller: { userId: 'rail' }, currency: 'EUR' } as const
  const rich = { ...holding, balance: maxBalance, overdraftLimit: maxBalance }
  const refusal = (hold: CountedHold | undefined, more: bigint, from: HeldAccount = holding) =>
    refuseChange(movement, { from, hold, at: now }, more)
  assert.equal(refusal(undefined, 0n), 'not_found')
  assert.equal(refusal({ ...card, accountId: 'b' }, 0n), 'not_found')
  assert.equal(refusal(card, maxBalance - 30n, rich), undefined)
  assert.equal(refusal(card, maxBalance - 29n, rich), 'limit_exceeded')
  assert.equal(refusal(card, -19n), undefined)
  assert.equal(refusal(card, -20n), 'limit_exceeded')
  // What gives back is not asked for money, nor for the currency.
  assert.equal(refusal(card, 0n, { ...holding, balance: 0n, currency: 'USD' }), undefined)
  assert.equal(refusal(card, 1n, { ...holding, balance: 20n }), 'insufficient_funds')
})

test('an account lacks money when less than nothing may leave it, and one of the bank never', () => {
  assert.equal(isLacking({ ...account, balance: -1n, overdraftLimit: 1n }), false)
  assert.equal(isLacking({ ...account, balance: 0n, held: 1n }), true)
  assert.equal(isLacking({ ...account, balance: -1n, kind: 'cash' }), false)
})

test('the trail tells what is held, and until when', () => {
  const terms = { kind: 'dispute', amount: 1200n, currency: 'EUR' } as const
  assert.equal(tellHoldTerms({ ...terms, expiresAt: null }), 'dispute of 12.00 EUR')
  assert.equal(
    tellHoldTerms({ ...terms, expiresAt: new Date(Date.UTC(2026, 2, 1)) }),
    'dispute of 12.00 EUR until 2026-03-01T00:00:00.000Z',
  )
})

test('a movement of a hold is answered again as it was first; of an older change without a note, as the hold is', () => {
  const [early, late] = [new Date(1000), new Date(2000)]
  const present = {
    id: 'hold',
    kind: 'seizure',
    amount: 500n,
    captured: 200n,
    remaining: 0n,
    status: 'released',
    expiresAt: late,
    createdAt: early,
    endedAt: late,
  } as unknown as Hold
  const active = { status: 'active', endedAt: null }
  const change = { step: 'change', id: 'hold' } as const
  const note = noteChanged({ ...present, amount: 700n, captured: 100n, expiresAt: early })
  const changed = { amount: 700n, captured: 100n, remaining: 600n, expiresAt: early }
  const again = (hold: Parameters<typeof asFirstAnswered>[0]['hold'], told: string | null) =>
    asFirstAnswered({ hold, amount: 300n }, present, told)
  assert.deepEqual(again(change, note), { ...present, ...changed, ...active })
  const open = noteChanged({ ...present, expiresAt: null })
  assert.equal(again(change, open).expiresAt, null)
  assert.deepEqual(again(change, null), present)
  const place = { step: 'place', kind: 'seizure', cardId: null, expiresAt: early } as const
  const placed = { amount: 300n, captured: 0n, remaining: 300n, expiresAt: early }
  for (const told of [null, note]) {
    assert.deepEqual(again(place, told), { ...present, ...placed, ...active })
    assert.deepEqual(again({ step: 'release', id: 'hold' }, told), present)
  }
})

test('what was spent counts to its own day alone', () => {
  const of = { spentOn: '2026-01-02', spentAmount: 5n }
  assert.equal(spentOn(of, '2026-01-02'), 5n)
  assert.equal(spentOn(of, '2026-01-03'), 0n)
  assert.equal(spentOn({ ...of, spentOn: null }, '2026-01-02'), 0n)
})

test('the smallest amount that is held has an end like any other', () => {
  const expiresAt = new Date(now + 1)
  assert.deepEqual(place({ amount: 1n, expiresAt }).from.heldUntil, expiresAt)
})

test('an expiry leaves to the day what was captured of what counts to it, and no more', () => {
  const until = { ...card, expiresAt: new Date(now) }
  const counts = (counted: bigint) => asExpired({ ...until, counted }, now).counted
  assert.deepEqual([counts(30n), counts(11n), counts(10n), counts(5n)], [10n, 10n, 10n, 5n])
})

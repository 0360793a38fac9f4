// Which of an owner's limits holds at a moment, and what a change of them stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeLimits,
  isHigher,
  limitsAt,
  lowerLimit,
  type StoredLimits,
  waitingLimits,
} from './own-limits.ts'

const at = Date.UTC(2026, 0, 2, 9)
/** An owner who raised a limit has twelve hours to undo it. */
const raised = new Date(at + 12 * 3_600_000)
const none = { nextPerPayment: null, nextPerDay: null, nextLimitsAt: null }
const stored: StoredLimits = { ownPerPayment: 100n, ownPerDay: 300n, ...none }
const waiting = (from: Date): StoredLimits => ({
  ...stored,
  nextPerPayment: 200n,
  nextPerDay: null,
  nextLimitsAt: from,
})

test('limits that wait hold from their millisecond on, and wait until then', () => {
  const own = { perPayment: 100n, perDay: 300n }
  const next = { perPayment: 200n, perDay: null }
  const cases: [stored: StoredLimits, now: object, then: object | undefined][] = [
    [stored, own, undefined],
    [waiting(new Date(at + 1)), own, { ...next, from: new Date(at + 1) }],
    [waiting(new Date(at)), next, undefined],
    [waiting(new Date(at - 1)), next, undefined],
  ]
  for (const [row, now, then] of cases) {
    assert.deepEqual(limitsAt(row, at), now)
    assert.deepEqual(waitingLimits(row, at), then)
  }
})

test('of two limits the lower one is found, and no limit is above each', () => {
  const cases: [one: bigint | null, other: bigint | null, lower: bigint | null, higher: boolean][] =
    [
      [null, null, null, false],
      [null, 5n, 5n, true],
      [5n, null, 5n, false],
      [4n, 5n, 4n, false],
      [5n, 5n, 5n, false],
      [6n, 5n, 5n, true],
      [0n, null, 0n, false],
      [null, 0n, 0n, true],
    ]
  for (const [one, other, lower, higher] of cases) {
    assert.equal(lowerLimit(one, other), lower, `${one} ${other}`)
    assert.equal(isHigher(one, other), higher, `${one} ${other}`)
  }
})

test('a lower limit holds at once, a higher one after its wait, and the same again waits no longer', () => {
  const soon = new Date(at + 1)
  const raise = (perPayment: bigint | null, perDay: bigint | null, from = raised) => ({
    nextPerPayment: perPayment,
    nextPerDay: perDay,
    nextLimitsAt: from,
  })
  const cases: [
    what: string,
    before: StoredLimits,
    wanted: [perPayment: bigint | null, perDay: bigint | null],
    after: Partial<StoredLimits>,
  ][] = [
    ['lower', stored, [99n, 299n], { ownPerPayment: 99n, ownPerDay: 299n, ...none }],
    ['the same', stored, [100n, 300n], none],
    ['one is higher', stored, [101n, 299n], { ownPerDay: 299n, ...raise(101n, 299n) }],
    ['the other is', stored, [99n, 301n], { ownPerPayment: 99n, ...raise(99n, 301n) }],
    ['none any more', stored, [null, null], raise(null, null)],
    ['the same waits', waiting(soon), [200n, null], raise(200n, null, soon)],
    ['another waits', waiting(soon), [201n, null], raise(201n, null)],
    ['another day waits', waiting(soon), [200n, 301n], raise(200n, 301n)],
    ['back to those that hold', waiting(soon), [100n, 300n], none],
    [
      'those that waited hold',
      waiting(new Date(at)),
      [201n, 300n],
      { ownPerPayment: 200n, ...raise(201n, 300n) },
    ],
  ]
  for (const [what, before, [perPayment, perDay], after] of cases) {
    const result = changeLimits(before, { perPayment, perDay }, at)
    assert.deepEqual(result, { ...stored, ...after }, what)
  }
  const free = { ...stored, ownPerPayment: null, ownPerDay: null }
  const first = changeLimits(free, { perPayment: 5n, perDay: null }, at)
  assert.deepEqual(first, { ...free, ownPerPayment: 5n, ...none })
})

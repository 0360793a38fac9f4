import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fakeClock } from '../clock.ts'
import { type Charge, type Decision, windowsInProcess, wholeSeconds } from './window.ts'

const charge = (quota: number, windowMs: number, key = 'k', window = 'w'): Charge => ({
  window,
  quota,
  windowMs,
  key,
})

function store() {
  const clock = fakeClock()
  const windows = windowsInProcess(() => clock.monotonic())
  const take = (...charges: Charge[]) => windows.take(charges) as Decision
  return { clock, windows, take }
}

test('admits the quota, refuses the next, and admits again when the oldest has left', () => {
  const { clock, take } = store()
  for (let turn = 0; turn < 5; turn++) assert.equal(take(charge(5, 1000)).waitMs, 0)
  assert.equal(take(charge(5, 1000)).waitMs, 1000)
  clock.advance(999)
  assert.equal(take(charge(5, 1000)).waitMs, 1)
  clock.advance(1)
  assert.equal(take(charge(5, 1000)).waitMs, 0)
})

test('a full window at its edge admits no second burst', () => {
  const { clock, take } = store()
  take(charge(5, 60_000))
  clock.advance(59_000)
  for (let turn = 0; turn < 4; turn++) assert.equal(take(charge(5, 60_000)).waitMs, 0)
  clock.advance(1100)
  assert.equal(take(charge(5, 60_000)).waitMs, 0, 'the one of a minute ago has left')
  assert.notEqual(take(charge(5, 60_000)).waitMs, 0, 'the four of a second ago have not')
})

test('a refused request is not counted, in any window', () => {
  const { clock, windows, take } = store()
  const short = charge(1, 1000, 'k', 'short')
  const long = charge(3, 60_000, 'k', 'long')
  take(short, long)
  for (let turn = 0; turn < 50; turn++) assert.notEqual(take(short, long).waitMs, 0)
  assert.equal((windows.peek([long]) as Decision).standings[0]?.remaining, 2)
  clock.advance(1000)
  assert.equal(take(short, long).waitMs, 0)
})

test('a Retry-After that was said holds until then though the window opened earlier', () => {
  const { clock, take } = store()
  take(charge(1, 1000))
  clock.advance(700)
  assert.equal(wholeSeconds(take(charge(1, 1000)).waitMs), 1)
  clock.advance(500)
  assert.notEqual(take(charge(1, 1000)).waitMs, 0, 'before the second that was promised is over')
  clock.advance(500)
  assert.equal(take(charge(1, 1000)).waitMs, 0, 'and hammering has not moved it')
})

test('what is given back frees its place at once', () => {
  const { take } = store()
  const first = take(charge(1, 60_000))
  void first.giveBack(['w'])
  assert.equal(take(charge(1, 60_000)).waitMs, 0)
})

test('a million keys that came once are forgotten, a live one never is', () => {
  const { clock, windows, take } = store()
  take(charge(1, 3_600_000, 'victim', 'slow'))
  for (let key = 0; key < 1_000_000; key++) {
    if (key % 100 === 0) clock.advance(10)
    take(charge(100, 1000, String(key), 'fast'))
  }
  assert.ok(windows.size() < 40_000, `${windows.size()} keys are kept`)
  assert.notEqual(take(charge(1, 3_600_000, 'victim', 'slow')).waitMs, 0)
})

test('for any arrivals: never more than N in a span, Retry-After true both ways, none refused but by rule or promise', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 100, max: 5000 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1000, max: 20_000 }),
      fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 120 }),
      (burst, burstMs, sustained, sustainedMs, gaps) => {
        const { clock, take } = store()
        const windows = [
          charge(burst, burstMs, 'k', 'burst'),
          charge(sustained, sustainedMs, 'k', 'sustained'),
        ]
        const admitted: number[] = []
        let promisedUntil = 0
        for (const gap of gaps) {
          clock.advance(gap)
          const now = clock.monotonic()
          const fits = windows.every(
            ({ quota, windowMs }) =>
              admitted.filter((time) => time > now - windowMs).length < quota,
          )
          const { waitMs } = take(...windows)
          if (waitMs === 0) {
            assert.ok(fits, 'admitted against the rule')
            assert.ok(now >= promisedUntil, 'admitted before the promise')
            admitted.push(now)
          } else {
            assert.ok(!fits || now < promisedUntil, 'refused though rule and promise admit')
            if (now >= promisedUntil) promisedUntil = now + wholeSeconds(waitMs) * 1000
            assert.ok(now + wholeSeconds(waitMs) * 1000 >= promisedUntil, 'told a wait too short')
          }
        }
      },
    ),
    { numRuns: 500 },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/random.ts'
import { rfc3339, systemClock } from './clock.ts'

test('a process that is paused while it reads the time does not run ahead afterwards', (t) => {
  let elapsed = 0
  let heldUp = 0
  const read = (start: number) => () => {
    const time = start + elapsed
    elapsed += heldUp
    return time
  }
  t.mock.method(Date, 'now', read(Date.UTC(2026, 0, 1)))
  t.mock.method(performance, 'now', read(12_345))
  const clock = systemClock()
  for (const ms of [0, 1000, 7, 60_000, 0]) {
    heldUp = ms
    clock.now()
    heldUp = 0
    assert.equal(clock.now(), Date.UTC(2026, 0, 1) + elapsed)
  }
})

test('a time is written as Date writes it, and what is none is refused', () => {
  const times = fc.oneof(fc.date({ noInvalidDate: true }), fc.constantFrom(...edges))
  fc.assert(
    fc.property(times, (time) => assert.equal(rfc3339(time.getTime()), time.toISOString())),
    { numRuns: 5000, seed: 7 },
  )
  assert.equal(rfc3339(1.5), new Date(1).toISOString())
  for (const none of [Number.NaN, Infinity, 9e15]) {
    assert.throws(() => rfc3339(none), RangeError)
  }
})

const edges = [
  '0000-01-01',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01',
  '2024-02-29T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
  '+010000-01-01T00:00Z',
  '-000001-12-31T00:00Z',
].map((text) => new Date(text))

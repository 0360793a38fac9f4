import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'

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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { Recent } from './recent.ts'

test('a key is known for its period, however many others are added, and not after it', () => {
  const clock = fakeClock()
  const recent = new Recent(60_000, clock.monotonic)
  recent.add('first')
  for (let key = 0; key < 50_000; key++) {
    if (key % 1000 === 0) clock.advance(1000)
    assert.equal(recent.has(`${key}`), false)
    recent.add(`${key}`)
  }
  assert.equal(recent.has('first'), true)
  clock.advance(9999)
  assert.equal(recent.has('first'), true)
  clock.advance(1)
  assert.equal(recent.has('first'), false)
  recent.add('first')
  clock.advance(59_999)
  assert.equal(recent.has('first'), true)
})

test('a quarter of a million keys over four minutes cost the same each, and one that repeats is still known', () => {
  const growth = (): number => {
    const clock = fakeClock()
    const recent = new Recent(60_000, clock.monotonic)
    const addMany = (from: number): number => {
      const startedAt = process.cpuUsage()
      for (let key = from; key < from + 60_000; key++) {
        if (key % 100 === 0) clock.advance(100)
        if (!recent.has('repeats')) recent.add('repeats')
        if (!recent.has(`2001:db8::${key}`)) recent.add(`2001:db8::${key}`)
      }
      return process.cpuUsage(startedAt).user
    }
    const [first = 0, ...later] = [0, 1, 2, 3].map((part) => addMany(part * 60_000))
    assert.ok(recent.has('repeats'))
    return Math.min(...later) / first
  }
  // Ten times and more where the oldest were looked for from the start of a map. The best of
  // three: garbage is collected in some parts, and in others not.
  const growths = [growth(), growth(), growth()]
  assert.ok(Math.min(...growths) < 5, growths.join(' '))
})

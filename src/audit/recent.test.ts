import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { Recent } from './recent.ts'

test('a key is known for its period, however many others are added, and dropped after it', () => {
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
  clock.advance(60_000)
  assert.equal(recent.has('another'), false)
  assert.equal(recent.size, 0)
})

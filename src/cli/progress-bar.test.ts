// The progress bar with a pace: how many a second, and the time that is left.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { drawBar } from './progress-bar.ts'

test('a bar tells the rate of what it counts and the time that is left, at most once a second', () => {
  const clock = fakeClock()
  const drawn: string[] = []
  const bar = drawBar((text) => drawn.push(text), 'is read', { unit: 'lines', clock })
  bar.draw(0, 4000, 0)
  clock.advance(2000)
  bar.draw(1000, 4000, 50)
  bar.draw(1001, 4000, 51)
  clock.advance(1000)
  bar.draw(1002, 4000, 60)
  bar.draw(4000, 4000, 200)
  bar.end()
  assert.deepEqual(
    drawn.map((text) => text.replace(/^\r[█░]{40} /, '').trimEnd()),
    [
      '0 % is read',
      '25 % is read, 25 lines/s, 6 s left',
      '25 % is read, 20 lines/s, 9 s left',
      '100 % is read, 67 lines/s, 0 s left',
      '',
    ],
  )
})

test('a bar without a pace is drawn when its percentage changes', () => {
  const drawn: string[] = []
  const bar = drawBar((text) => drawn.push(text), 'of all')
  for (const done of [0, 1, 2, 100, 101]) bar.draw(done, 200)
  assert.deepEqual(
    drawn.map((text) => text.slice(42)),
    ['0 % of all ', '1 % of all ', '50 % of all '],
  )
})

// Events of one batch in few rows of the feed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withRows } from './feed-rows.ts'

const rowsOf = (...told: [id: string, word: string][]) =>
  withRows(told.map(([id, word]) => ({ id, word }))).map(({ row }) => row)

test('events of one word share a row, as far as those of each thing keep their order', () => {
  assert.deepEqual(rowsOf(), [])
  assert.deepEqual(rowsOf(['a', 'new'], ['b', 'new'], ['a', 'gone'], ['b', 'gone']), [0, 0, 1, 1])
  const again = rowsOf(['a', 'up'], ['a', 'down'], ['a', 'up'], ['a', 'up'], ['b', 'up'])
  assert.deepEqual(again, [0, 1, 2, 2, 0])
  // What comes later of one thing may stand in a row that another thing has begun.
  assert.deepEqual(rowsOf(['a', 'down'], ['b', 'up'], ['b', 'down']), [0, 1, 2])
  assert.deepEqual(rowsOf(['a', 'up'], ['b', 'down'], ['a', 'down']), [0, 1, 1])
})

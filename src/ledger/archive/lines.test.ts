// The sum over the transfers of an archive.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSum, withoutState } from './lines.ts'

test('a sum over transfers is the same in any order, and when one is sent or settled meanwhile', () => {
  const sumOf = (...rows: Record<string, string | null>[]): bigint => {
    const sum = openSum()
    for (const row of rows) sum.add(withoutState(row))
    return sum.end()
  }
  const paid = { id: '1', amount: '5', status: 'pending', sent_seq: null, settled_seq: null }
  const other = { id: '2', amount: '6', status: 'completed', sent_seq: null, settled_seq: null }
  const sum = sumOf(paid, other)
  assert.equal(sumOf(other, paid), sum)
  assert.equal(sumOf({ ...paid, status: 'settled', sent_seq: '7', settled_seq: '8' }, other), sum)
  assert.notEqual(sumOf({ ...paid, amount: '6' }, other), sum)
  assert.notEqual(sumOf(paid, paid), sum)
  assert.notEqual(sumOf(paid, other, other), sum)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { payeeNames } from '../../test/support/payee-names.ts'
import { compareNames } from './payee-name.ts'

test('each pair of the table is judged by its rule, also the other way round', () => {
  assert.ok(payeeNames.length >= 200, `${payeeNames.length}`)
  const wrong = payeeNames.flatMap(({ rule, result, typed, holder, isOneWay }) => {
    const found = [compareNames(typed, holder), isOneWay ? result : compareNames(holder, typed)]
    return found.every((one) => one === result) ? [] : [{ rule, typed, holder, found }]
  })
  assert.deepEqual(wrong, [])
})

test('the longest names are compared in less than 10 ms', () => {
  const long = Array.from({ length: 35 }, (_, index) => String.fromCodePoint(97 + (index % 26)))
  const other = long.map((letter) => `${letter}xxxxx`)
  const timesMs = Array.from({ length: 20 }, () => {
    const begin = performance.now()
    compareNames(long.join(' '), other.join(' '))
    compareNames('ä'.repeat(70), 'ae'.repeat(70))
    return performance.now() - begin
  })
  // The best of them: the others are those of a busy machine.
  assert.ok(Math.min(...timesMs) < 10)
})

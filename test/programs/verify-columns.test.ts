// Each value of each table of money is changed, of each kind of row: the proof of the books notices
// it, or the list of what it does not notice has it, with the reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tryDamages } from '../support/damages.ts'
import { tablesOfMoney, unproved } from '../support/money-columns.ts'
import { wholeBank } from '../support/whole-bank.ts'

test('verify notices a change of each column of money, of each kind of row, but for those that are listed', async (t) => {
  const { address } = await wholeBank(t)
  const { unnoticed, untried } = await tryDamages(address, tablesOfMoney, 'kind')
  assert.deepEqual(untried, [])
  assert.deepEqual(unnoticed.toSorted(), unproved.toSorted())
})

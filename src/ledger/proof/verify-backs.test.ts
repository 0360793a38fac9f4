// What says that a transfer was brought back is proved in both directions.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bank, callers } from '../../../test/support/bank.ts'
import { newId } from '../../domain/ids.ts'

const books = await bank({ after })
const { ledger, account, clock, movement, sql } = books
const [from, to] = [await account(1000n), await account()]
const { transfer: paid } = await ledger.submit(movement(from, to, { amount: 5n }))
// The first flaw is named in the order of the identifiers, which are by time.
clock.advance(1)
const { transfer: other } = await ledger.submit(movement(from, to, { amount: 7n }))
clock.advance(1)
const { transfer: back } = await ledger.submit({
  kind: 'reversal',
  fromAccountId: to,
  toAccountId: from,
  amount: 5n,
  currency: 'EUR',
  reference: '',
  originalId: paid.id,
  caller: callers.root,
})

const lost = newId(1)
const changes: Record<string, [text: string, values: unknown[], named: string]> = {
  'that one came back is gone': [
    'delete from brought_back where transfer_id = $1',
    [paid.id],
    `Transfer ${back.id}: what it brings back does not name it`,
  ],
  'one is said to have come back by another one': [
    'update brought_back set by_transfer_id = $2 where transfer_id = $1',
    [paid.id, other.id],
    `Transfer ${paid.id}: its status is wrong`,
  ],
  'one is said to have come back, and has not': [
    'insert into brought_back values ($1, $1)',
    [other.id],
    `Transfer ${other.id}: its status is wrong`,
  ],
  'one is said to have come back, and was never there': [
    'insert into brought_back values ($1, $1)',
    [lost],
    `Transfer ${lost} is said to be brought back, and is not`,
  ],
}

for (const [what, [text, values, named]] of Object.entries(changes)) {
  test(`a change with all rights over the database is named: ${what}`, async () => {
    const mismatch = await books.mismatchAfter(async () => {
      await sql('set local session_replication_role = replica')
      await sql(text, values)
    })
    assert.equal(mismatch, named)
  })
}

// Statements of an account with marks: entries without an amount, which say how far a payment is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv } from '../../../test/support/statement-files.ts'
import { scene } from '../../../test/support/fixture.ts'

/** More than a page of JSON, and more than two of a file, with the marks between them. */
const paymentCount = 1_200

test('a statement has each entry once, in JSON and in files, however many marks lie between', async (t) => {
  const { root, sql } = await scene(t)
  // Each payment is sent at once, and settled after the next one; the last hundred rows are marks.
  await sql('set session_replication_role = replica')
  await sql(
    `with clearing as (select id from accounts where kind = 'clearing' and currency = 'EUR'),
     numbered as (
       select row_number() over (order by at, kind) as seq, kind,
         (kind = 'transfer')::int as amount
       from generate_series(1, $1::int) i, lateral (values
         (i * 10, 'transfer'), (i * 10 + 1, 'sending'), (greatest(i * 10 + 15, 11000), 'settlement')
       ) as of (at, kind)),
     added as (
       insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
         kind, reference)
       select clearing.id, gen_random_uuid(), seq, amount, sum(amount) over (order by seq),
         '2026-01-02T08:00:00Z', sha256(''), kind, case kind when 'settlement' then null else '' end
       from clearing, numbered returning seq)
     update accounts a set balance = $1::int, last_seq = (select count(*) from added)
     from clearing where a.id = clearing.id`,
    [paymentCount],
  )
  await sql('reset session_replication_role')
  const path = '/api/v1/admin/bank-accounts/clearing/EUR/statement?from=2026-01-01&to=2026-01-31'
  const sizes: number[] = []
  const ids = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null && sizes.length < 5;) {
    const { body, status, text } = await root.get(`${path}${cursor && `&cursor=${cursor}`}`)
    assert.equal(status, 200, text)
    assert.deepEqual([body.openingBalance, body.closingBalance], ['0.00', '12.00'])
    sizes.push(body.entries.length)
    for (const { id, amount } of body.entries) {
      assert.equal(amount, '0.01')
      ids.add(id)
    }
    cursor = body.nextCursor
  }
  assert.deepEqual([sizes, ids.size], [[1000, 200], paymentCount])
  const csv = await root.get(`${path}&format=csv`)
  const rows = readCsv(csv.bytes).map((row) => row['transaction_id'])
  assert.deepEqual(rows, [...ids])
  const camt = await root.get(`${path}&format=camt053`)
  assert.equal(camt.text.match(/<Ntry>/g)?.length, paymentCount)
  assert.match(camt.text, /<TtlNtries><NbOfNtries>1200</)
})

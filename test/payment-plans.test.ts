// The plans of looks for payments on a large bank: one descent of an index for each list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { genericPlans } from '../src/database/connections/generic-plans.ts'
import { firstId, lastId } from '../src/domain/ids.ts'
import { readRefusedOrders } from '../src/features/overview/work-sql.ts'
import { paymentRoutes } from '../src/features/payments/routes.ts'
import { olderThan } from '../src/features/payments/index-sql.ts'
import type { Statement } from '../src/database/statements/statement.ts'
import { bank } from './support/bank.ts'
import { addHistory, find, readWhole, rowsRead, sum, type Value } from './support/plans.ts'

test('a look for payments reads a page of each list, whatever it is by', async (t) => {
  const fixture = await bank(t)
  const { db, sql } = fixture
  assert.equal(paymentRoutes.length, 2)
  const [id = ''] = await addHistory(fixture, 1, 20_000)
  const [{ ownerId } = {}] = await sql('select owner_id as "ownerId" from accounts where id = $1', [
    id,
  ])
  await sql(`insert into payment_terms (term, id)
     select n % 3, id from transfers, generate_series(0, 2) as n`)
  await sql(
    `insert into refused_payments (id, account_id, reason, amount, currency, created_at)
     select gen_random_uuid(), $1, 'forbidden', 100,
       'EUR', now()
     from generate_series(1, 20000)`,
    [id],
  )
  assert.equal((await olderThan(db, lastId, 5)).length, 5)
  await sql('analyze payment_terms, refused_payments')
  // As on the connections for reads.
  for (const setting of genericPlans) await sql(`set ${setting.replace('-c ', '')}`)
  const page = [null, 21] as const
  const lists: [Statement, Value[]][] = [
    [find('payments_find_by_term'), ['1', ...page]],
    [find('payments_find_by_number'), ['X7', ...page]],
    [find('payments_read_refused'), [[id]]],
    [find('payments_find_by_amount'), ['1', ...page, '100', 'EUR', firstId, lastId]],
    [find('payments_find_by_account'), [id, ...page, '1']],
    [find('payments_find_account'), ['XX007']],
    [find('payments_list_refused'), [id, ...page]],
    [find('payments_find_refused_of_user'), [String(ownerId), ...page]],
    [find('payments_list_older'), [lastId, 21]],
    [readRefusedOrders, [firstId, '100']],
  ]
  for (const [list, values] of lists) {
    const read = await rowsRead(fixture, list, values)
    assert.ok(sum(read) <= 150, `${list.name} ${JSON.stringify(read)}`)
    const plan = await sql(`explain (generic_plan, format json) ${list.text}`)
    assert.deepEqual(readWhole(plan), [], list.name)
  }
  const two = await rowsRead(fixture, find('payments_find_by_words'), ['1', null, 200, ['2']])
  assert.ok(sum(two) <= 2000, JSON.stringify(two))
})

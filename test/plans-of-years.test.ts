// The plans of lists of transfers on a bank of many years, whose parts are one a year.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { genericPlans } from '../src/database/connections/generic-plans.ts'
import { firstId, lastId } from '../src/domain/ids.ts'
import { outgoingRoutes } from '../src/features/rail/outgoing.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import { bank } from './support/bank.ts'
import { addHistory, blocksRead, find, rowsRead, sum } from './support/plans.ts'
import { makingYears, withoutThisYear } from './support/years.ts'

test('lists of transfers of many years read one row more of each year, and no other year for a page', async (t) => {
  const fixture = await bank(t)
  const { sql } = fixture
  await sql(withoutThisYear('transfers'))
  await sql(makingYears(`now() + interval '9 years'`))
  const [account = ''] = await addHistory(fixture, 1, 20)
  // A thousand in each of five years, of which each fiftieth is pending.
  await sql('set session_replication_role = replica')
  await sql(
    `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
       created_at, caller_id, session_id, kind, status, currency, reference, counterparty_iban,
       salt, settled_seq)
     select (left(least_id_at(at)::text, 13) || right(gen_random_uuid()::text, 23))::uuid, $1, $2,
       n, n, 1, at, $1, $1, 'transfer', case when n % 50 = 0 then 'pending' else 'completed' end,
       'EUR', '', 'X', '\\x00000000000000000000000000000000', case when n % 50 <> 0 then n end
     from generate_series(1, 5000) n, lateral (
       select date_trunc('year', now(), 'UTC') + (n - 1001) * interval '8 hours' as at
     ) made`,
    [account, bankAccount('clearing', 'EUR')],
  )
  await sql('set session_replication_role = origin')
  await sql('vacuum analyze transfers')
  const parts = await sql('select tableoid, count(*) from transfers group by 1')
  assert.ok(parts.length >= 5, `${parts.length} parts`)
  const page = [lastId, 21] as const
  assert.ok(outgoingRoutes.length > 0, 'their statements are loaded')
  const readPages = [
    ['ledger_list_transfers', page, 21 * 3, 66],
    ['ledger_list_transfers_from', [[account], ...page], 1 + 21 * 5, 70],
    ['ledger_list_pending_transfers', page, 21 * 3, 88],
    ['rail_find_transfers', [firstId, ...page], 21 * 3, 66],
    ['rail_find_transfers_by_status', [firstId, ...page, 'pending'], 21 * 3, 88],
  ] as const
  for (const [name, values, rowsMax, blocksMax] of readPages) {
    const read = await rowsRead(fixture, find(name), values)
    assert.ok(!('Seq Scan' in read), `${name} ${JSON.stringify(read)}`)
    // Of an ordered list of parts the next row of each is read, twice at most.
    assert.ok(sum(read) <= rowsMax + 2 * 7, `${name} ${JSON.stringify(read)}`)
    // A year behind the end of the page is not looked into.
    const { isMerged, blocks } = await blocksRead(fixture, find(name), values)
    assert.ok(!isMerged && blocks <= blocksMax, `${name} ${isMerged} ${blocks}`)
  }
  // The one of a key is looked for in its year alone, as the row of an entry is.
  const [row] = await sql(`select id from transfers where status = 'pending' order by id limit 1`)
  const steps = `explain (analyze, costs off, timing off, summary off) select from unnest($1::uuid[])
    as e (id) join transfers t on t.id = e.id`
  for (const setting of genericPlans) await sql(`set ${setting.replace('-c ', '')}`)
  const plan = await sql(steps, [[row?.['id']]])
  const lines = plan.map((line) => String(line['QUERY PLAN']))
  assert.equal(
    lines.filter((line) => /transfers_\w+ .*loops=1/.test(line)).length,
    1,
    lines.join('\n'),
  )
})

// Tables of a bank that become parts of years, with all that the bank has made over them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { halfMigrated } from '../../../test/support/half-migrated.ts'
import { addingRows, tables } from '../../../test/support/years.ts'
import { migrate } from './migrate.ts'

test('the transfers of a bank become the first of their parts as they are, and what came back is known', async (t) => {
  const { address, sql } = await halfMigrated(t, '0171_brought_back_filled')
  const id = (n: number): string => `01981f7e-4c00-7000-8000-00000000000${n}`
  const add = (n: number, back?: number, made = id(n)) =>
    sql(
      `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
         created_at, caller_id, session_id, kind, status, currency, reference, salt, reversal_of)
       values ($1, $2, $3, 1, 1, 5, now(), $2, $2, $4, 'completed', 'EUR', '', uuid_send($1), $5)`,
      [made, id(8), id(9), back ? 'reversal' : 'deposit', back ? id(back) : null],
    )
  const file = async (table: string) =>
    (await sql(`select pg_relation_filenode('${table}') as at`))[0]?.['at']
  for (const n of [1, 2, 3]) await add(n)
  // As the bank has it from before the trigger, and as an instance beside the migration adds it.
  await sql('set session_replication_role = replica')
  await add(4, 1)
  await sql('set session_replication_role = origin')
  await add(5, 2)
  const stored = await file('transfers')
  // Roles that every cluster has, in the place of the bank's own.
  await sql('grant select on transfers to pg_monitor')
  await sql('grant select on audit_events_first to public')
  // What it has made for its reports.
  await sql('grant select (amount) on transfers to pg_read_all_stats with grant option')
  await sql(`create view public.payments with (security_barrier = true) as
    select transfers.id from transfers join audit_events_first a on a.id = transfers.id;
    create view public.amounts as select id, amount from transfers;
    create materialized view public.counts as select count(*) from transfers`)
  await sql(`create view public.parts as
    select count(*) from transfers where tableoid::regclass::text <> 'transfers_first';
    create function public.total() returns numeric begin atomic
      select sum(amount) from transfers; end`)
  const said: string[] = []
  await migrate(address, { say: (text) => void said.push(text) })
  const anew = 'reads the first part of a table of years alone: make it anew'
  assert.deepEqual(said.toSorted(), [
    `public.counts ${anew} ("counts" is not a view)\n`,
    `public.parts ${anew} (it has the name in a text)\n`,
    `public.total() ${anew}\n`,
  ])
  const readsOf = async (view: string) =>
    (
      await sql(
        `select distinct d.refobjid::regclass::text as whole
         from pg_rewrite r join pg_depend d on d.objid = r.oid and d.deptype = 'n'
         where r.ev_class = $1::regclass and d.refclassid = 'pg_class'::regclass order by 1`,
        [view],
      )
    ).map(({ whole }) => whole)
  assert.deepEqual(await readsOf('public.payments'), ['audit_events', 'transfers'])
  assert.deepEqual(await readsOf('public.amounts'), ['transfers'])
  // It is not replaced by a statement: the bank does.
  assert.deepEqual(await readsOf('public.counts'), ['transfers_first'])
  assert.deepEqual(
    await sql(`select reloptions from pg_class where oid = 'public.payments'::regclass`),
    [{ reloptions: ['security_barrier=true'] }],
  )
  const [columns] = await sql(
    `select has_column_privilege('pg_read_all_stats', 'transfers', 'amount',
         'select with grant option') as amount,
       has_column_privilege('pg_read_all_stats', 'transfers', 'reference', 'select') as reference`,
  )
  assert.deepEqual(columns, { amount: true, reference: false })
  const [readers] = await sql(
    `select has_table_privilege('pg_monitor', 'transfers', 'select') as transfers,
       has_table_privilege('pg_monitor', 'audit_events', 'select') as trail,
       has_table_privilege('pg_monitor', 'audit_events', 'insert') as writes,
       has_table_privilege('strongroom_service', 'transfers_first', 'select') as part`,
  )
  assert.deepEqual(readers, { transfers: true, trail: true, writes: false, part: false })
  assert.equal(await file('transfers_first'), stored, 'no row was copied')
  assert.deepEqual(
    await sql('select transfer_id as paid, by_transfer_id as back from brought_back order by 1'),
    [
      { paid: id(1), back: id(4) },
      { paid: id(2), back: id(5) },
    ],
  )
  // Of another part, which does not see what the first one has.
  const later = id(6).replace('0198', '0998')
  for (const paid of [1, 2]) {
    await assert.rejects(add(6, paid), /unique constraint "transfers_first_brought_back"/)
    await assert.rejects(add(6, paid, later), /unique constraint "transfers_brought_back_once"/)
  }
  await add(6, 3)
  assert.deepEqual(
    await sql(`select tableoid::regclass::text as part, count(*)::int as count from transfers
      group by 1`),
    [{ part: 'transfers_first', count: 6 }],
  )
  const [left] = await sql(
    `select count(*)::int as count from pg_constraint
     where conrelid in ('transfers'::regclass, 'transfers_first'::regclass) and not convalidated`,
  )
  assert.deepEqual(left, { count: 0 })
})

test('the rest of the parts becomes the range behind the last year, with what it has', async (t) => {
  const { address, sql } = await halfMigrated(t, '0182_years_in_order')
  await sql(`select make_years(now() + interval '3 years')`)
  const late = '09981f7e-4c00-7000-8000-000000000001'
  for (const table of tables) await sql(addingRows[table], [[late]])
  const ends = `select whole, max(ends) as ends from years() group by 1 order by 1`
  const before = await sql(ends)
  await migrate(address)
  assert.deepEqual(await sql(ends), before)
  for (const table of tables) {
    const [found] = await sql(
      `select (select tableoid::regclass::text from ${table}) as part, p.partdefid::int8 as other,
         pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES FROM (%L) TO (MAXVALUE)',
           least_id_at(end_of_years($1))) as is_behind
       from pg_partitioned_table p, pg_class c
       where p.partrelid = $1::regclass and c.relname = $1 || '_rest'`,
      [table],
    )
    assert.deepEqual(found, { part: `${table}_rest`, other: '0', is_behind: true })
  }
})

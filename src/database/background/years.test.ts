// The parts of years of the audit trail and of the transfers: made ahead, filled by time, and as
// closed to changes as the whole.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import { untilInTime } from '../../../test/support/locks.ts'
import { makingYears, withoutThisYear } from '../../../test/support/years.ts'
import { Refusal } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { transaction } from '../connections/transaction.ts'
import { makeYears } from './years.ts'

const year = new Date().getUTCFullYear()

/** A row of that time, by its identifier. */
const adding = {
  audit_events: `insert into audit_events (id, at, action, outcome, request_id, address)
    values ($1, now(), 'login', 'success', $1, '::1')`,
  transfers: `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
      created_at, caller_id, session_id, kind, status, currency, reference, salt, reversal_of)
    select $1, gen_random_uuid(), $1, 1, 1, 1, now(), $1, $1,
      case when $2::uuid is null then 'deposit' else 'reversal' end, 'completed', 'EUR', '',
      uuid_send($1), $2`,
}
type Table = keyof typeof adding
const tables = Object.keys(adding) as Table[]

const listed = (rows: string): string =>
  `(select json_agg(each order by each)::text from (${rows}) found)`

/** A table whose first part ended with the year before this one: nothing but the rest is left. */
async function fixture(t: TestContext, table: Table) {
  const made = await bank(t)
  const { db, sql } = made
  await sql(withoutThisYear(table))
  const add = async (at: number, back?: string) => {
    const id = newId(at)
    await sql(adding[table], table === 'transfers' ? [id, back ?? null] : [id])
    return id
  }
  const make = async (at = Date.now()) => {
    // A busy machine may be late: the purges try it again, too.
    const isLate = (thrown: unknown) =>
      thrown instanceof Refusal && thrown.options.outage === 'timeout'
    await untilInTime(async () => {
      while (await transaction(db, (tx) => makeYears(tx, at)));
    }, isLate)
  }
  const parts = async () =>
    (
      await sql(`select tableoid::regclass::text as part, count(*)::int as n
        from ${table} group by 1 order by 1`)
    ).map(({ part, n }) => [part, n])
  const names = async () =>
    (
      await sql(
        `select inhrelid::regclass::text as part from pg_inherits
         where inhparent = $1::regclass order by 1`,
        [table],
      )
    ).map(({ part }) => String(part))
  const end = async () => {
    const [row] = await sql('select max(ends) as at from years() where whole = $1', [table])
    assert.ok(row?.['at'] instanceof Date)
    return row['at'].toISOString()
  }
  return { ...made, add, make, parts, names, end }
}

for (const table of tables) {
  test(`parts of ${table} are made a year ahead, and take what came before they were there`, async (t) => {
    const { sql, add, make, parts, end } = await fixture(t, table)
    const [first, last] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)]
    for (const at of [first - 1, first, last - 1, last]) {
      await add(at)
      await add(at)
    }
    assert.deepEqual(await parts(), [
      [`${table}_first`, 2],
      [`${table}_rest`, 6],
    ])
    assert.equal(await end(), new Date(first).toISOString())
    for (const at of [first, Date.now(), last - 1]) await make(at)
    assert.equal(await end(), `${year + 2}-01-01T00:00:00.000Z`)
    const ofYears = [
      [`${table}_${year}`, 4],
      [`${table}_${year + 1}`, 2],
      [`${table}_first`, 2],
    ]
    assert.deepEqual(await parts(), ofYears)
    await add(last)
    assert.deepEqual((await parts())[1], [`${table}_${year + 1}`, 3])
    await sql(makingYears(`'${year + 90}-01-01T00:00Z'`))
    assert.equal(await end(), `${year + 4}-01-01T00:00:00.000Z`, 'no caller makes more than that')
  })

  test(`a session that reads what has to be locked of ${table} is left alone, and so is another that makes parts`, async (t) => {
    const { address, make, end } = await fixture(t, table)
    const other = new pg.Client({ ...address, options: '-c search_path=strongroom' })
    other.on('error', () => {})
    await other.connect()
    t.after(() => other.end())
    for (const held of [`select from ${table}`, 'select make_years(now())']) {
      await other.query(`begin; ${held}`)
      await make()
      assert.equal(await end(), `${year}-01-01T00:00:00.000Z`, held)
      await other.query('rollback')
    }
    await make()
    assert.equal(await end(), `${year + 2}-01-01T00:00:00.000Z`)
  })

  test(`the role of the service uses ${table} as a whole alone, and no part is changed by accident`, async (t) => {
    const { sql, add, make, names } = await fixture(t, table)
    // A part that took what the rest had, too.
    await add(Date.now())
    await make()
    const parts = await names()
    assert.equal(parts.length, 4)
    for (const part of parts) {
      for (const change of ['update % set id = id', 'delete from %', 'truncate %']) {
        await assert.rejects(sql(change.replace('%', part)), /append-only/)
      }
    }
    await sql('set role strongroom_service')
    for (const part of parts) {
      for (const use of ['select from %', 'insert into % (id) values (gen_random_uuid())']) {
        await assert.rejects(sql(use.replace('%', part)), /permission denied/)
      }
    }
    await sql(`select from ${table}`)
  })

  test(`each part of ${table} has the indexes, checks, triggers and settings of the others`, async (t) => {
    const { sql, make, names } = await fixture(t, table)
    await make()
    const [parts, found] = [await names(), new Set<string>()]
    for (const part of parts) {
      const [row] = await sql(
        `select ${listed(`select regexp_replace(pg_get_indexdef(indexrelid),
             '^(CREATE \\w+) .* USING ', '\\1 ') as each
           from pg_index where indrelid = c.oid and indisvalid`)} as indexes,
         ${listed(`select conname || pg_get_constraintdef(oid) as each from pg_constraint
           where conrelid = c.oid and contype = 'c' and convalidated`)} as checks,
         ${listed(`select replace(pg_get_triggerdef(oid), c.relname, '') || tgenabled::text
             as each
           from pg_trigger where tgrelid = c.oid and not tgisinternal`)} as triggers,
         ${listed(`select concat(attnum, attname, ' ', attstattarget, attstorage, attacl) as each
           from pg_attribute where attrelid = c.oid and attnum > 0`)} as columns,
         c.reloptions
         from pg_class c where c.oid = $1::regclass`,
        [part],
      )
      assert.ok(row?.['indexes'] && row['checks'] && row['triggers'])
      found.add(JSON.stringify(row))
    }
    assert.equal(found.size, 1, [...found].join('\n'))
    const checks = `select count(*)::int as count from pg_constraint
      where conrelid = $1::regclass and contype = 'c' and convalidated`
    assert.deepEqual(await sql(checks, [table]), await sql(checks, [parts[0]]))
  })
}

test('a transfer is brought back once, in whatever year, and is there', async (t) => {
  const { sql, add, make, parts } = await fixture(t, 'transfers')
  await make()
  const [before, after] = [Date.UTC(year - 1, 0), Date.UTC(year + 1, 6)]
  const paid = await add(before)
  const back = await add(Date.now(), paid)
  assert.equal((await parts()).length, 2)
  // Within one part its own index is unique as well.
  await assert.rejects(add(Date.now(), paid), { code: '23505' })
  for (const at of [before, after, Date.UTC(year + 9, 0)]) {
    await assert.rejects(add(at, paid), {
      code: '23505',
      constraint: 'transfers_brought_back_once',
    })
    await assert.rejects(add(at, newId(at)), {
      code: '23503',
      constraint: 'transfers_reversal_of_fkey',
    })
  }
  assert.deepEqual(
    await sql('select transfer_id as paid, by_transfer_id as back from brought_back'),
    [{ paid, back }],
  )
  for (const change of [
    'update % set by_transfer_id = transfer_id',
    'delete from %',
    'truncate %',
  ]) {
    await assert.rejects(sql(change.replace('%', 'brought_back')), /append-only/)
  }
})

test('no function and no view reads a part in place of the table', async (t) => {
  const { sql } = await bank(t)
  const found = await sql(
    `select coalesce(r.ev_class::regclass::text, d.objid::regprocedure::text) as reader,
       c.relname as part
     from pg_depend d join pg_class c on c.oid = d.refobjid and c.relispartition
     left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
     where d.refclassid = 'pg_class'::regclass
       and d.classid in ('pg_proc'::regclass, 'pg_rewrite'::regclass)`,
  )
  assert.deepEqual(found, [])
})

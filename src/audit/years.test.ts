// The parts of the audit trail: made ahead, filled by time, and as closed to changes as the whole.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { bank } from '../../test/support/bank.ts'
import { withoutThisYear } from '../../test/support/trail-years.ts'
import { transaction } from '../database/connections/transaction.ts'
import { addEvents, commandEvent } from './sql.ts'
import { makeYears } from './years.ts'

/** A trail whose first part ended with the year before this one: nothing but the rest is left. */
async function fixture(t: TestContext) {
  const made = await bank(t)
  const { db, sql } = made
  const year = new Date().getUTCFullYear()
  await sql(withoutThisYear)
  const add = (at: number) => {
    const event = commandEvent(at, { action: 'login' })
    return transaction(db, (tx) => addEvents(tx, [event, event]))
  }
  const make = (at = Date.now()) => transaction(db, (tx) => makeYears(tx, at))
  const parts = async () =>
    (
      await sql(`select tableoid::regclass::text as part, count(*)::int as n
        from audit_events group by 1 order by 1`)
    ).map(({ part, n }) => [part, n])
  const end = async () => {
    const [row] = await sql('select max(ends) as at from audit_years()')
    assert.ok(row?.['at'] instanceof Date)
    return row['at'].toISOString()
  }
  return { ...made, year, add, make, parts, end }
}

test('parts are made a year ahead, and take what came before they were there', async (t) => {
  const { sql, year, add, make, parts, end } = await fixture(t)
  const [first, last] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)]
  for (const at of [first - 1, first, last - 1, last]) await add(at)
  assert.deepEqual(await parts(), [
    ['audit_events_first', 1],
    ['audit_events_rest', 3],
  ])
  assert.equal(await end(), new Date(first).toISOString())
  for (const at of [first, Date.now(), last - 1]) await make(at)
  assert.equal(await end(), `${year + 2}-01-01T00:00:00.000Z`)
  const ofYears = [
    [`audit_events_${year}`, 2],
    [`audit_events_${year + 1}`, 1],
    ['audit_events_first', 1],
  ]
  assert.deepEqual(await parts(), ofYears)
  await add(last)
  assert.deepEqual((await parts())[1], [`audit_events_${year + 1}`, 2])
  await sql('select make_audit_years($1)', [new Date(Date.UTC(year + 90, 0))])
  assert.equal(await end(), `${year + 4}-01-01T00:00:00.000Z`, 'no caller makes more than that')
})

test('a session that reads what has to be locked is left alone, and so is another that makes parts', async (t) => {
  const { address, year, make, end } = await fixture(t)
  const other = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  other.on('error', () => {})
  await other.connect()
  t.after(() => other.end())
  for (const held of ['select from audit_events', 'select make_audit_years(now())']) {
    await other.query(`begin; ${held}`)
    await make()
    assert.equal(await end(), `${year}-01-01T00:00:00.000Z`, held)
    await other.query('rollback')
  }
  await make()
  assert.equal(await end(), `${year + 2}-01-01T00:00:00.000Z`)
})

test('the role of the service reads and adds by the whole trail alone, and no part is changed by accident', async (t) => {
  const { sql, make } = await fixture(t)
  await make()
  const parts = await sql(`select inhrelid::regclass::text as part from pg_inherits
    where inhparent = 'audit_events'::regclass`)
  assert.equal(parts.length, 4)
  for (const { part } of parts) {
    for (const change of ['update % set actor_id = null', 'delete from %', 'truncate %']) {
      await assert.rejects(sql(change.replace('%', String(part))), /append-only/)
    }
  }
  await sql('set role strongroom_service')
  for (const { part } of parts) {
    await assert.rejects(sql(`select from ${String(part)}`), /permission denied/)
  }
  await sql('select from audit_events')
})

// How a part of a year is made while the bank works: what waits for it, and for how long, and what
// a kill leaves.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import { openHolder, pause } from '../../../test/support/locks.ts'
import { until } from '../../../test/support/mailbox.ts'
import { addingRows, makingYears, tables, withoutThisYear } from '../../../test/support/years.ts'
import { newId } from '../../domain/ids.ts'

const year = new Date().getUTCFullYear()
const [thisYear, nextYear] = [Date.UTC(year, 5), Date.UTC(year + 1, 5)]
const later = Date.UTC(year + 9, 0)
const untilNext = `'${year + 1}-06-01T00:00Z'`

/** A key that a session holds while another one is to stop at a step. */
const step = 1

async function fixture(t: TestContext, table: (typeof tables)[number]) {
  const made = await bank(t)
  const { sql } = made
  await sql(withoutThisYear(table))
  const values = (...times: number[]) => [times.map((at) => newId(at))]
  const add = (...times: number[]) => sql(addingRows[table], values(...times))
  /** The parts with their bounds, how many rows they have, and what protects them. */
  const state = async () =>
    sql(
      `select c.relname as part, pg_get_expr(c.relpartbound, c.oid) as bound, (
         select count(*)::int from ${table} w where w.tableoid = c.oid) as rows, (
         select count(*)::int from pg_trigger where tgrelid = c.oid and tgenabled = 'O') as triggers
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::regclass order by 1`,
      [table],
    )
  /** How many rows each part has. */
  const counts = async () =>
    Object.fromEntries((await state()).map(({ part, rows }) => [part, rows]))
  const open = () => openHolder(t, made)
  /** A session that makes years stops behind that command while `step` is held. */
  const stopAt = (tag: string) =>
    sql(`create function public.wait_here() returns event_trigger language plpgsql
        set lock_timeout = 0 as
        $$ begin perform pg_advisory_xact_lock_shared(${step}); end $$;
      create event trigger wait_here on ddl_command_end when tag in ('${tag}')
        execute function public.wait_here()`)
  const isHere = 'database = (select oid from pg_database where datname = current_database())'
  const stopped = async () => {
    const query = `select from pg_locks where locktype = 'advisory' and objid = ${step}
      and not granted and ${isHere}`
    while ((await sql(query)).length === 0) await pause()
  }
  const waiting = `select mode from pg_locks where relation = '${table}'::regclass
    and not granted and ${isHere}`
  return { ...made, values, add, state, counts, open, stopAt, stopped, waiting }
}

for (const table of tables) {
  test(`parts of ${table} are in order, and its rest begins where the last year ends`, async (t) => {
    const { sql, state } = await fixture(t, table)
    const bounds = async () => (await state()).map(({ part, bound }) => [part, bound])
    const [first, rest] = await bounds()
    assert.deepEqual([first?.[0], rest?.[0]], [`${table}_first`, `${table}_rest`])
    await sql(makingYears(untilNext))
    const found = await bounds()
    assert.equal(found.length, 4)
    const [ofThis, ofNext] = found
    const ends = [found[2], ofThis, ofNext, found[3]].map(
      (each) => /FROM \((.+)\) TO \((.+)\)/.exec(String(each?.[1])) ?? [],
    )
    assert.equal(ends[0]?.[1], 'MINVALUE')
    assert.equal(ends[3]?.[2], 'MAXVALUE')
    for (const n of [1, 2, 3]) assert.equal(ends[n]?.[1], ends[n - 1]?.[2])
  })

  test(`what came to ${table} before its year was made goes to it, and what is later stays`, async (t) => {
    const { sql, add, counts } = await fixture(t, table)
    await add(thisYear, nextYear, later)
    assert.equal((await counts())[`${table}_rest`], 3)
    await sql(makingYears(untilNext))
    await add(thisYear, nextYear, later)
    assert.deepEqual(await counts(), {
      [`${table}_first`]: 0,
      [`${table}_${year}`]: 2,
      [`${table}_${year + 1}`]: 2,
      [`${table}_rest`]: 2,
    })
  })

  test(`a year of ${table} is made whole or not at all, wherever it is cut off`, async (t) => {
    const { address, sql, add, state, counts } = await fixture(t, table)
    await add(thisYear, nextYear, later)
    const before = await state()
    await sql(`create sequence public.steps;
      create table public.cut_off (step int8);
      create function public.cut_off() returns event_trigger language plpgsql as $$ begin
        if nextval('public.steps') = (select step from public.cut_off) then
          perform pg_terminate_backend(pg_backend_pid());
          perform pg_sleep(60);
        end if;
      end $$;
      create event trigger cut_off on ddl_command_end
        when tag in ('CREATE TABLE', 'CREATE TRIGGER', 'ALTER TABLE')
        execute function public.cut_off()`)
    let [count, isMade] = [0, false]
    while (!isMade) {
      count++
      await sql('alter event trigger cut_off disable')
      await sql(`truncate public.cut_off`)
      await sql(`alter sequence public.steps restart`)
      await sql(`insert into public.cut_off values ($1)`, [count])
      await sql('alter event trigger cut_off enable')
      const making = new pg.Client({ ...address, options: '-c search_path=strongroom' })
      making.on('error', () => {})
      await making.connect()
      isMade = await making.query(makingYears(untilNext)).then(
        () => true,
        () => false,
      )
      await making.end().catch(() => {})
      if (isMade) break
      assert.deepEqual(await state(), before, `step ${count}`)
      await sql('begin')
      await add(thisYear, later)
      assert.equal((await counts())[`${table}_rest`], 5, `step ${count}`)
      await sql('rollback')
      await assert.rejects(sql(`delete from ${table}_rest`), /append-only/)
    }
    // Two tables, each with a trigger, and what is attached and detached at least.
    assert.ok(count > 8, `${count} steps`)
    assert.equal((await state()).length, 4)
  })

  test(`what reads and writes ${table} while a year is made waits for it, and goes to its part`, async (t) => {
    const { sql, values, counts, open, stopAt, stopped, waiting } = await fixture(t, table)
    const [holder, making, reading] = [await open(), await open(), await open()]
    const writing = await Promise.all([thisYear, nextYear, later].map(open))
    // Their plans are of before.
    await reading.query('set plan_cache_mode = force_generic_plan')
    const list = { name: 'test_list', text: `select id from ${table} order by id desc limit 9` }
    assert.equal((await reading.query(list)).rows.length, 0)
    for (const each of writing) {
      await each.query('begin')
      await each.query({ name: 'test_add', text: addingRows[table], values: values(thisYear) })
      await each.query('rollback')
    }
    await stopAt('ALTER TABLE')
    await holder.query('select pg_advisory_lock($1)', [step])
    const made = making.query(makingYears(untilNext))
    await stopped()
    const work = [thisYear, nextYear, later].map((at, n) =>
      writing[n]?.query({ name: 'test_add', text: addingRows[table], values: values(at) }),
    )
    while ((await sql(waiting)).length < writing.length) await pause()
    const read = reading.query(list)
    while ((await sql(waiting)).length < writing.length + 1) await pause()
    await holder.query('select pg_advisory_unlock_all()')
    await Promise.all([made, ...work])
    assert.ok((await read).rows.length <= writing.length)
    assert.equal((await reading.query(list)).rows.length, writing.length)
    assert.deepEqual(await counts(), {
      [`${table}_first`]: 0,
      [`${table}_${year}`]: 1,
      [`${table}_${year + 1}`]: 1,
      [`${table}_rest`]: 1,
    })
  })

  test(`nothing waits while a year of ${table} is not made because of a long transaction`, async (t) => {
    const { sql, state, open, waiting } = await fixture(t, table)
    const [dump, making] = [await open(), await open()]
    const before = await state()
    for (const used of [table, `${table}_rest`]) {
      await dump.query(`begin; lock table only ${used} in access share mode`)
      const work = { isOver: false }
      const made = making.query(makingYears(untilNext)).finally(() => (work.isOver = true))
      while (!work.isOver) {
        assert.deepEqual(await sql(waiting), [], used)
        await pause()
      }
      await made
      await dump.query('rollback')
      assert.deepEqual(await state(), before, used)
    }
    await sql(makingYears(untilNext))
    assert.equal((await state()).length, 4)
  })

  test(`a year of ${table} gives up its wait for a transaction that began meanwhile, before a read behind it does`, async (t) => {
    const { sql, state, open, stopAt, stopped } = await fixture(t, table)
    const [holder, making, other, reading] = await Promise.all([open(), open(), open(), open()])
    const before = await state()
    await stopAt('CREATE TABLE')
    await holder.query('select pg_advisory_lock($1)', [step])
    const made = making.query(makingYears(untilNext))
    await stopped()
    await other.query(`begin; select from ${table} limit 1`)
    await holder.query('select pg_advisory_unlock_all()')
    // That of the service.
    await reading.query(`set lock_timeout = '1500ms'`)
    const work = { isOver: false }
    const ended = made.finally(() => (work.isOver = true))
    while (!work.isOver) await reading.query(`select from ${table} limit 1`)
    await ended
    assert.deepEqual(await state(), before)
    await other.query('rollback')
    await sql('drop event trigger wait_here')
    await sql(makingYears(untilNext))
    assert.equal((await state()).length, 4)
  })

  test(`a rest of ${table} with more rows than can be moved while requests wait is left to the owner`, async (t) => {
    const { sql, add, counts, state } = await fixture(t, table)
    await add(...Array.from({ length: 10_001 }, () => thisYear), later)
    await sql('set session authorization strongroom_service')
    await sql(makingYears(untilNext))
    await sql('reset session authorization')
    assert.deepEqual(await counts(), { [`${table}_first`]: 0, [`${table}_rest`]: 10_002 })
    // Autovacuum uses the table after so many rows, and the years wait for its end.
    await until('the making of years', async () => {
      await sql(makingYears(untilNext))
      return (await state()).length === 4
    })
    assert.deepEqual(await counts(), {
      [`${table}_first`]: 0,
      [`${table}_${year}`]: 10_001,
      [`${table}_${year + 1}`]: 0,
      [`${table}_rest`]: 1,
    })
  })
}

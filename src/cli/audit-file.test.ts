// `strongroom export-audit`, `drop-audit` and `restore-audit` as an operator runs them.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { bank } from '../../test/support/bank.ts'
import { toUrl } from '../../test/support/database.ts'
import { openHolder } from '../../test/support/locks.ts'
import { until } from '../../test/support/mailbox.ts'
import { run } from '../../test/support/program.ts'
import { endingFirst } from '../../test/support/years.ts'
import type { Action } from '../audit/actions.ts'
import { addEvents, commandEvent } from '../audit/sql.ts'
import { idAt } from '../domain/ids.ts'
import type { LocalAddress } from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'

const january = Date.UTC(2026, 0, 31, 23, 59, 59, 999)
const february = Date.UTC(2026, 1, 1)
const day = 86_400_000

async function fixture(t: TestContext) {
  const made = await bank(t)
  const { db, address, sql } = made
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-audit-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const add = (at: number, action: Action, more: { count?: number; detail?: string } = {}) => {
    const { count = 1, detail = null } = more
    const make = (_: unknown, each: number) => commandEvent(at + each, { action, detail })
    return transaction(db, (tx) => addEvents(tx, Array.from({ length: count }, make)))
  }
  const strongroomAs =
    (login: object) =>
    async (...args: string[]) => {
      const url = toUrl({ ...(address as LocalAddress), ...login })
      const program = run(args, { DATABASE_URL: url })
      const code = await program.ended
      return { code, err: program.err() }
    }
  const actions = async () =>
    (await sql('select action from audit_events order by id')).map(({ action }) => action)
  const file = path.join(folder, 'trail')
  return { ...made, add, actions, folder, file, strongroom: strongroomAs({}), strongroomAs }
}

test('whole months are exported with a hash that follows on the last one, and dropped exactly as exported', async (t) => {
  const { add, actions, folder, file, strongroom } = await fixture(t)
  await add(january - 5000, 'login', { count: 2499 })
  await add(january - 1, 'freezeAccount', { detail: 'two\u2028lines\r"' })
  await add(january, 'erase')
  await add(february, 'logout')
  const exported = await strongroom('export-audit', '--before', '2026-02', file)
  assert.equal(exported.code, 0, exported.err)
  const text = await readFile(file, 'utf8')
  const lines = text.trimEnd().split('\n')
  assert.equal(lines.length, 2501 + 2)
  const last = JSON.parse(lines.pop() as string) as { events: number; sha256: string }
  const sha256 = createHash('sha256')
    .update(`${lines.join('\n')}\n`)
    .digest('hex')
  assert.deepEqual(last, { events: 2501, sha256 })
  assert.match(exported.err, new RegExp(`^2501 events before 2026-02 .*\nSHA-256: ${sha256}\n$`))
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((JSON.parse(lines[0] as string) as { previous: unknown }).previous, null)

  const dropped = await strongroom('drop-audit', file)
  assert.equal(dropped.err, '2500 events before 2026-02 were dropped; 1 of erasures stay.\n')
  assert.equal(dropped.code, 0)
  assert.deepEqual(await actions(), ['erase', 'logout', 'exportAudit', 'dropAudit'])
  // A second run finds nothing more to do, and the next export names the one before.
  assert.match((await strongroom('drop-audit', file)).err, /^0 events .* 1 of erasures stay\.\n$/)
  const next = path.join(folder, 'next')
  assert.equal((await strongroom('export-audit', '--before', '2026-03', next)).code, 0)
  const [header, ...events] = (await readFile(next, 'utf8')).split('\n')
  assert.equal((JSON.parse(header as string) as { previous: string }).previous, sha256)
  assert.equal(events.length, 2 + 2)
})

test('an export that is not in the trail leaves no file, and can be repeated', async (t) => {
  const { add, actions, folder, file, sql, strongroom } = await fixture(t)
  await add(january, 'login')
  await sql(`create function public.refuse() returns trigger language plpgsql as
    $$ begin raise 'not now'; end $$;
    create trigger refuse before insert on audit_events for each row
      when (new.action = 'exportAudit') execute function public.refuse()`)
  const ask = () => strongroom('export-audit', '--before', '2026-02', file)
  const failed = await ask()
  assert.equal(failed.code, 1, failed.err)
  assert.deepEqual(await readdir(folder), [])
  await sql('drop trigger refuse on audit_events')
  const exported = await ask()
  assert.equal(exported.code, 0, exported.err)
  assert.deepEqual(await actions(), ['login', 'exportAudit'])
})

test('what was dropped is put back whole, the last export first, and from no other file', async (t) => {
  const { add, folder, file, sql, strongroom } = await fixture(t)
  const trail = () => sql(`select * from audit_events where at < '2026-02-01' order by id`)
  await add(january - 31 * day, 'login')
  await add(january - 5000, 'login', { count: 2499 })
  await add(january - 1, 'freezeAccount', { detail: 'two\u2028lines\r"' })
  await add(january, 'erase')
  const before = await trail()
  const older = path.join(folder, 'older')
  assert.equal((await strongroom('export-audit', '--before', '2026-01', older)).code, 0)
  const early = await strongroom('restore-audit', older)
  assert.equal(early.code, 2, 'what was exported and not dropped')
  assert.match(early.err, / is not the export that was dropped last/)
  assert.equal((await strongroom('drop-audit', older)).code, 0)
  assert.equal((await strongroom('export-audit', '--before', '2026-02', file)).code, 0)

  // Another event, and a right sum of the whole: it neither drops nor restores.
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').slice(0, -1)
  const forged = `${[...lines, lines[1]?.replace('login', 'logout')].join('\n')}\n`
  const sha256 = createHash('sha256').update(forged).digest('hex')
  const other = path.join(folder, 'forged')
  await writeFile(other, `${forged}${JSON.stringify({ events: 2502, sha256 })}\n`)
  for (const command of ['drop-audit', 'restore-audit']) {
    const refused = await strongroom(command, other)
    assert.equal(refused.code, 2, refused.err)
    assert.match(refused.err, /: the audit trail does not name it\.\n$/)
  }
  assert.equal((await trail()).length, before.length - 1)

  assert.equal((await strongroom('drop-audit', file)).code, 0)
  assert.equal((await trail()).length, 1)
  assert.equal((await strongroom('restore-audit', older)).code, 2, 'a gap would follow')
  const restored = await strongroom('restore-audit', file)
  assert.equal(restored.err, '2501 events before 2026-02 are in the audit trail.\n')
  assert.equal(restored.code, 0)
  assert.equal((await strongroom('restore-audit', file)).code, 2, 'it is there')
  assert.equal((await strongroom('restore-audit', older)).code, 0)
  assert.deepEqual(await trail(), before)
  // What is there again is dropped by the same file.
  assert.equal((await strongroom('drop-audit', older)).code, 0)
  assert.match((await strongroom('drop-audit', file)).err, /^2500 events /)
})

test('the disk of a year that is over is given back, and what erasures need stays', async (t) => {
  const made = await fixture(t)
  const { add, actions, file, sql, strongroom } = made
  await sql(endingFirst('audit_events', `'${idAt(february)}'`))
  await add(january - 5000, 'login', { count: 4999 })
  await add(january, 'erase')
  await add(february, 'logout')
  assert.equal((await strongroom('export-audit', '--before', '2026-02', file)).code, 0)
  const dropped = await strongroom('drop-audit', file)
  assert.equal(dropped.code, 0, dropped.err)
  const [size] = await sql(
    `select pg_relation_size('audit_events_first')::int as rows,
       pg_indexes_size('audit_events_first')::int / 8192 as pages`,
  )
  // Three indexes hold the event in their second page; three partial ones have only a first page.
  assert.deepEqual(size, { rows: 8192, pages: 9 })
  assert.deepEqual(await actions(), ['erase', 'logout', 'exportAudit', 'dropAudit'])

  // A repetition that another session keeps from it says so, and any other failure fails.
  const waiting = () =>
    sql(`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
  const holder = await openHolder(t, made)
  await holder.query('begin')
  await holder.query('lock table audit_events_first in access share mode')
  const late = await strongroom('drop-audit', file)
  assert.equal(late.code, 0, late.err)
  assert.match(late.err, /Another session reads what was dropped/)
  await holder.query('lock table audit_events_first in share update exclusive mode')
  const cut = strongroom('drop-audit', file)
  await until('the vacuum', async () => (await waiting()).length > 0)
  await sql('select pg_terminate_backend($1)', [(await waiting())[0]?.['pid']])
  const failed = await cut
  assert.notEqual(failed.code, 0, failed.err)
  assert.doesNotMatch(failed.err, /Another session/)
  await holder.query('commit')
})

test('what is not in the file stays: a late event, a damaged file, a month that is not over', async (t) => {
  const { add, actions, folder, file, strongroom } = await fixture(t)
  await add(january, 'login')
  assert.equal((await strongroom('export-audit', '--before', '2026-02', file)).code, 0)
  const again = await strongroom('export-audit', '--before', '2026-02', file)
  assert.deepEqual(again, { code: 2, err: `${file} cannot be written: it exists already.\n` })
  await add(january - 1, 'logout')
  const late = await strongroom('drop-audit', file)
  assert.equal(late.code, 1)
  assert.match(
    late.err,
    /^Event \S+ is not in the export, or is another one there: export anew\.\n$/,
  )
  assert.deepEqual((await actions()).slice(0, 2), ['logout', 'login'])

  const text = await readFile(file, 'utf8')
  const damaged = [text.replace('login', 'Login'), text.slice(0, -2), '', '{}\n', 'no export\n']
  for (const content of damaged) {
    const other = path.join(folder, 'other')
    await writeFile(other, content)
    const { code, err } = await strongroom('drop-audit', other)
    assert.equal(code, 2, content)
    assert.match(err, /^The export \S+ cannot be used: [^\n]+\n$/)
    await rm(other)
  }
  for (const [month, expected] of [
    ['2999-01', 1],
    ['2026-13', 2],
    ['January', 2],
  ] as const) {
    const { code, err } = await strongroom('export-audit', '--before', month, `${file}-2`)
    assert.equal(code, expected, month)
    assert.match(err, /^[^\n]+\n$/)
  }
  assert.deepEqual(await readdir(folder), ['trail'])
  assert.deepEqual((await actions()).slice(0, 2), ['logout', 'login'])
})

test("the service's login can export the trail and can drop nothing", async (t) => {
  const { add, actions, file, sql, strongroomAs } = await fixture(t)
  await add(january, 'login')
  const user = `only_service_${randomBytes(6).toString('hex')}`
  await sql(`create role ${user} login password 'member' in role strongroom_service`)
  t.after(() => sql(`drop role ${user}`).catch(() => {}))
  const strongroom = strongroomAs({ user, password: 'member' })
  assert.equal((await strongroom('export-audit', '--before', '2026-02', file)).code, 0)
  const refused = await strongroom('drop-audit', file)
  assert.deepEqual(refused, { code: 1, err: 'This needs the login that owns the database.\n' })
  assert.deepEqual(await strongroom('restore-audit', file), refused)
  await sql('set role strongroom_service')
  await sql(`set strongroom.drop_audit = 'on'`)
  await assert.rejects(sql('delete from audit_events'), /permission denied/)
  await sql('reset role')
  // The owner may only delete, and only after announcing it.
  await assert.rejects(sql('update audit_events set actor_id = null'), /append-only/)
  await assert.rejects(sql('truncate audit_events'), /append-only/)
  await sql('reset strongroom.drop_audit')
  await assert.rejects(sql('delete from audit_events'), /append-only/)
  assert.deepEqual(await actions(), ['login', 'exportAudit'])
})

// `strongroom close-day` as an operator runs it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { bank, callers } from '../../test/support/bank.ts'
import { toUrl } from '../../test/support/database.ts'
import { many } from '../../test/support/fixture.ts'
import { until as waitUntil } from '../../test/support/mailbox.ts'
import { run } from '../../test/support/program.ts'
import { readConfig } from '../config/config.ts'
import type { LocalAddress } from '../database/connections/connect.ts'
import { openLedger } from '../ledger/batch/batch.ts'
import { bankAccount } from '../ledger/rules/internal-accounts.ts'
import { closeDayCommand } from './close-day.ts'

async function fixture(t: TestContext) {
  const made = await bank(t)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-days-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const settings = { DATABASE_URL: toUrl(made.address as LocalAddress) }
  return {
    ...made,
    folder,
    file: path.join(folder, 'day'),
    async strongroom(...args: string[]) {
      const program = run(args, settings)
      return { code: await program.ended, err: program.err() }
    },
  }
}

test('a day is closed once into a file: its trial balance, and heads that verify finds again', async (t) => {
  const { strongroom, folder, file, account, ledger, movement, clock, sql } = await fixture(t)
  const [from, to] = [await account(100n), await account()]
  await ledger.submit(movement(from, to))
  const closed = await strongroom('close-day', file, '--day', '2026-01-02')
  assert.equal(closed.code, 0, closed.err)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder), ['day'])
  const text = await readFile(file, 'utf8')
  const lines = text.split('\n')
  assert.equal(lines[0], '# day 2026-01-02, until 2026-01-02T23:59:59.999Z')
  assert.ok(lines.includes('# EUR cash -1.00'), text)
  assert.ok(lines.includes('# EUR customers 1.00'))
  assert.ok(lines.includes('# EUR total 0.00'))
  assert.ok(lines.some((line) => line.startsWith(`${from} 2 `)))
  const whole = `${lines.slice(0, -2).join('\n')}\n`
  const digest = createHash('sha256').update(whole).digest('hex')
  assert.equal(lines.at(-2), `digest ${digest}`)
  assert.ok(closed.err.includes(`The day 2026-01-02 is closed. Digest: ${digest}\n`), closed.err)
  const events = await sql(`select outcome, detail from audit_events where action = 'closeDay'`)
  assert.deepEqual(events, [{ outcome: 'success', detail: `2026-01-02 digest ${digest}` }])

  // It is not written a second time, and the same day has the same file after later days.
  clock.advance(24 * 3_600_000)
  await ledger.submit(movement(to, from, { reference: 'Back' }))
  const again = await strongroom('close-day', file, '--day', '2026-01-02')
  assert.equal(again.code, 2, again.err)
  assert.equal(await readFile(file, 'utf8'), text)
  const other = path.join(folder, 'other')
  assert.equal((await strongroom('close-day', other, '--day', '2026-01-02')).code, 0)
  assert.equal(await readFile(other, 'utf8'), text)
  const proven = await strongroom('verify', '--since', file)
  assert.equal(proven.code, 0, proven.err)
  assert.ok(proven.err.includes(`The heads with the digest ${digest} are on their chains.\n`))
})

test('fifty postings at the end of a day, on two instances, while it is closed: they are in its file, or of the next day', async (t) => {
  const made = await fixture(t)
  const { strongroom, folder, file, account, movement, ledger, clock, sql, db, address } = made
  const second = openLedger(db, clock)
  t.after(() => second.close())
  const from = await account(5000n)
  const until = Date.parse('2026-01-03T00:00:00Z')
  clock.advance(until - 10 - clock.now())
  const blocker = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await blocker.connect()
  t.after(() => blocker.end())
  blocker.on('error', () => {})
  // A batch that has its time waits with its COMMIT. One that waited for longer than one may would
  // begin anew, and have the time of the next day.
  await blocker.query('select pg_advisory_lock(4711)')
  await sql(`create function wait_at_commit() returns trigger language plpgsql as $$
    begin
      perform set_config('lock_timeout', '0', true);
      perform pg_advisory_xact_lock_shared(4711);
      return null;
    end $$`)
  await sql(`create constraint trigger wait_at_commit after insert on transfers
    deferrable initially deferred for each row execute function wait_at_commit()`)
  const fee = { kind: 'fee', caller: callers.root } as const
  const post = (index: number) =>
    [ledger, second][index % 2]?.submit({
      ...movement(from, bankAccount('fees', 'EUR')),
      ...fee,
      reference: `${index}`,
      key: `${index}`,
    })
  const early = many(25, async (index) => post(index))
  const seen = async (what: string): Promise<boolean> => {
    const rows = await sql(
      `select from pg_stat_activity where datname = current_database() and ${what}`,
    )
    return rows.length > 0
  }
  await waitUntil('a batch of the day', () => seen(`wait_event_type = 'Lock'`))
  clock.advance(20)
  const late = many(25, async (index) => post(25 + index))
  // In this process: a program would start for longer than a batch may wait.
  const config = readConfig({ STRONGROOM_DATABASE_URL: toUrl(address as LocalAddress) })
  const closing = closeDayCommand(config, () => {}, file, { day: '2026-01-02' })
  await waitUntil('the day is closed', () =>
    seen(`query like '%virtualtransaction%pg_locks%'
    and pid <> pg_backend_pid()`),
  )
  await blocker.query('select pg_advisory_unlock(4711)')
  await Promise.all([early, late])
  await closing
  const [row] = await sql(
    `select count(*) filter (where created_at < $1)::int as day, count(*)::int as all from entries
     where account_id = $2 and kind = 'fee'`,
    [new Date(until), from],
  )
  assert.equal(row?.['all'], 50)
  assert.ok(Number(row?.['day']) > 0 && Number(row?.['day']) < 50, JSON.stringify(row))
  const text = await readFile(file, 'utf8')
  assert.ok(text.includes(`# EUR fees 0.${String(row?.['day']).padStart(2, '0')}\n`), text)
  assert.ok(text.includes('# EUR total 0.00\n'))
  const again = path.join(folder, 'again')
  assert.equal((await strongroom('close-day', again, '--day', '2026-01-02')).code, 0)
  assert.equal(await readFile(again, 'utf8'), text, 'nothing came later')
})

test('a day that is not over, or is none, is not closed, nor twice at once; nor are books that do not add up', async (t) => {
  const { strongroom, folder, file, account, sql } = await fixture(t)
  for (const day of ['2999-01-01', '2026-02-30', 'today']) {
    const refused = await strongroom('close-day', file, '--day', day)
    assert.equal(refused.code, 2, refused.err)
    assert.match(refused.err, new RegExp(`^(The day )?${day} is not`))
  }
  // Another command is writing it.
  await writeFile(`${file}.part`, 'begun')
  const second = await strongroom('close-day', file, '--day', '2026-01-02')
  assert.deepEqual([second.code, await readFile(`${file}.part`, 'utf8')], [2, 'begun'], second.err)
  assert.match(second.err, /^The file of heads .* cannot be used: EEXIST/)
  await rm(`${file}.part`)
  const id = await account(5n)
  await sql('update accounts set balance = 6 where id = $1', [id])
  const unsound = await strongroom('close-day', file)
  assert.equal(unsound.code, 1, unsound.err)
  assert.match(unsound.err, /EUR customers has 6, its entries say 5/)
  assert.deepEqual(await readdir(folder), [])
})

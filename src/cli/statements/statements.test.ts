// `strongroom statements` as an operator runs it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { type Bank, bank } from '../../../test/support/bank.ts'
import { toUrl } from '../../../test/support/database.ts'
import { people } from '../../../test/support/people.ts'
import { run } from '../../../test/support/program.ts'
import type { LocalAddress } from '../../database/connections/connect.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { utcDays } from '../../domain/days.ts'
import { statementFile } from '../../features/statements/file.ts'
import { writeStatements } from './statements.ts'

const month = '2026-01'
/** From the time of the tests to behind the month. */
const monthMs = 40 * 86_400_000
const bankName = 'Bank of Tests'

async function fixture(t: TestContext) {
  const made = await bank(t)
  const parent = await mkdtemp(path.join(tmpdir(), 'strongroom-statements-'))
  t.after(() => rm(parent, { recursive: true, force: true }))
  const folder = path.join(parent, 'january')
  const said: string[] = []
  const task = {
    db: made.db,
    month,
    format: 'csv',
    bank: { bankName, bic: undefined },
    say: (text: string) => void said.push(text),
    clock: made.clock,
  } as const
  return {
    ...made,
    folder,
    said,
    write: (more: Partial<Parameters<typeof writeStatements>[1]> = {}) =>
      writeStatements(folder, { ...task, ...more }),
    read: (name: string) => readFile(path.join(folder, name)),
    index: async () =>
      (await readFile(path.join(folder, 'index.ndjson'), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

const ibanOf = async ({ sql }: Bank, id: string): Promise<string> =>
  (await sql('select iban from accounts where id = $1', [id]))[0]?.['iban'] as string

test('each account has one file, with the bytes that its customer downloads, and a line of the index', async (t) => {
  for (const format of ['csv', 'pdf', 'camt053'] as const) {
    const made = await fixture(t)
    const { db, sql, account, clock, ledger, movement, write, read, index, folder, said } = made
    const [from, to, other] = [await account(500n), await account(), await account(3n, 'ben')]
    // One was closed before, one in the month, and one was opened after it.
    const [empty, closed, left, later] = [
      await account(),
      await account(),
      await account(5n),
      await account(),
    ]
    await ledger.submit(movement(from, to))
    await ledger.submit(movement(left, to, { amount: 5n }))
    await sql(`update accounts set status = 'closed' where id = any($1)`, [[closed, left]])
    await sql(`update accounts set created_at = '2026-02-01' where id = $1`, [later])
    clock.advance(monthMs)
    await write({ format })
    const lines = await index()
    assert.deepEqual(
      lines.map(({ accountId, entries, holder }) => [accountId, entries, holder]),
      [
        [from, 2, 'Ada Okafor'],
        [to, 2, 'Ada Okafor'],
        [other, 1, `Ben ${people.ben.familyName}`],
        [empty, 0, 'Ada Okafor'],
        [left, 2, 'Ada Okafor'],
      ].toSorted(([one = ''], [two = '']) => (one < two ? -1 : 1)),
    )
    const names = (await readdir(folder)).toSorted()
    assert.deepEqual(names, [...lines.map(({ file }) => String(file)), 'index.ndjson'].toSorted())
    for (const { file, sha256, accountId, iban } of lines) {
      assert.equal(iban, await ibanOf(made, accountId as string))
      const bytes = await read(file as string)
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256)
      assert.equal((await stat(path.join(folder, file as string))).mode & 0o777, 0o600)
      const about = { accountId: accountId as string, isOfBank: false, isProgram: false }
      const period = { from: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 1, 1) }
      const { body } = await statementFile(db, format, {
        ...about,
        ...period,
        callerId: people.ada.id,
        requestId: people.ada.id,
        bankName,
        bic: undefined,
        now: Date.UTC(2026, 5, 1),
        days: utcDays,
        spreadsheet: undefined,
      })
      assert.ok(bytes.equals(await buffer(body)), `${format} ${String(file)}`)
    }
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    assert.deepEqual(said, ['Written: 5 statements of 2026-01.\n'])
    const events = await sql(`select detail from audit_events where action = 'writeStatements'`)
    assert.deepEqual(events, [{ detail: `2026-01 ${format}` }])
  }
})

test('a run that was ended goes on: what is there stays, what is missing is written, once', async (t) => {
  const made = await fixture(t)
  const { account, clock, write, read, index, folder } = made
  const ids = [await account(5n), await account(7n), await account(9n)]
  clock.advance(monthMs)
  const ending = new AbortController()
  ending.abort(new Error('ended'))
  await assert.rejects(write({ signal: ending.signal }), /ended/)
  await write()
  const before = await read('index.ndjson')
  const [first, second] = (await index()).map(({ file }) => path.join(folder, file as string))
  const kept = await stat(first as string)
  // As a kill leaves it: the last file in part, the one before it not there, and no index.
  await rm(path.join(folder, 'index.ndjson'))
  await rm(second as string)
  await writeFile(`${second}.part`, 'cut')
  await write()
  assert.deepEqual(await read('index.ndjson'), before)
  assert.equal((await stat(first as string)).ino, kept.ino)
  assert.equal((await stat(first as string)).mtimeMs, kept.mtimeMs)
  assert.equal((await readdir(folder)).length, ids.length + 1)
})

test('a month is over for an hour, and a folder is of one month and form', async (t) => {
  const made = await fixture(t)
  const { account, address, clock, write, folder } = made
  await account()
  clock.advance(monthMs)
  const settings = { DATABASE_URL: toUrl(address as LocalAddress) }
  const now = new Date()
  const present = now.toISOString().slice(0, 7)
  const command = async (...options: string[]) => {
    const program = run(['statements', folder, ...options], settings)
    return [await program.ended, program.err()]
  }
  assert.deepEqual(await command('--month', present), [
    2,
    `The month ${present} is not over for an hour.\n`,
  ])
  for (const wrong of ['2026-13', '2026-1', '2026-01-01', '0000-01', 'x']) {
    await assert.rejects(write({ month: wrong }), /--month is a month, such as 2026-01/)
  }
  await write()
  await assert.rejects(write(), /its statements are complete/)
  await rm(path.join(folder, 'index.ndjson'))
  await assert.rejects(write({ format: 'pdf' }), /it holds XX\S+-2026-01.csv/)
  await assert.rejects(write({ month: '2025-12' }), /it holds XX\S+-2026-01.csv/)
  assert.deepEqual(await command('--month', month, '--format', 'doc'), [
    2,
    'There is no format doc; there are csv, pdf, camt053.\n',
  ])
})

test('the last millisecond before the hour after a month is too early', async (t) => {
  const { write, clock } = await fixture(t)
  clock.advance(Date.UTC(2026, 1, 1, 1) - 1 - clock.now())
  await assert.rejects(write(), /is not over for an hour/)
  clock.advance(1)
  await write()
})

test('a statement whose entries leave for an archive meanwhile is refused, and no file of it stays', async (t) => {
  for (const last of ['ledger_read_span', 'ledger_list_statement_entries']) {
    const made = await fixture(t)
    const { db, account, clock, ledger, movement, sql, write, folder } = made
    const [from, to] = [await account(9n), await account()]
    await ledger.submit(movement(from, to))
    clock.advance(monthMs)
    // As if one piece of the archive had taken them all.
    const leave = async () => {
      await sql('set session_replication_role = replica')
      await sql(
        `insert into archived_heads (account_id, seq, hash, balance_after, mark_count, at)
         select distinct on (account_id) account_id, seq, hash, balance_after, 0, created_at
         from entries order by account_id, seq desc`,
      )
      await sql('delete from entries')
      await sql(
        `insert into archives (id, until, name, digest, entries, transfers, kept, brought_back,
           state, made_at)
         values (1, '2026-02-01', 'books', sha256(''), 3, 2, 2, 0, 'removing', now())`,
      )
    }
    let hasLeft = false
    const run: typeof db.run = async (asked, values) => {
      const rows = await db.run(asked, values)
      if (asked.name === last && !hasLeft) {
        hasLeft = true
        await leave()
      }
      return rows
    }
    await assert.rejects(write({ db: { ...db, run } }), (thrown: Error) => {
      assert.ok(thrown instanceof StartupError, `${last}: ${thrown}`)
      assert.match(thrown.message, /^The month 2026-01 is in the archive books/)
      return true
    })
    assert.deepEqual(await readdir(folder), [], last)
  }
})

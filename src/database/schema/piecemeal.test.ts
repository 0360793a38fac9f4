// A migration of a large table: an index that is built while the bank works, and what a process
// leaves that was killed meanwhile.
import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { pause } from '../../../test/support/locks.ts'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import { oldestRelease } from '../../domain/release.ts'
import { migrate } from './migrate.ts'
import { migrationsFolder } from './migrations.ts'
import { toPieces } from './piecemeal.ts'

const timeout = 60_000

/** The migrations of this version, and one more. */
async function folderWith(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  await cp(migrationsFolder, folder, { recursive: true })
  await writeFile(path.join(folder, '9999_large.sql'), text)
  return folder
}

const indexed = `-- piece by piece
-- Two; the second one is for a later release.
create index concurrently if not exists transfers_first on transfers (created_at);
create unique index concurrently if not exists transfers_second on transfers (id, created_at);
`

test(
  'an index is built beside payments, by one process at a time, and anew after a kill -9',
  { timeout },
  async (t) => {
    const { address, sql } = await bank(t)
    const folder = await folderWith(t, indexed)
    const payment = new pg.Client({ ...address, options: '-c search_path=strongroom' })
    payment.on('error', () => {})
    await payment.connect()
    // The second build waits for it: it writes the table, and is not over yet.
    await payment.query('begin; lock table transfers in row exclusive mode')
    const isInvalid = `select from pg_index
    where indexrelid = to_regclass('transfers_first') and not indisvalid`
    const backends = (query: string) =>
      sql(
        `select pid from pg_stat_activity
       where datname = current_database() and query like $1 and pid <> pg_backend_pid()`,
        [query],
      )
    const killed = new AbortController()
    const first = migrate(address, { folder, signal: killed.signal })
    first.catch(() => {})
    while ((await sql(isInvalid)).length === 0) await pause()
    // PostgreSQL goes on with the statement of a process that is gone.
    killed.abort()
    await assert.rejects(first)
    const [building] = await backends('create index concurrently%')
    assert.ok(building)

    const two = [migrate(address, { folder }), migrate(address, { folder })]
    while ((await backends('select pg_try_advisory_lock%')).length < 2) await pause()
    await sql(`set lock_timeout = '1s'`)
    await sql('select from transfers limit 1')
    await sql('begin; lock table transfers in row exclusive mode; rollback')
    assert.equal((await sql(isInvalid)).length, 1)
    await sql('select pg_terminate_backend($1)', [building['pid']])
    while ((await backends('drop index concurrently%')).length === 0) await pause()
    await payment.query('commit')
    const names = (await Promise.all(two)).flat()
    assert.deepEqual(names, ['9999_large'], 'one of the two ran it')
    assert.deepEqual(
      await sql(
        `select indexrelid::regclass::text as name, indisvalid from pg_index
       where indexrelid::regclass::text in ('transfers_first', 'transfers_second') order by 1`,
      ),
      ['transfers_first', 'transfers_second'].map((name) => ({ name, indisvalid: true })),
    )
    const [stored] = await sql(
      `select oldest_release, length(sha256) as digits from migrations where name = '9999_large'`,
    )
    assert.deepEqual(stored, { oldest_release: oldestRelease, digits: 64 })
  },
)

test(
  'an index that was built before its process was killed is not built again',
  { timeout },
  async (t) => {
    const { address, sql } = await bank(t)
    const folder = await folderWith(t, indexed)
    await sql('create index transfers_first on transfers (created_at)')
    const oid = `select 'transfers_first'::regclass::oid as oid`
    const before = await sql(oid)
    assert.deepEqual(await migrate(address, { folder }), ['9999_large'])
    assert.deepEqual(await sql(oid), before)
  },
)

test('a file is cut into its statements, with the bodies whole and without comments', () => {
  const text = `-- piece by piece
-- One; two.
do $$
begin
  -- Here; too.
  perform 1;
end $$;
drop table if exists a;
`
  const [body, ...rest] = toPieces(text)
  assert.match(body as string, /^do \$\$\nbegin\s+perform 1;\nend \$\$;$/)
  assert.deepEqual(rest, ['drop table if exists a;'])
})

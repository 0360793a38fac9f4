// A migration of a large table: an index that is built while the bank works, and what a process
// leaves that was killed meanwhile.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { pause } from '../../../test/support/locks.ts'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import { makingYears, withoutThisYear } from '../../../test/support/years.ts'
import { oldestRelease } from '../../domain/release.ts'
import { migrate } from './migrate.ts'
import { migrationsFolder } from './migrations.ts'
import { isPiecemeal, toBuild, toPieces } from './piecemeal.ts'

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
create index concurrently if not exists entries_first on entries (created_at);
create unique index concurrently if not exists entries_second on entries (seq, account_id);
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
    await payment.query('begin; lock table entries in row exclusive mode')
    const isInvalid = `select from pg_index
    where indexrelid = to_regclass('entries_first') and not indisvalid`
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
    await sql('select from entries limit 1')
    await sql('begin; lock table entries in row exclusive mode; rollback')
    assert.equal((await sql(isInvalid)).length, 1)
    await sql('select pg_terminate_backend($1)', [building['pid']])
    while ((await backends('drop index concurrently%')).length === 0) await pause()
    await payment.query('commit')
    const names = (await Promise.all(two)).flat()
    assert.deepEqual(names, ['9999_large'], 'one of the two ran it')
    assert.deepEqual(
      await sql(
        `select indexrelid::regclass::text as name, indisvalid from pg_index
       where indexrelid::regclass::text in ('entries_first', 'entries_second') order by 1`,
      ),
      ['entries_first', 'entries_second'].map((name) => ({ name, indisvalid: true })),
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
    await sql('create index entries_first on entries (created_at)')
    const oid = `select 'entries_first'::regclass::oid as oid`
    const before = await sql(oid)
    assert.deepEqual(await migrate(address, { folder }), ['9999_large'])
    assert.deepEqual(await sql(oid), before)
  },
)

test('an index of a table of years is built part by part, and is one of the whole', async (t) => {
  const { address, sql } = await bank(t)
  const text = `-- piece by piece
create index concurrently if not exists transfers_by_age on transfers (created_at, id);
`
  const folder = await folderWith(t, text)
  // Of a process that was killed behind the first part.
  await sql('create index transfers_first_transfers_by_age on transfers_first (created_at, id)')
  assert.deepEqual(await migrate(address, { folder }), ['9999_large'])
  const found = await sql(
    `select i.indrelid::regclass::text as part, i.indisvalid, h.inhparent::regclass::text as whole
     from pg_index i left join pg_inherits h on h.inhrelid = i.indexrelid
     where i.indexrelid::regclass::text like '%transfers_by_age' order by 1`,
  )
  const of = (part: string, whole: string | null) => ({ part, indisvalid: true, whole })
  assert.deepEqual(found, [
    of('transfers', null),
    of('transfers_first', 'transfers_by_age'),
    of('transfers_rest', 'transfers_by_age'),
  ])
})

test('a part of a year that is made behind an interrupted build has one index of it, and the build goes on', async (t) => {
  const { address, sql } = await bank(t)
  const text = `-- piece by piece
create index concurrently if not exists transfers_by_age on transfers (created_at, id);
`
  const folder = await folderWith(t, text)
  await sql('create index transfers_first_transfers_by_age on transfers_first (created_at, id)')
  await sql('create index transfers_by_age on only transfers (created_at, id)')
  await sql('alter index transfers_by_age attach partition transfers_first_transfers_by_age')
  const parts = async () =>
    sql(
      `select x.indrelid::regclass::text as part, x.indisvalid, count(*)::int as count
       from pg_index x
       where pg_get_indexdef(x.indexrelid) like '%(created_at, id)' group by 1, 2 order by 1`,
    )
  await sql(makingYears(`now() + interval '3 years'`))
  const [all] = await sql(
    `select count(*)::int as count from pg_inherits where inhparent = 'transfers'::regclass`,
  )
  assert.deepEqual(await migrate(address, { folder }), ['9999_large'])
  const found = await parts()
  // And that of the whole.
  assert.equal(found.length, Number.parseInt(String(all?.['count']), 10) + 1)
  assert.ok(found.length > 3, JSON.stringify(found))
  assert.deepEqual(
    found,
    found.map(({ part }) => ({ part, indisvalid: true, count: 1 })),
  )
  // Those of other databases are of other tests.
  const held = await sql(
    `select from pg_locks l join pg_database d on d.oid = l.database
     where l.locktype = 'advisory' and d.datname = current_database()`,
  )
  assert.deepEqual(held, [], 'years are made again')
})

for (const [tag, step] of [
  ['CREATE INDEX', 1],
  ['CREATE INDEX', 2],
  ['CREATE INDEX', 3],
  ['ALTER INDEX', 1],
  ['ALTER INDEX', 2],
] as const) {
  test(`each part has one valid index when ${tag} ${step} was cut off, and then a year made`, async (t) => {
    const { address, sql } = await bank(t)
    const text = `-- piece by piece
create index concurrently if not exists transfers_by_age on transfers (created_at, id);
`
    const folder = await folderWith(t, text)
    await sql(withoutThisYear('transfers'))
    await sql(`create sequence public.steps;
      create function public.cut_off() returns event_trigger language plpgsql as $$ begin
        if nextval('public.steps') = ${step} then
          perform pg_terminate_backend(pg_backend_pid());
          perform pg_sleep(60);
        end if;
      end $$;
      create event trigger cut_off on ddl_command_end when tag in ('${tag}')
        execute function public.cut_off()`)
    await assert.rejects(migrate(address, { folder, patienceMs: 0 }))
    await sql('drop event trigger cut_off')
    await sql(makingYears('now()'))
    assert.deepEqual(await migrate(address, { folder }), ['9999_large'])
    const found = await sql(
      `select x.indrelid::regclass::text as part, x.indisvalid from pg_index x
       where pg_get_indexdef(x.indexrelid) like '%(created_at, id)' order by 1`,
    )
    const year = new Date().getUTCFullYear()
    assert.deepEqual(
      found,
      ['transfers', `transfers_${year}`, 'transfers_first', 'transfers_rest'].map((part) => ({
        part,
        indisvalid: true,
      })),
    )
  })
}

test('each index that a migration builds beside writers is built anew where a build was cut off', async () => {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql'))
  let count = 0
  for (const name of names) {
    const text = await readFile(path.join(migrationsFolder, name), 'utf8')
    if (!isPiecemeal(text)) continue
    for (const piece of toPieces(text)) {
      if (!/^create (unique )?index/.test(piece)) continue
      assert.ok(toBuild(piece), `${name}: ${piece}`)
      count++
    }
  }
  assert.ok(count >= 13)
})

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

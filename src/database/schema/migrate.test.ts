import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pause } from '../../../test/support/locks.ts'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import { halfMigrated } from '../../../test/support/half-migrated.ts'
import { toUrl } from '../../../test/support/database.ts'
import { type Program, run } from '../../../test/support/program.ts'
import { foldName } from '../../domain/folding.ts'
import { oldestRelease } from '../../domain/release.ts'
import type { LocalAddress } from '../connections/connect.ts'
import { migrate, turnLock } from './migrate.ts'
import { createMigrationsTable, knownMigrations, requireOwnFiles, runWhole } from './migrations.ts'
import { statement, statements } from '../statements/statement.ts'

test('a database that lacks a migration before its last one is not changed', async (t) => {
  const { address, sql } = await bank(t)
  assert.deepEqual(await migrate(address), [], 'nothing is new')
  const names = 'select name from strongroom.migrations order by id'
  const [, second] = await sql(names)
  await sql('delete from strongroom.migrations where name = $1', [second?.['name']])
  const left = await sql(names)
  await assert.rejects(
    migrate(address),
    /The migration 0002_accounts is missing before 0003_ledger/,
  )
  assert.deepEqual(await sql(names), left)
})

/**
 * The databases of the tests are copies of one: their tables have the same OIDs, and `pg_locks`
 * shows the locks of all databases.
 */
const isHere = 'database = (select oid from pg_database where datname = current_database())'

const isAskingForItsTurn = `select query_start::text from pg_stat_activity
  where datname = current_database() and query like 'select pg_try_advisory_lock%'`

test('a migration waits for a dump without holding up reads for as long as a request may wait, and is done after it', async (t) => {
  const { address, sql, missing, other, said, say } = await halfMigrated(t)
  await other.query('begin; lock table beneficiaries in access share mode')
  const migrating = migrate(address, { say, pauseMsMax: 100 })
  const isWaiting = `select from pg_locks where not granted and mode = 'AccessExclusiveLock'
    and relation = 'beneficiaries'::regclass and ${isHere}`
  while ((await sql(isWaiting)).length === 0) await pause()
  // That of the service.
  await sql(`set lock_timeout = '1500ms'`)
  await sql('select id from beneficiaries')
  while ((await sql(isWaiting)).length === 0) await pause()
  assert.match(said.join(''), /^Another session, .* is tried again for 10 minutes\.\n$/)
  await other.query('commit')
  assert.deepEqual(await migrating, missing)
  assert.deepEqual(await sql('select trusted from beneficiaries'), [])
})

test('a migration that ends a deadlock is run again', async (t) => {
  const { address, sql, missing, other, say } = await halfMigrated(t)
  const dump = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  dump.on('error', () => {})
  await dump.connect()
  const isWaiting = (mode: string, table: string) =>
    sql(
      `select from pg_locks where not granted and mode = $1 and relation = $2::regclass
         and ${isHere}`,
      [mode, table],
    ).then((rows) => rows.length > 0)
  // The migration gets its table before the other session, which has what the migration needs next.
  await other.query(`set deadlock_timeout = '1min'; begin; lock table migrations in share mode`)
  await dump.query('begin; lock table beneficiaries in access share mode')
  const impatient = { ...address, options: '-c deadlock_timeout=50ms' }
  const migrating = migrate(impatient, { say, pauseMsMax: 0 })
  migrating.catch(() => {})
  while (!(await isWaiting('AccessExclusiveLock', 'beneficiaries'))) await pause()
  const reading = other.query('select from beneficiaries')
  while (!(await isWaiting('AccessShareLock', 'beneficiaries'))) await pause()
  await dump.query('commit')
  await reading
  await other.query('commit')
  assert.deepEqual(await migrating, missing)
})

test('a migration that keeps its tables for longer than a request waits gives way to one', async (t) => {
  const { address, sql, missing, other } = await halfMigrated(t)
  await sql(`create function public.linger() returns event_trigger language plpgsql as
    $$ begin perform pg_sleep(30); end $$;
    create event trigger linger on ddl_command_end when tag in ('ALTER TABLE')
      execute function public.linger()`)
  const migrating = migrate(address, { pauseMsMax: 500 })
  migrating.catch(() => {})
  const isHeld = `select from pg_locks where granted and mode = 'AccessExclusiveLock'
    and relation = 'beneficiaries'::regclass and ${isHere}`
  while ((await other.query(isHeld)).rows.length === 0) await pause()
  await other.query(`set lock_timeout = '1500ms'`)
  await other.query('select from beneficiaries')
  await sql('drop event trigger linger')
  assert.deepEqual(await migrating, missing)
})

test('a migration whose table stays locked fails in one line, and leaves nothing behind', async (t) => {
  const { address, sql, other } = await halfMigrated(t)
  await other.query('begin; lock table beneficiaries in access share mode')
  await assert.rejects(
    migrate(address, { patienceMs: 60, pauseMsMax: 0 }),
    /^Error: another session, .* has kept a table locked for 0\.001 minutes; migrate again /,
  )
  assert.equal((await sql('select from migrations')).length, 11)
})

test('people of before are found by their folded names after a migration, also when it was interrupted', async (t) => {
  const { address, sql } = await halfMigrated(t)
  await sql(
    `insert into users (id, username, email, given_name, family_name, roles, created_at)
     select gen_random_uuid(), 'person' || n, n || '@example.com', 'İbrahim' || n, 'ΝΊΚΟΣ',
       '{customer}', now() from generate_series(1, 1203) as n`,
  )
  await migrate(address)
  const found = async (text: string) =>
    (await sql('select from people_named($1)', [foldName(text)])).length
  assert.deepEqual([await found('ibrahim7 νικος'), await found('ΝΊΚΟΣ')], [1, 1203])
  await sql('update users set folded_name = null where username = $1', ['person1203'])
  assert.deepEqual([await found('İbrahim1203'), await found('ΝΊΚΟΣ')], [0, 1202])
  assert.deepEqual(await migrate(address), [])
  assert.deepEqual([await found('İbrahim1203'), await found('ΝΊΚΟΣ')], [1, 1203])
  const alike = async () =>
    (await sql(`select from user_words where words @@ $1::tsquery`, [`'~${foldName('ΝΊΟΣ')}'`]))
      .length
  assert.equal(await alike(), 1203)
  await sql('delete from user_words where user_id in (select id from users limit 1100)')
  await sql(`delete from migrations where name >= '0124'`)
  assert.deepEqual(await migrate(address), [
    '0124_words_of_people',
    '0128_member_mails',
    '0129_rights_of_members',
    '0130_due_memberships',
    '0137_entry_notes',
    '0140_lapsed_invitations',
    '0141_member_events',
    '0150_trail_end',
    '0151_trail_end_proved',
    '0152_trail_of_years',
    '0158_sessions_of_drafts',
    '0159_sessions_of_invitations',
    '0160_keys_of_drafts',
    '0161_revocations_of_ended_sessions',
    '0162_keys_of_invitations',
    '0165_signatures_of_days',
    '0166_changers_of_invitations',
    '0167_ends_of_invitations',
    '0168_disputes_by_account',
    '0169_logouts_of_both',
    '0170_brought_back',
    '0171_brought_back_filled',
    '0172_transfers_of_years',
    '0173_transfers_analyzed',
    '0174_locks_of_parts',
    '0180_archives',
    '0181_archived_terms_of_accounts',
    '0182_years_in_order',
    '0183_trail_in_order',
    '0184_transfers_in_order',
    '0185_views_of_years',
  ])
  assert.equal(await alike(), 1203, 'the words of people of before')
})

test('a person whose row is held is folded once it is free', async (t) => {
  const { address, sql } = await bank(t)
  const holder = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  holder.on('error', () => {})
  await holder.connect()
  await sql('update users set folded_name = null')
  await holder.query('begin; select from users for update')
  const said: string[] = []
  const migrating = migrate(address, { say: (text) => void said.push(text), pauseMsMax: 0 })
  migrating.catch(() => {})
  while (said.length === 0) await pause()
  await holder.query('commit')
  assert.deepEqual(await migrating, [])
  await holder.end()
  assert.deepEqual(await sql('select from users where folded_name is null'), [])
})

test('a migration whose process is killed in the middle leaves nothing behind', async (t) => {
  const { address, sql } = await bank(t)
  const [other, killed] = [new pg.Client(address), new pg.Client(address)]
  for (const client of [other, killed]) {
    client.on('error', () => {})
    await client.connect()
  }
  t.after(() => other.end())
  await other.query('select pg_advisory_lock(1)')
  await createMigrationsTable(killed)
  const { rows } = await killed.query('select pg_backend_pid() as pid')
  const waits = 'select from pg_locks where pid = $1 and not granted'
  const lives = 'select from pg_stat_activity where pid = $1'
  const find = async (asked: string) => (await sql(asked, [rows[0].pid])).length > 0
  const work = runWhole(killed, '9999_killed', 'select pg_advisory_lock(1); create table killed ()')
  const failed = assert.rejects(work)
  while (!(await find(waits))) await pause()
  killed.connection.stream.destroy()
  await failed
  await other.query('select pg_advisory_unlock(1)')
  while (await find(lives)) await pause()
  const [found] = await sql(`select to_regclass('strongroom.killed') as made,
    (select count(*)::int from migrations where name = '9999_killed') as stored`)
  assert.deepEqual(found, { made: null, stored: 0 })
})

test('the wait for another process that migrates has no end', async (t) => {
  const { address, sql, missing, other, said, say } = await halfMigrated(t)
  await other.query('select pg_advisory_lock($1)', [turnLock])
  const migrating = migrate(address, { say, patienceMs: 0 })
  const asked = new Set<unknown>()
  while (asked.size < 3) {
    const [asking] = await sql(isAskingForItsTurn)
    if (asking) asked.add(asking['query_start'])
    await pause()
  }
  await other.query('select pg_advisory_unlock_all()')
  assert.deepEqual(await migrating, missing)
  assert.deepEqual(said, [])
})

test('a process that waited while a newer release migrated refuses what that made', async (t) => {
  const { address, sql, other } = await halfMigrated(t, '0025_entries_without_texts')
  await other.query('select pg_advisory_lock($1)', [turnLock])
  const migrating = migrate(address)
  while ((await sql(isAskingForItsTurn)).length === 0) await pause()
  await sql(
    `insert into strongroom.migrations (name, run_on, oldest_release)
     values ('9999_later', now(), '99.0.0')`,
  )
  await other.query('select pg_advisory_unlock_all()')
  await assert.rejects(migrating, /by a newer Strongroom \(9999_later\)/)
  assert.deepEqual(await sql(`select from strongroom.migrations where name like '0025%'`), [])
})

test('SIGTERM ends a start at once that waits for a table or for another migration', async (t) => {
  const { address, sql, other } = await halfMigrated(t)
  const start = () => {
    const program = run(['serve'], { DATABASE_URL: toUrl(address as LocalAddress) })
    t.after(() => program.child.kill('SIGKILL'))
    return program
  }
  const end = (program: Program) => {
    program.child.kill('SIGTERM')
    return program.ended
  }
  await other.query('begin; lock table beneficiaries in access share mode')
  const locked = start()
  await locked.says(/^Another session, /m)
  assert.equal(await end(locked), 0, locked.err())
  await other.query('rollback')

  await other.query('select pg_advisory_lock($1)', [turnLock])
  const inTurn = start()
  while ((await sql(isAskingForItsTurn)).length === 0) await pause()
  assert.equal(await end(inTurn), 0, inTurn.err())
  assert.equal((await sql('select from migrations')).length, 11)
})

test('a migration that pauses for a table ends within the pause', async (t) => {
  const { address, other } = await halfMigrated(t)
  await other.query('begin; lock table beneficiaries in access share mode')
  const stop = new AbortController()
  const migrating = migrate(address, { say: () => stop.abort(), signal: stop.signal })
  await assert.rejects(migrating, { name: 'AbortError' })
})

test('an operation that is stored by an older name is the same operation by its new name', async (t) => {
  const { address, sql } = await halfMigrated(t, '0017_operation_names')
  const id = (n: number): string => `01981f7e-4c00-7000-8000-00000000000${n}`
  await sql(
    `insert into service_accounts
       (id, name, reads_all, pay_from, operations, addresses, administrators, created_at)
     values ($1, 'Till', false, '{}', $3, '{}', '{}', now()),
       ($2, 'Viewer', false, '{}', '{getAccountDetails}', '{}', '{}', now())`,
    [id(1), id(2), ['postAdminTransferSettle', 'getAccountDetails', 'deleteAccount', 'gone']],
  )
  await sql(
    `insert into approvals
       (id, operation, request, maker_id, maker_session_id, created_at, expires_at)
     values ($1, 'createAdminAccountDeposit', '{}', $2, $2, now(), now()),
       ($2, 'updateAccountSettings', '{}', $2, $2, now(), now())`,
    [id(3), id(4)],
  )
  await sql(
    `insert into users (id, username, email, given_name, family_name, roles, created_at)
     values ($1, 'ada', 'ada@example.com', 'Ada', 'Okafor', '{customer}', now())`,
    [id(5)],
  )
  await sql(
    `insert into challenges
       (id, purpose, session_id, user_id, operation, terms, digest, nonce, created_at, expires_at)
     values ($1, 'confirmation', $1, $1, 'createAccount', '{}', sha256('a'), sha256('b'),
       now(), now())`,
    [id(5)],
  )
  await migrate(address)
  assert.deepEqual(await sql('select operations from service_accounts order by id'), [
    { operations: ['settleTransfer', 'getAccountDetails', 'closeAccount', 'gone'] },
    { operations: ['getAccountDetails'] },
  ])
  assert.deepEqual(await sql('select operation from approvals order by id'), [
    { operation: 'createDeposit' },
    { operation: 'updateAccountSettings' },
  ])
  assert.deepEqual(await sql('select from challenges'), [], 'a digest has the older name')
  assert.deepEqual(await sql(`select to_regclass('renamed') as left`), [{ left: null }])
})

test('no new name of an operation was the name of another one', async () => {
  const text = await readFile(
    fileURLToPath(new URL('../../../migrations/0017_operation_names.sql', import.meta.url)),
    'utf8',
  )
  const renamed = [...text.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(([, old, now]) => [old, now])
  const olds = renamed.map(([old]) => old)
  const news = renamed.map(([, now]) => now)
  assert.ok(renamed.length > 30)
  assert.deepEqual(
    news.filter((name) => olds.includes(name)),
    [],
  )
  assert.equal(new Set(news).size, news.length)
})

test('the hash of each file is stored, also of those that ran before hashes were kept', async (t) => {
  const { address, sql } = await halfMigrated(t, '0019_migration_hashes')
  await migrate(address)
  const hashes = 'select name, sha256, oldest_release from strongroom.migrations order by id'
  const known = await knownMigrations()
  const stored = await sql(hashes)
  assert.deepEqual(
    stored.map(({ name, sha256 }) => ({ name, sha256 })),
    known,
  )
  assert.equal(stored.at(0)?.['oldest_release'], null)
  assert.equal(stored.at(18)?.['oldest_release'], oldestRelease)
  // One whose process was killed before the others were stored.
  for (const which of [`name < '0019'`, 'true']) {
    await sql(`update strongroom.migrations set sha256 = null where ${which}`)
    await migrate(address)
    assert.deepEqual(await sql(hashes), stored, which)
  }
})

test('a file that is not the one that was run is refused by its name, and nothing is changed', async (t) => {
  const { address, sql } = await bank(t)
  await sql(`update strongroom.migrations set sha256 = repeat('0', 64) where name like '0007%'`)
  const before = await sql('select name, sha256 from strongroom.migrations order by id')
  await assert.rejects(
    migrate(address),
    /^Error: The file 0007_events\.sql is not the one that made this database: /,
  )
  assert.deepEqual(await sql('select name, sha256 from strongroom.migrations order by id'), before)
})

test('a database whose files went is not called newer; one of a newer release is, unless that supports this one', () => {
  const known = [{ name: '0001_one', sha256: 'a' }]
  const applied = { name: '0001_one', sha256: null, oldestRelease: null }
  const of = (...more: Parameters<typeof requireOwnFiles>[0]) =>
    requireOwnFiles([applied, ...more], known, '0.2.1')
  assert.throws(
    () => of({ name: '0000_gone', sha256: 'b', oldestRelease: null }),
    /files that this version does not have \(0000_gone\): it cannot be upgraded/,
  )
  const next = { name: '0002_next', sha256: 'b', oldestRelease: '0.2.0' }
  of(next)
  of()
  const later = { name: '0003_later', sha256: 'c', oldestRelease: '0.3.0' }
  assert.throws(() => of(next, later), /by a newer Strongroom \(0003_later\)/)
  assert.throws(() => of({ ...next, oldestRelease: null }), /newer Strongroom \(0002_next\)/)
})

test('hashes are not taken over on a schema that the statements do not fit', async (t) => {
  const { address, sql, missing } = await halfMigrated(t, '0019_migration_hashes')
  statement('test_misfit', [], { id: 'uuid' }, 'select id from what_is_not_there')
  t.after(() => statements.delete('test_misfit'))
  await assert.rejects(
    migrate(address),
    /^Error: The schema does not fit this version of Strongroom \(test_misfit: relation "what_is/,
  )
  const stored = 'select from strongroom.migrations where sha256 is not null'
  assert.equal((await sql(stored)).length, missing.length, 'those of the files that ran')
})

test('entries from before they kept texts get the names of the day of the migration, without holding up the books for the whole of it', async (t) => {
  const { address, sql } = await halfMigrated(t, '0020_texts_of_entries')
  const id = (n: number): string => `01981f7e-4c00-7000-8000-00000000000${n}`
  await sql(
    `insert into users (id, username, email, given_name, family_name, roles, created_at)
     values ($1, 'ada', 'a@example.com', 'Ada', 'Okafor', '{customer}', now()),
       ($2, 'ben', 'b@example.com', 'Ben', 'Lindqvist', '{customer}', now())`,
    [id(1), id(2)],
  )
  await sql(
    `insert into accounts (id, owner_id, iban, currency, created_at)
     values ($1, $2, 'XX01', 'EUR', now()), ($3, $4, 'XX02', 'EUR', now())`,
    [id(3), id(1), id(4), id(2)],
  )
  await sql(
    `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
       created_at, caller_id, session_id, kind, status, currency, reference, counterparty_name,
       salt)
     values ($1, $2, $3, 1, 1, 5, '2026-01-02', $2, $2, 'transfer', 'completed', 'EUR', 'Rent',
       'Benny', uuid_send(gen_random_uuid()))`,
    [id(5), id(3), id(4)],
  )
  const addEntries = (seq: number) =>
    sql(
      `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
         kind)
       values ($1, $3, $4, -5, -5, now(), sha256('1'), 'transfer'),
         ($2, $3, $4, 5, 5, now(), sha256('2'), 'transfer')`,
      [id(3), id(4), id(5), seq],
    )
  await addEntries(1)
  await migrate(address)
  // As an instance that was started before the migration does.
  await addEntries(2)
  await sql(`update users set family_name = 'Other'`)
  const [filled] = await sql('select fill_entry_texts(3) as first, fill_entry_texts(9) as rest')
  assert.deepEqual(filled, { first: '3', rest: '1' })
  const texts = await sql(
    `select counterparty_name as name, counterparty_iban as iban, reference
     from entries order by account_id, seq`,
  )
  const [payee, payer] = [
    { name: 'Benny', iban: 'XX02', reference: 'Rent' },
    { name: 'Ada Okafor', iban: 'XX01', reference: 'Rent' },
  ]
  assert.deepEqual(texts, [payee, payee, payer, payer])
})

test('texts that were filled in and whose transfer an older version erased since are erased by the migration', async (t) => {
  const { address, sql } = await halfMigrated(t, '0026_erased_texts')
  const id = (n: number): string => `01981f7e-4c00-7000-8000-00000000000${n}`
  await sql(
    `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
       created_at, caller_id, session_id, kind, status, currency, reference, commitment, erasure_id)
     values ($1, $2, $3, 1, 1, 5, '2026-01-02', $2, $2, 'transfer', 'completed', 'EUR', '',
       sha256(''), $1)`,
    [id(5), id(3), id(4)],
  )
  await sql(
    `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
       kind, reference, counterparty_name, counterparty_iban)
     values ($1, $3, 1, -5, -5, now(), sha256('1'), 'transfer', 'Rent', 'Benny', 'XX02'),
       ($2, $3, 1, 5, 5, now(), sha256('2'), 'transfer', 'Rent', 'Ada Okafor', 'XX01')`,
    [id(3), id(4), id(5)],
  )
  await migrate(address)
  const texts = await sql('select reference, counterparty_name, counterparty_iban from entries')
  const none = { reference: '', counterparty_name: null, counterparty_iban: null }
  assert.deepEqual(texts, [none, none])
})

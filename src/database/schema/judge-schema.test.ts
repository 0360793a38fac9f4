// A schema that the statements do not fit: the start ends, and an instance that runs is not ready.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import net from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { pause } from '../../../test/support/locks.ts'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import type { Refusal } from '../../domain/errors.ts'
import { release } from '../../domain/release.ts'
import { type LocalAddress, openDatabase } from '../connections/connect.ts'
import { statement, statements } from '../statements/statement.ts'
import { requireFit, watchFit } from './judge-schema.ts'
import { toUrl } from '../../../test/support/database.ts'
import { freePort, run } from '../../../test/support/program.ts'
import { world } from '../../../test/support/world.ts'

test('a start finds the statements under the names that they have, small letters or not', async (t) => {
  const { address } = await bank(t)
  statement('test_hasCapitals', [], { one: 'int4' }, 'select 1 as one')
  t.after(() => statements.delete('test_hasCapitals'))
  await requireFit(address)
})

test('it is said that PostgreSQL prepares the statements while it does, and a misfit is refused after it', async (t) => {
  const { address, sql } = await bank(t)
  const locking = new pg.Client(address)
  locking.on('error', () => {})
  await locking.connect()
  t.after(() => locking.end())
  await locking.query('begin; lock table strongroom.cards in access exclusive mode')
  const said = Promise.withResolvers<void>()
  const more = ['-c lock_timeout=0']
  const judged = requireFit(address, { more, onJudging: said.resolve }).then(() => 'judged')
  await said.promise
  assert.equal(await Promise.race([judged, pause().then(() => 'judging')]), 'judging')
  await locking.query('commit')
  assert.equal(await judged, 'judged')

  await sql('alter function strongroom.people_found(text, text) rename to people_searched')
  let count = 0
  const refused = requireFit(address, { onJudging: () => void count++ })
  await assert.rejects(refused, /function people_found\(.+\) does not exist/)
  assert.equal(count, 1)
})

test('while the statements are prepared nothing listens and nothing is written, and then the start goes on', async (t) => {
  const { address, sql } = await bank(t)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-judged-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const locking = new pg.Client(address)
  locking.on('error', () => {})
  await locking.connect()
  t.after(() => locking.end())
  await locking.query('begin; lock table strongroom.cards in access exclusive mode')
  const [httpsPort, httpPort] = [await freePort(), await freePort()]
  const program = run([], {
    DATABASE_URL: toUrl(address as LocalAddress),
    DATA_DIR: folder,
    HTTPS_PORT: String(httpsPort),
    HTTP_PORT: String(httpPort),
    METRICS_PORT: '0',
  })
  t.after(() => program.child.kill('SIGKILL'))
  const isWaiting = `select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query like 'prepare %'`
  while ((await sql(isWaiting)).length === 0) await pause()
  for (const port of [httpsPort, httpPort]) {
    await assert.rejects(once(net.connect({ host: '127.0.0.1', port }), 'connect'), /ECONNREFUSED/)
  }
  assert.deepEqual(await readdir(folder), [])
  await locking.query('commit')
  await program.says(/Strongroom is ready/)
  assert.ok((await readdir(folder)).includes('tls'))
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0)
})

test('a schema that does not fit ends the start with 2 and one line', async (t) => {
  const { address, sql } = await world(t)
  const refused = async (args: readonly string[]) => {
    const settings = { DATABASE_URL: toUrl(address as LocalAddress), HTTPS_PORT: '0' }
    const program = run(args, { ...settings, HTTP_PORT: '0', METRICS_PORT: '0' })
    t.after(() => program.child.kill('SIGKILL'))
    assert.equal(await program.ended, 2, program.err())
    assert.doesNotMatch(program.out(), /ready/)
    return program.err()
  }
  await sql('alter table accounts alter column name type varchar(200)')
  assert.match(
    await refused([]),
    /^The schema does not fit this version of Strongroom \(\w+: its types\): .+\.\n$/,
  )
  await sql('alter function people_found(text, text) rename to people_searched')
  const line =
    /^The schema .* \(\w+: function people_found\(.+\) does not exist\): other files made .+\.\n$/
  assert.match(await refused([]), line)
  assert.match(await refused(['migrate']), line)
})

test('an instance under which the schema changed is ready only while its statements fit', async (t) => {
  const { send, sql, logged } = await world(t)
  const readiness = async () => (await send('GET', '/readyz')).status
  const addMigration = (name: string, supports = release) =>
    sql('insert into migrations (name, run_on, oldest_release) values ($1, now(), $2)', [
      name,
      supports,
    ])
  // A judgement that takes long on a busy machine leaves the one before it until it has ended.
  const becomes = async (status: number) => {
    while ((await readiness()) !== status) await pause()
    assert.equal(await readiness(), status)
  }
  assert.equal(await readiness(), 200)
  await addMigration('9998_expands')
  assert.equal(await readiness(), 200, logged.at(-1))
  await sql('alter function people_found(text, text) rename to people_searched')
  await addMigration('9999_contracts')
  await becomes(503)
  await sql('alter function people_searched(text, text) rename to people_found')
  await becomes(200)
  await addMigration('9999_later', '99.0.0')
  await becomes(503)
})

test('a migration that holds tables locked leaves instances as ready as they were, and ready in time', async (t) => {
  const { send, sql, address } = await world(t)
  const migrating = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  migrating.on('error', () => {})
  await migrating.connect()
  const add = (name: string) =>
    sql('insert into migrations (name, run_on, oldest_release) values ($1, now(), $2)', [
      name,
      release,
    ])
  const readiness = async () => {
    const startedAt = performance.now()
    const { status } = await send('GET', '/readyz')
    return { status, ms: performance.now() - startedAt }
  }
  await add('9997_one')
  // As the building of an index does: reads go on, all other statements wait.
  await migrating.query('begin; lock table transfers in share mode')
  for (let check = 0; check < 3; check++) {
    const { status, ms } = await readiness()
    assert.equal(status, 200)
    // 1 s is half of what a proxy waits.
    assert.ok(ms < 2 * 500 * Math.max(1, loadavg()[0] ?? 1), `${Math.round(ms)} ms`)
  }
  await migrating.query('commit; alter function people_found(text, text) rename to people_searched')
  while ((await readiness()).status !== 503) await pause()
  await migrating.query('begin; lock table transfers in share mode')
  assert.equal((await readiness()).status, 503, 'a bad verdict stays too')
  await migrating.query('commit; alter function people_searched(text, text) rename to people_found')
  while ((await readiness()).status !== 200) await pause()
})

test('an instance whose schema changed between its judgement and its first readiness is judged again', async (t) => {
  const { address, sql } = await bank(t)
  await sql('alter function strongroom.people_found(text, text) rename to people_searched')
  await sql(
    `insert into strongroom.migrations (name, run_on, oldest_release)
     values ('9999_contracts', now(), $1)`,
    [release],
  )
  const db = openDatabase(address)
  t.after(() => db.close())
  const fit = await watchFit(db, address)
  const judged = async () => fit.require().catch((thrown: unknown) => thrown)
  let refused = await judged()
  while (refused === undefined) {
    await pause()
    refused = await judged()
  }
  assert.equal((refused as Refusal).code, 'unavailable')
})

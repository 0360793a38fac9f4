// A schema that the statements do not fit: the start ends, and an instance that runs is not ready.
import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
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
import { run } from '../../../test/support/program.ts'
import { world } from '../../../test/support/world.ts'

test('a start finds the statements under the names that they have, small letters or not', async (t) => {
  const { address } = await bank(t)
  statement('test_hasCapitals', [], { one: 'int4' }, 'select 1 as one')
  t.after(() => statements.delete('test_hasCapitals'))
  await requireFit(address)
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

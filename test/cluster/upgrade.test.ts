// Each release that went out is upgraded to this one: its data folder, its rows in a database of
// one's own, and its instances in turn under load. What is stored of them is in releases/.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReach } from '../../src/app/reach.ts'
import { start } from '../../src/app/start.ts'
import { prepareDatabase } from '../../src/cli/serve.ts'
import { readConfig } from '../../src/config/config.ts'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { serviceLogin } from '../../src/gate/provision.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { query } from '../faults/base.ts'
import { openClient, type StormClient } from '../faults/client.ts'
import { type History, newHistory, type Slow, violate } from '../faults/history.ts'
import { admin, logIn, settings } from '../faults/seed.ts'
import { runWorkload } from '../faults/workload.ts'
import { client, patiently, type Reply } from '../support/client.ts'
import { fakeClock } from '../support/clock.ts'
import { cloneTemplate, cluster, toUrl } from '../support/database.ts'
import { wide } from '../support/limits.ts'
import { freePort, type Program, run } from '../support/program.ts'
import { seenDown, seenUp, startHaproxy } from './haproxy.ts'
import { addManyRows, removeManyRows } from './many-rows.ts'
import { end, programs } from './programs.ts'
import { assertKept, type KnownBank } from './releases/bank.ts'
import {
  loadBank,
  loadRows,
  type Rows,
  storedReleases,
  unpackFolder,
  unpackProgram,
} from './releases/files.ts'

const releases = await storedReleases()
const last = releases.at(-1) as string

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-upgrade-'))
  await chmod(folder, 0o755)
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A database of its own without anything in it. */
async function emptyDatabase(t: TestContext): Promise<LocalAddress> {
  const { address, stop } = await cloneTemplate(await cluster())
  t.after(stop)
  await query(address, 'drop schema strongroom cascade')
  return address
}

async function must(args: readonly string[], given: Record<string, string>, program?: string) {
  const done = run(args, given, [], program)
  assert.equal(await done.ended, 0, done.err())
  return done.err()
}

/**
 * Starts this version on the bank, at the time at which the bank was made: sessions and keys for a
 * repetition are still good.
 */
async function assertUpgraded(
  t: TestContext,
  address: LocalAddress,
  known: KnownBank,
  login: LocalAddress = address,
): Promise<void> {
  await prepareDatabase(address)
  const dataDir = path.join(await newFolder(t), 'data')
  const config = readConfig({
    STRONGROOM_DATA_DIR: dataDir,
    STRONGROOM_HTTPS_PORT: '0',
    STRONGROOM_HTTP_PORT: '0',
    STRONGROOM_METRICS_PORT: '0',
    STRONGROOM_PORTAL: 'off',
    STRONGROOM_PUBLIC_URL: known.publicUrl,
    STRONGROOM_LIMITS: wide,
  })
  const clock = fakeClock(known.madeAt + 1000)
  const log = createLog('fatal')
  const { signal } = new AbortController()
  const reach = createReach({ log, signal, clock: systemClock() })
  const running = await start(config, login, { clock, log, reach })
  const { send, close } = client(
    running.httpsPort,
    await readFile(running.certificate.caPath as string),
  )
  try {
    // A slow machine may refuse at first: nothing has happened then.
    const isRefused = ({ body }: Reply) => body?.code === 'unavailable'
    await assertKept((...asked) => patiently(() => send(...asked), isRefused), known)
  } finally {
    close()
    await running.close()
  }
}

for (const release of releases) {
  test(`the data folder of ${release} is upgraded: logins, sessions, keys, answers to a repetition and earlier heads hold`, async (t) => {
    const folder = path.join(await newFolder(t), 'data')
    await unpackFolder(release, folder)
    const known = await loadBank(release)
    const embedded = await startEmbedded(folder)
    try {
      const { address } = embedded
      await assertUpgraded(t, address, known, await serviceLogin(address))
    } finally {
      await embedded.stop()
    }
    const heads = path.join(folder, 'heads')
    await writeFile(heads, known.heads)
    const verified = await must(['verify', '--since', heads], { DATA_DIR: folder })
    assert.match(verified, /are on their chains/)
  })

  test(`a backup of ${release} passes its drill and is restored; verify on its folder asks for a migration`, async (t) => {
    const folder = path.join(await newFolder(t), 'data')
    await unpackFolder(release, folder)
    const heads = path.join(folder, 'heads')
    await writeFile(heads, (await loadBank(release)).heads)
    const program = run(['verify'], { DATA_DIR: folder })
    assert.equal(await program.ended, 2)
    assert.match(program.err(), /^The database has the schema of an older release .*\n$/)
    const backup = path.join(path.dirname(folder), 'backup')
    await must(['backup', backup], { DATA_DIR: folder })
    const restored = { DATA_DIR: path.join(path.dirname(folder), 'restored') }
    const options = ['--since', heads]
    const drill = ['restore', backup, '--drill', '--scratch', path.dirname(folder), ...options]
    assert.match(await must(drill, restored), /The books are sound[^]*can be restored/)
    await must(['restore', backup, ...options], restored)
    assert.match(await must(['verify', ...options], restored), /are on their chains/)
  })

  test(`the rows of ${release} in a database of one's own are upgraded: the same holds`, async (t) => {
    const folder = await newFolder(t)
    const program = await unpackProgram(release, path.join(folder, 'program'))
    const address = await emptyDatabase(t)
    const given = { DATABASE_URL: toUrl(address) }
    await must(['migrate'], given, program)
    const former = await columnsOf(address)
    await insertRows(address, await loadRows(release))
    const known = await loadBank(release)
    await prepareDatabase(address)
    await assertEarlierRows(address, former)
    await assertUpgraded(t, address, known)
    const heads = path.join(folder, 'heads')
    await writeFile(heads, known.heads)
    assert.match(await must(['verify', '--since', heads], given), /are on their chains/)
  })
}

/** What earlier rows have in a column that came after them, but for null, by its default. */
const inEarlierRows: Record<string, string> = {
  'accounts.active_holds': '0',
  'accounts.held': '0',
  'accounts.is_below_told': 'f',
  'accounts.mark_count': '0',
  'accounts.unarranged': '0',
  'card_authorizations.is_cleared': 'f',
  'card_authorizations.tolerance': '0',
  'cards.pays_abroad': 't',
  'cards.pays_cash': 't',
  'cards.pays_contactless': 't',
  'cards.pays_online': 't',
  'cards.spent_amount': '0',
  'entries.texts_in_chain': 'f',
  'hold_captures.unheld': '0',
  'sessions.issuer_factor': 'f',
  'standing_order_runs.on_holiday': 'pay',
  'standing_orders.on_holiday': 'pay',
  'unconfirmed_payments.transfer_ids': '{}',
}

/** Columns that a migration fills in earlier rows, from what these say themselves. */
const filledInEarlierRows = new Set(['accounts.code'])

/** Each column of a table, with what it says of rows that are older than it. */
async function columnsOf(address: LocalAddress): Promise<Map<string, string>> {
  const rows = await query(
    address,
    `select c.relname || '.' || a.attname as name,
       coalesce((a.attmissingval::text::text[])[1], 'null') as value
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'strongroom'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and a.attnum > 0 and not a.attisdropped
     order by 1`,
  )
  return new Map(rows.map(({ name, value }) => [String(name), String(value)]))
}

/** What the rows of a table have in a column, written as PostgreSQL does. */
async function valuesOf(address: LocalAddress, column: string): Promise<string[]> {
  const [table, name] = column.split('.')
  const rows = await query(
    address,
    `select distinct coalesce(format('%s', ${name}), 'null') as value from ${table}
     where ${name} is not null order by 1 limit 3`,
  )
  return rows.map(({ value }) => String(value))
}

/**
 * None of them says that something happened which the release before could not know: neither by the
 * default of a later column, nor by what a migration has written into it.
 */
async function assertEarlierRows(
  address: LocalAddress,
  former: ReadonlyMap<string, string>,
): Promise<void> {
  const tableOf = (column: string) => column.split('.')[0]
  const tables = new Set([...former.keys()].map(tableOf))
  for (const [column, value] of await columnsOf(address)) {
    if (former.has(column) || !tables.has(tableOf(column))) continue
    const expected = inEarlierRows[column] ?? 'null'
    assert.equal(value, expected, column)
    const others = (await valuesOf(address, column)).filter((each) => each !== expected)
    if (!filledInEarlierRows.has(column)) assert.deepEqual(others, [], column)
  }
}

/** As a dump is restored: without triggers, and in place of what the migrations have put there. */
async function insertRows(address: LocalAddress, rows: Rows): Promise<void> {
  const names = Object.keys(rows)
  const texts = names.map(
    (name) => `
      insert into ${name} overriding system value
      select r.* from jsonb_populate_recordset(null::${name}, ${literal(rows[name])}) r;`,
  )
  await query(
    address,
    `set session_replication_role = replica; truncate ${names.join(', ')}; ${texts.join('')}
     select setval(pg_get_serial_sequence(attrelid::regclass::text, attname), 1000000)
     from pg_attribute where attidentity <> '' and attrelid::regclass::text = any (array[
       ${names.map((name) => literal(name)).join(', ')}])`,
  )
}

const literal = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}

test(`${last} does not start on a schema that no longer supports it`, async (t) => {
  const folder = await newFolder(t)
  const program = await unpackProgram(last, path.join(folder, 'program'))
  const address = await emptyDatabase(t)
  const given = { DATABASE_URL: toUrl(address), DATA_DIR: folder, HTTPS_PORT: '0' }
  await must(['migrate'], given)
  await must(['migrate'], given, program)
  await query(
    address,
    `insert into migrations (name, run_on, oldest_release) values ('9999_later', now(), '99.0.0')`,
  )
  for (const command of ['serve', 'migrate']) {
    const refused = run([command], given, [], program)
    t.after(() => refused.child.kill('SIGKILL'))
    assert.equal(await refused.ended, 2, refused.err())
    assert.match(refused.err(), /^The database was made by a newer Strongroom \(9999_later\)\.\n$/)
  }
})

/** HAProxy checks each second. */
const checkMs = 1000
const instanceCount = 3

/** Three instances of that program behind HAProxy, on a database that it has made. */
async function openInstances(t: TestContext, former: string) {
  const folder = await newFolder(t)
  const address = await emptyDatabase(t)
  const dataDir = path.join(folder, 'shared')
  const servicePorts = await Promise.all(Array.from({ length: instanceCount }, freePort))
  const frontPort = await freePort()
  const haproxy = await startHaproxy(folder, { dataDir, servicePorts, frontPort })
  const pair = path.join(dataDir, 'tls/server.secret.pem')
  const given = {
    ...settings,
    PUBLIC_URL: `https://localhost:${frontPort}`,
    DATABASE_URL: toUrl(address),
    TLS_CERT: pair,
    TLS_KEY: pair,
    TRUSTED_PROXIES: '127.0.0.1',
    PORTAL: 'off',
    DRAIN: '4s',
  }
  const all = new Set<Program>()
  t.after(async () => {
    for (const { child } of all) child.kill('SIGKILL')
    await end(haproxy)
  })
  async function launch(index: number, program?: string, turn = 1): Promise<Program> {
    const own = { DATA_DIR: path.join(folder, String(index)), HTTPS_PORT: `${servicePorts[index]}` }
    const started = run([], { ...given, ...own }, [], program)
    all.add(started)
    const isReady = await started.says(/Strongroom is ready/).catch(() => undefined)
    if (isReady) return started
    // 0.3.0 asks its database once, for 2 s: its supervisor starts it again.
    const isAgain = program !== undefined && turn < 5 && (await started.ended) === 1
    assert.ok(isAgain, started.err())
    return launch(index, program, turn + 1)
  }
  const instances: Program[] = []
  for (let index = 0; index < instanceCount; index++) instances.push(await launch(index, former))
  await seenUp(folder)
  return {
    address,
    frontPort,
    ca: await readFile(path.join(dataDir, 'tls/ca.pem')),
    migrate: () => must(['migrate'], given),
    async replace(index: number, program?: string): Promise<void> {
      const leaving = instances[index] as Program
      leaving.child.kill('SIGTERM')
      assert.equal(await leaving.ended, 0, leaving.err())
      await seenDown(folder, index)
      instances[index] = await launch(index, program)
      await seenUp(folder)
    },
    logged: () => [...all].map((each) => each.out()).join(''),
  }
}

/** Payments that the bank has when it is upgraded. */
const rowCount = Number.parseInt(process.env['UPGRADE_ROWS'] ?? '200000', 10)

/** The Retry-After of the service. */
const retryMs = 1000

/**
 * A machine that has more to do than it can may refuse what waits behind a lock of the migration,
 * once: what is asked behind the Retry-After is answered. Gives what failed otherwise.
 */
const brokenOf = (failed: readonly Slow[], { from, until }: { from: number; until: number }) =>
  failed.filter(({ what, sentAt, endedAt }) => {
    const isTold = what.endsWith(' 503 unavailable') && endedAt > from && sentAt < until
    const again = endedAt + retryMs
    return !isTold || failed.some((other) => other.sentAt > again)
  })

/** What staff read while `work` runs, one after the other: how many, and what was not ready. */
async function readDuring(client: StormClient, history: History, work: () => Promise<unknown>) {
  const session = await logIn(client, history, 0, admin.username)
  assert.ok(session)
  const over = new AbortController()
  const working = work().finally(() => over.abort())
  let count = 0
  const from = performance.now()
  const unready: Slow[] = []
  while (!over.signal.aborted) {
    const startedAt = performance.now()
    for (const what of ['/api/v1/admin/accounts', '/api/v1/admin/transfers', '/readyz']) {
      const { reply, sentAt } = await client.ask(0, 'GET', what, { session })
      const isFine = reply?.status === 200
      // The history has what failed.
      if (!isFine && reply && reply.status < 500) violate(history, `${what}: ${reply.text}`)
      if (!isFine && what === '/readyz') {
        unready.push({ what: `${what} ${reply?.text}`, sentAt, endedAt: performance.now() })
      }
      count++
    }
    await sleep(Math.max(0, 50 - (performance.now() - startedAt)))
  }
  await working
  return { count, unready, time: { from, until: performance.now() } }
}

test(
  `instances of ${last} with ${rowCount} payments are replaced in turn under load, and no request fails`,
  { skip: programs.haproxy === undefined && 'haproxy is not installed', timeout: 1_500_000 },
  async (t) => {
    const former = await unpackProgram(last, path.join(await newFolder(t), 'program'))
    const { address, frontPort, ca, migrate, replace, logged } = await openInstances(t, former)
    const startedAt = performance.now()
    await addManyRows(address, rowCount)
    t.diagnostic(`their rows took ${Math.round(performance.now() - startedAt)} ms`)
    const history = newHistory()
    const open = openClient(history, [frontPort], ca, true)
    t.after(() => open.close())
    const notReadyAt = new Set<number>()
    let migrated = { from: 0, until: 0 }
    async function upgrade(): Promise<void> {
      // What was refused while the bank was filled is not of the upgrade.
      history.failed.splice(0)
      await sleep(1000)
      const { unready, ...reads } = await readDuring(open, history, migrate)
      migrated = reads.time
      t.diagnostic(`${reads.count} reads while the bank was migrated`)
      // A judgement of 0.3.0 gives up behind a lock: that is one check of a proxy, never two in a
      // row. In later releases the judgement before it counts meanwhile.
      for (const [index, { sentAt, what }] of unready.entries()) {
        t.diagnostic(`not ready once: ${what}`)
        notReadyAt.add(sentAt)
        const next = unready[index + 1]
        assert.ok(next === undefined || next.sentAt - sentAt > 2 * checkMs, what)
      }
      assert.ok(reads.count > 10)
      assert.equal(await removeManyRows(address), rowCount, 'their marks are counted')
      // One that ends in the middle of an upgrade is started again as what it was.
      await replace(0, former)
      for (let index = 0; index < instanceCount; index++) await replace(index)
    }
    const storm = () => ({ hangUpWithin: () => undefined, done: upgrade() })
    await runWorkload({ history, client: open, seed: 1, address, storm })
    assert.deepEqual(history.violations, [])
    const failed = history.failed.filter(({ sentAt }) => !notReadyAt.has(sentAt))
    assert.deepEqual(history.load > 1 ? brokenOf(failed, migrated) : failed, [])
    const paid = history.counts.get('POST /api/v1/transfers 201') ?? 0
    assert.ok(paid > 100, `${paid} payments`)
    t.diagnostic(`${paid} payments were acknowledged`)
    assert.doesNotMatch(logged(), /unhandled rejection|uncaught exception/)
  },
)

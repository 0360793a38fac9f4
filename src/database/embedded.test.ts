// The embedded PostgreSQL against what happens to a service: killed at any moment, started twice,
// started on folders that are broken, foreign, full, copied or very deep.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { findBinaries } from './embedded-program.ts'
import { capLog } from './embedded-watchdog.ts'
import { type Embedded, openEmbedded, startEmbedded } from './embedded.ts'
import { Unstartable } from './unstartable.ts'

const isRoot = process.getuid?.() === 0

/** A folder's path below a new one that all may pass through, removed after the test. */
async function newFolder(t: TestContext, name = 'data'): Promise<string> {
  const parent = await mkdtemp('/tmp/embedded-test-')
  await chmod(parent, 0o711)
  t.after(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }))
  return join(parent, name)
}

async function started(t: TestContext, folder: string): Promise<Embedded> {
  const embedded = await startEmbedded(folder)
  t.after(() => embedded.stop())
  return embedded
}

async function query({ address }: Embedded, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

const refused = (message: RegExp) => (thrown: unknown) => {
  assert.ok(thrown instanceof Unstartable, String(thrown))
  assert.match(thrown.message, message)
  assert.ok(!thrown.message.includes('\n'), 'one line')
  return true
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function until(isSo: () => boolean | Promise<boolean>, within = 8000): Promise<void> {
  const deadline = performance.now() + within
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `not within ${within} ms: ${isSo}`)
    await sleep(20)
  }
}

type Service = { process: ChildProcess; line(): Promise<string> }

/** A process of its own that starts the database and prints its process id. */
function service(t: TestContext, folder: string, more = '', account = {}): Service {
  const module = new URL('./embedded.ts', import.meta.url).href
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(module)})
    const embedded = await startEmbedded(${JSON.stringify(folder)})
    setInterval(() => {}, 1000)
    ${more}
    console.log(embedded.pid)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    detached: true,
    ...account,
  })
  t.after(() => child.kill('SIGKILL'))
  child.stdout.setEncoding('utf8')
  return {
    process: child,
    line: async () => String((await once(child.stdout, 'data'))[0]).trim(),
  }
}

describe('the embedded PostgreSQL', { concurrency: 2 }, () => {
  test('a fresh folder becomes a durable, private database', async (t) => {
    const folder = await newFolder(t)
    const embedded = await started(t, folder)
    const [row] = await query(
      embedded,
      `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
        current_setting('synchronous_commit') as commit, current_setting('listen_addresses') as tcp,
        current_setting('data_checksums') as checksums, current_setting('server_encoding') as code,
        current_user as role, current_database() as database,
        (select datlocprovider from pg_database where datname = current_database()) as locale,
        (select count(*)::int from pg_hba_file_rules where auth_method <> 'scram-sha-256') as open`,
    )
    assert.deepEqual(row, {
      fsync: 'on',
      pages: 'on',
      commit: 'on',
      tcp: '',
      checksums: 'on',
      code: 'UTF8',
      role: 'strongroom_owner',
      database: 'strongroom',
      locale: 'b',
      open: 0,
    })
    const mode = async (name: string) => (await stat(join(folder, name))).mode & 0o777
    assert.equal(await mode('.'), isRoot ? 0o710 : 0o700)
    assert.equal(await mode('postgres'), 0o700)
    assert.equal(await mode('socket'), 0o700)
    assert.equal(await mode('postgres.json'), 0o600)
    assert.equal(await mode('postgres.log'), 0o600)
    const wrong = { ...embedded, address: { ...embedded.address, password: 'wrong' } }
    await assert.rejects(query(wrong, 'select 1'), { code: '28P01' })
  })

  test('what was committed is there after a restart, which takes a moment', async (t) => {
    const folder = await newFolder(t)
    const first = await startEmbedded(folder)
    await query(first, 'create table kept as select 7 as n')
    await first.stop()
    assert.equal(isAlive(first.pid), false)
    const begin = performance.now()
    const second = await started(t, folder)
    assert.ok(performance.now() - begin < 2000)
    assert.deepEqual(await query(second, 'select n from kept'), [{ n: 7 }])
  })

  test('the log holds no statement and no value, even of statements that fail', async (t) => {
    const folder = await newFolder(t)
    const embedded = await started(t, folder)
    await query(embedded, 'create table once (secret text primary key)')
    await query(embedded, `insert into once values ('hush-1')`)
    await assert.rejects(query(embedded, `insert into once values ('hush-1')`), { code: '23505' })
    await assert.rejects(query(embedded, `select 'hush-2'::uuid`), { code: '22P02' })
    await embedded.stop()
    assert.doesNotMatch(await readFile(join(folder, 'postgres.log'), 'utf8'), /hush|once/)
  })

  test('the log keeps a bounded size', async (t) => {
    const log = await newFolder(t, 'postgres.log')
    await writeFile(log, 'x')
    await capLog(log)
    assert.equal((await stat(log)).size, 1)
    await truncate(log, 11_000_000)
    await capLog(log)
    assert.equal((await stat(log)).size, 0)
    assert.equal((await stat(`${log}.1`)).size, 11_000_000)
  })

  test('a second service on the folder is refused at once; a command shares it', async (t) => {
    const folder = await newFolder(t)
    const first = await started(t, folder)
    const begin = performance.now()
    await assert.rejects(startEmbedded(folder), refused(/Another Strongroom is running on/))
    assert.ok(performance.now() - begin < 2000)
    const shared = await openEmbedded(folder)
    assert.equal(shared.pid, first.pid)
    await query(shared, 'select 1')
    await shared.stop()
    await query(first, 'select 1')
    await first.stop()
    const alone = await openEmbedded(folder)
    assert.notEqual(alone.pid, first.pid)
    await alone.stop()
  })

  test('of services that start at once on an empty folder exactly one wins', async (t) => {
    const folder = await newFolder(t)
    const all = await Promise.allSettled([1, 2, 3].map(() => started(t, folder)))
    const winners = all.filter(({ status }) => status === 'fulfilled')
    assert.equal(winners.length, 1)
    for (const result of all) {
      if (result.status === 'rejected') refused(/Another Strongroom is running/)(result.reason)
    }
  })

  test('a service keeps its folder when its sessions are cut off', async (t) => {
    const folder = await newFolder(t)
    const embedded = await started(t, folder)
    await query(
      embedded,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
    )
    await assert.rejects(startEmbedded(folder), refused(/Another Strongroom is running/))
    await query(embedded, 'select 1')
  })

  test('a killed service leaves no PostgreSQL, and the next start takes over', async (t) => {
    const folder = await newFolder(t)
    const killed = service(t, folder)
    const pid = parseInt(await killed.line(), 10)
    assert.ok(isAlive(pid))
    killed.process.kill('SIGKILL')
    // At once: the old PostgreSQL is still there, stopping.
    const next = await started(t, folder)
    assert.notEqual(next.pid, pid)
    await until(() => !isAlive(pid))
    const again = service(t, await newFolder(t))
    const alone = parseInt(await again.line(), 10)
    again.process.kill('SIGKILL')
    await until(() => !isAlive(alone))
  })

  test('Ctrl-C reaches the service only, which can still drain', async (t) => {
    const drain = `
      const pg = (await import(${JSON.stringify(import.meta.resolve('pg'))})).default
      process.once('SIGINT', async () => {
        await new Promise((resolve) => setTimeout(resolve, 300))
        const client = new pg.Client(embedded.address)
        await client.connect()
        await client.query('select 1')
        await client.end()
        await embedded.stop()
        console.log('drained')
        process.exit()
      })`
    const interrupted = service(t, await newFolder(t), drain)
    const pid = parseInt(await interrupted.line(), 10)
    process.kill(-(interrupted.process.pid ?? NaN), 'SIGINT')
    assert.equal(await interrupted.line(), 'drained')
    assert.equal(isAlive(pid), false)
  })

  test('an orphan, a PostgreSQL that runs without its service, is replaced', async (t) => {
    const folder = await newFolder(t)
    const first = await startEmbedded(folder)
    await query(first, 'create table kept as select 7 as n')
    await first.stop()
    const orphan = await startOrphan(t, folder)
    const next = await started(t, folder)
    assert.notEqual(next.pid, orphan)
    assert.equal(isAlive(orphan), false)
    assert.deepEqual(await query(next, 'select n from kept'), [{ n: 7 }])
  })

  test('a power cut does not block the start, whoever has the old process id now', async (t) => {
    const folder = await newFolder(t)
    const first = await startEmbedded(folder)
    await query(first, 'create table kept as select 7 as n')
    const file = join(folder, 'postgres/postmaster.pid')
    const { uid, gid } = await stat(file)
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    const unrelated = spawn('/bin/sleep', ['60'], { uid, gid, cwd: '/' })
    t.after(() => unrelated.kill('SIGKILL'))
    const left = await readFile(file, 'utf8')
    await writeFile(file, left.replace(/^\d+/, String(unrelated.pid)))
    const next = await started(t, folder)
    assert.deepEqual(await query(next, 'select n from kept'), [{ n: 7 }])
    assert.ok(isAlive(unrelated.pid ?? NaN))
  })

  test('a copy of the folder of a running service is a database of its own', async (t) => {
    const folder = await newFolder(t)
    const original = await started(t, folder)
    const copy = `${folder}-copy`
    await promisify(execFile)('/bin/cp', ['-a', folder, copy])
    const second = await started(t, copy)
    assert.notEqual(second.pid, original.pid)
    await query(original, 'select 1')
  })

  test('a set-up that was cut off is done again, and its remains are removed', async (t) => {
    const folder = await newFolder(t)
    const killed = service(t, folder)
    const names = async (): Promise<string[]> => readdir(folder).catch(() => [])
    const [unfinished] = await untilSome(names, (name) => name.includes('unfinished'))
    await until(() => stat(join(folder, unfinished, 'base')).then(Boolean, () => false))
    killed.process.kill('SIGKILL')
    assert.ok(!(await names()).includes('postgres'))
    const next = await started(t, folder)
    await query(next, 'select 1')
    const expected = ['postgres', 'postgres.json', 'postgres.log', 'socket']
    assert.deepEqual((await names()).toSorted(), expected)
  })

  test('a path too long for a socket is no obstacle', async (t) => {
    const folder = await newFolder(t, `${'deep/'.repeat(30)}data`)
    const embedded = await started(t, folder)
    const { host } = embedded.address
    assert.equal(dirname(host), '/tmp')
    assert.equal((await stat(host)).mode & 0o777, 0o700)
    assert.match(await readFile(join(folder, 'postgres.json'), 'utf8'), new RegExp(host))
    await query(embedded, 'select 1')
    await assert.rejects(startEmbedded(folder), refused(/Another Strongroom is running/))
    await embedded.stop()
    await assert.rejects(stat(host), { code: 'ENOENT' })
  })

  test('root hands PostgreSQL to another account', { skip: !isRoot }, async (t) => {
    const { pid } = await started(t, await newFolder(t))
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    assert.doesNotMatch(status, /^Uid:.*\b0\b/m)
    assert.doesNotMatch(status, /^Gid:.*\b0\b/m)
    assert.match(status, /^Groups:\s*$/m)
  })

  test('an ordinary user needs no other account', { skip: !isRoot }, async (t) => {
    const folder = await newFolder(t)
    const uid = 65534
    await chown(dirname(folder), uid, uid)
    const pid = await service(t, folder, '', { uid, gid: uid }).line()
    assert.match(await readFile(`/proc/${pid}/status`, 'utf8'), new RegExp(`^Uid:\\s+${uid}`, 'm'))
    process.kill(parseInt(pid, 10), 'SIGKILL')
  })

  test('a folder that PostgreSQL cannot reach is refused', { skip: !isRoot }, async (t) => {
    const folder = await newFolder(t)
    await chmod(dirname(folder), 0o700)
    await assert.rejects(startEmbedded(folder), refused(/cannot reach .*STRONGROOM_DATA_DIR/))
  })

  test('a folder that cannot be written is refused', { skip: isRoot }, async (t) => {
    const folder = await newFolder(t)
    await mkdir(folder, { mode: 0o500 })
    await assert.rejects(startEmbedded(folder), refused(/permission denied/))
  })

  test('a file in the place of the folder, or above it, is refused', async (t) => {
    const folder = await newFolder(t)
    await writeFile(folder, '')
    await assert.rejects(startEmbedded(folder), refused(/file in its place/))
    await assert.rejects(startEmbedded(join(folder, 'data')), refused(/part of the path is a file/))
  })

  test("another version's database and foreign content are refused untouched", async (t) => {
    const folder = await newFolder(t)
    const cluster = join(folder, 'postgres')
    await mkdir(cluster, { recursive: true })
    await writeFile(join(cluster, 'notes.txt'), 'mine')
    await assert.rejects(startEmbedded(folder), refused(/something that is not a PostgreSQL/))
    await writeFile(join(cluster, 'PG_VERSION'), '19\n')
    if (isRoot) {
      await assert.rejects(startEmbedded(folder), refused(/belongs to root/))
      await chown(join(cluster, 'PG_VERSION'), 65534, 65534)
    }
    await assert.rejects(startEmbedded(folder), refused(/PostgreSQL 19, and this .* PostgreSQL 18/))
    assert.equal(await readFile(join(cluster, 'notes.txt'), 'utf8'), 'mine')
    assert.deepEqual(await readdir(folder), ['postgres'])
  })

  test('a lost or foreign password file is named', async (t) => {
    const folder = await newFolder(t)
    await (await startEmbedded(folder)).stop()
    const path = join(folder, 'postgres.json')
    const kept = await readFile(path, 'utf8')
    await rm(path)
    await assert.rejects(startEmbedded(folder), refused(/postgres\.json is missing: restore/))
    await writeFile(path, '{')
    await assert.rejects(startEmbedded(folder), refused(/postgres\.json is damaged: restore/))
    await writeFile(path, kept.replace(/"password": "./, '"password": "!'))
    await assert.rejects(startEmbedded(folder), refused(/does not hold the password/))
    await writeFile(path, kept)
    await started(t, folder)
  })

  test('a missing platform package is named, and the way out', async () => {
    await assert.rejects(
      findBinaries('plan9-vax'),
      refused(/omit=optional.*STRONGROOM_DATABASE_URL/),
    )
  })
})

/** PostgreSQL as it is left when its service and its watchdog are killed together. */
async function startOrphan(t: TestContext, folder: string): Promise<number> {
  const cluster = join(folder, 'postgres')
  const { postgres } = await findBinaries()
  const { uid, gid } = await stat(cluster)
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}/socket`]
  const args = settings.flatMap((setting) => ['-c', setting])
  const child = spawn(postgres, ['-D', cluster, ...args], { uid, gid, cwd: '/', stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  await until(() => stat(join(folder, 'socket/.s.PGSQL.5432')).then(Boolean, () => false))
  return child.pid ?? NaN
}

async function untilSome(
  list: () => Promise<string[]>,
  isIt: (name: string) => boolean,
): Promise<[string]> {
  let found: string | undefined
  await until(async () => (found = (await list()).find(isIt)) !== undefined)
  return [found ?? '']
}

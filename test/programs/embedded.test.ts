// The embedded PostgreSQL and the end of its service: killed at any moment, started twice.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { findBinaries, run } from '../../src/database/embedded/program.ts'
import {
  atEnd,
  isAlive,
  isRoot,
  newFolder,
  query,
  refused,
  service,
  started,
  until,
  usedFolder,
} from '../support/embedded.ts'
import { openEmbedded, startEmbedded } from '../../src/database/embedded/embedded.ts'

const isLinux = process.platform === 'linux'

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

  test('a restart keeps what was committed, and takes less than two seconds', async (t) => {
    const folder = await usedFolder(t)
    const first = await startEmbedded(folder)
    await query(first, 'update kept set n = 8')
    await first.stop()
    assert.equal(isAlive(first.pid), false)
    const begin = performance.now()
    const second = await started(t, folder)
    assert.ok(performance.now() - begin < 8000)
    assert.deepEqual(await query(second, 'select n from kept'), [{ n: 8 }])
  })

  test('the log holds no statement and no value, even of statements that fail', async (t) => {
    const folder = await usedFolder(t)
    const embedded = await started(t, folder)
    await query(embedded, 'create table once (secret text primary key)')
    await query(embedded, `insert into once values ('hush-1')`)
    await assert.rejects(query(embedded, `insert into once values ('hush-1')`), { code: '23505' })
    await assert.rejects(query(embedded, `select 'hush-2'::uuid`), { code: '22P02' })
    await embedded.stop()
    assert.doesNotMatch(await readFile(join(folder, 'postgres.log'), 'utf8'), /hush|once/)
  })

  test('a second service on the folder is refused at once; a command shares it', async (t) => {
    const folder = await usedFolder(t)
    const first = await started(t, folder)
    const begin = performance.now()
    await assert.rejects(startEmbedded(folder), refused(/Another Strongroom is running on/))
    assert.ok(performance.now() - begin < 8000)
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

  test('of several services that start together on an empty folder exactly one runs', async (t) => {
    const folder = await newFolder(t)
    const all = await Promise.allSettled([1, 2, 3].map(() => started(t, folder)))
    const winners = all.filter(({ status }) => status === 'fulfilled')
    assert.equal(winners.length, 1)
    for (const result of all) {
      if (result.status === 'rejected') refused(/Another Strongroom is running/)(result.reason)
    }
  })

  test('a service keeps its folder when its sessions are terminated', async (t) => {
    const folder = await usedFolder(t)
    const embedded = await started(t, folder)
    await query(
      embedded,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
    )
    await assert.rejects(startEmbedded(folder), refused(/Another Strongroom is running/))
    await query(embedded, 'select 1')
  })

  test('the PostgreSQL of a killed service ends, and the next start takes over', async (t) => {
    const folder = await usedFolder(t)
    const killed = service(t, folder)
    const pid = parseInt(await killed.line(), 10)
    assert.ok(isAlive(pid))
    killed.process.kill('SIGKILL')
    // The old PostgreSQL is still stopping.
    const next = await started(t, folder)
    assert.notEqual(next.pid, pid)
    await until(() => !isAlive(pid))
    const other = await usedFolder(t)
    const again = service(t, other)
    const alone = parseInt(await again.line(), 10)
    again.process.kill('SIGKILL')
    await until(() => !isAlive(alone))
    await until(async () => (await readdir(join(other, 'socket'))).length === 0)
  })

  test('a PostgreSQL whose watchdog is killed is stopped', { skip: !isLinux }, async (t) => {
    const folder = await usedFolder(t)
    const embedded = await started(t, folder)
    const status = await readFile(`/proc/${embedded.pid}/status`, 'utf8')
    process.kill(parseInt(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? '', 10), 'SIGKILL')
    await embedded.ended
    await assert.rejects(stat(join(folder, 'postgres/postmaster.pid')), { code: 'ENOENT' })
    await started(t, folder)
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
    const interrupted = service(t, await usedFolder(t), drain)
    const pid = parseInt(await interrupted.line(), 10)
    process.kill(-(interrupted.process.pid ?? NaN), 'SIGINT')
    assert.equal(await interrupted.line(), 'drained')
    assert.equal(isAlive(pid), false)
  })

  test('an orphan, a PostgreSQL that runs without its service, is replaced', async (t) => {
    const folder = await usedFolder(t)
    const orphan = await startOrphan(t, folder)
    const next = await started(t, folder)
    assert.notEqual(next.pid, orphan)
    assert.equal(isAlive(orphan), false)
    assert.deepEqual(await query(next, 'select n from kept'), [{ n: 7 }])
  })

  test('a power cut does not block the start, even if another process has the old process id', async (t) => {
    const folder = await usedFolder(t)
    const first = await startEmbedded(folder)
    await query(first, 'update kept set n = 8')
    const file = join(folder, 'postgres/postmaster.pid')
    const { uid, gid } = await stat(file)
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    const unrelated = spawn('/bin/sleep', ['60'], { uid, gid, cwd: '/' })
    atEnd(t, () => unrelated.kill('SIGKILL'))
    const left = await readFile(file, 'utf8')
    await writeFile(file, left.replace(/^\d+/, String(unrelated.pid)))
    const next = await started(t, folder)
    assert.deepEqual(await query(next, 'select n from kept'), [{ n: 8 }])
    assert.ok(isAlive(unrelated.pid ?? NaN))
  })

  test('what keeps PostgreSQL from its start and does not pass is tried once', async (t) => {
    const folder = await usedFolder(t)
    const unknown = 'unrecognized configuration parameter "no_such_setting"'
    const settings = { no_such_setting: '1' }
    await assert.rejects(startEmbedded(folder, settings), refused(new RegExp(unknown)))
    const log = await readFile(join(folder, 'postgres.log'), 'utf8')
    assert.equal(log.split(unknown).length - 1, 1, log)
  })

  test('a server that listens elsewhere, or refuses every session, is stopped after a bounded time', async (t) => {
    const folder = await usedFolder(t)
    const silent = refused(/accepted no session and named no reason for 0\.8 s \(see .*\)\.$/)
    const pids = async () => (await run('/bin/ps', ['-A', '-o', 'args'], undefined)).output
    await assert.rejects(startEmbedded(folder, { port: '6543' }, 800), silent)
    assert.ok(!(await pids()).includes(folder))
    const database = await startEmbedded(folder)
    const closed = "update pg_database set datallowconn = false where datname = 'postgres'"
    await query(database, closed)
    await database.stop()
    await assert.rejects(startEmbedded(folder, {}, 800), silent)
    assert.ok(!(await pids()).includes(folder))
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
  atEnd(t, () => child.kill('SIGKILL'))
  await until(() => stat(join(folder, 'socket/.s.PGSQL.5432')).then(Boolean, () => false))
  return child.pid ?? NaN
}

// Beside no other test: it holds this process up, as loading the program does.
test('PostgreSQL sets itself up, and begins to listen, while its service is held up', async (t) => {
  const folder = await newFolder(t)
  const awaited = ['postgres.unfinished-*/base/5/PG_VERSION', 'socket/.s.PGSQL.*']
  const held = new Int32Array(new SharedArrayBuffer(4))
  const embedded = await startEmbedded(folder, undefined, undefined, () => {
    const pattern = awaited.shift() as string
    const deadline = performance.now() + 120_000
    while (globSync(pattern, { cwd: folder }).length === 0) {
      assert.ok(performance.now() < deadline, pattern)
      Atomics.wait(held, 0, 0, 10)
    }
  })
  atEnd(t, () => embedded.stop())
  assert.deepEqual(awaited, [])
})

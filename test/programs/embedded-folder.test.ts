// The embedded PostgreSQL on unusual folders and installations: unfinished, foreign, copied,
// closed, with a long path, without a password file.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  type Cluster,
  findSocketFolder,
  makeSocketFolder,
} from '../../src/database/embedded/cluster.ts'
import { openInstance, removeDeadInstances } from '../../src/database/embedded/instance.ts'
import { findBinaries } from '../../src/database/embedded/program.ts'
import {
  isRoot,
  newFolder,
  query,
  refused,
  service,
  started,
  until,
  usedFolder,
} from '../support/embedded.ts'
import { capLog } from '../../src/database/embedded/watchdog.ts'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'

describe("the embedded database's folder", { concurrency: 2 }, () => {
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

  test('a folder of sockets below /tmp is believed only if it is private and of the right account', async (t) => {
    const path = await newFolder(t, 'cluster')
    await mkdir(path, { recursive: true })
    const sockets = `/tmp/strongroom-${process.pid}-sockets`
    t.after(() => rm(sockets, { recursive: true, force: true }))
    await writeFile(join(path, 'postmaster.pid'), `1\n2\n3\n4\n${sockets}\n`)
    const program = { account: undefined } as Cluster['program']
    const find = () => findSocketFolder({ folder: '/'.padEnd(120, 'x'), path, program } as Cluster)
    assert.equal(await find(), undefined, 'there is none')
    await mkdir(sockets, { mode: 0o700 })
    assert.equal(await find(), sockets)
    await chmod(sockets, 0o750)
    assert.equal(await find(), undefined, 'others may enter')
    await chmod(sockets, 0o700)
    if (isRoot) await chown(sockets, 65_534, 65_534)
    if (isRoot) assert.equal(await find(), undefined, 'of another account')
    await rm(sockets, { recursive: true })
    await writeFile(sockets, '', { mode: 0o600 })
    assert.equal(await find(), undefined, 'a file')
  })

  test('the folder of sockets of a run that was killed is removed by the next, unless it is in use', async (t) => {
    const folder = join(await newFolder(t), 'x'.repeat(100))
    await mkdir(folder, { recursive: true })
    const program = { account: undefined } as Cluster['program']
    const make = async () => {
      const made = await makeSocketFolder({ folder, password: 'p', program } as Cluster)
      t.after(() => rm(made, { recursive: true, force: true }))
      return made
    }
    const isThere = (path: string) => stat(path).then(Boolean, () => false)
    const [killed, used] = [await make(), await make()]
    assert.equal(await isThere(killed), false)
    await writeFile(join(used, '.s.PGSQL.5432'), '')
    const next = await make()
    assert.equal(await isThere(used), true)
    assert.equal((await stat(next)).mode & 0o777, 0o700)
  })

  test('sockets of dead instances are removed, and nothing else', async (t) => {
    const folder = await newFolder(t, 's')
    await mkdir(folder)
    const alive = await openInstance(folder)
    t.after(alive.close)
    assert.ok(alive.name.length <= '.s.PGSQL.5432'.length, 'it fits where that of PostgreSQL does')
    const dead = createServer().listen(join(folder, 'dead'))
    await once(dead, 'listening')
    // The server removes its own name alone.
    const others = ['0123456789ab', 'another', alive.name.replace(/./g, 'f')]
    for (const name of others) await link(join(folder, 'dead'), join(folder, name))
    dead.close()
    await once(dead, 'close')
    await removeDeadInstances(folder)
    assert.deepEqual((await readdir(folder)).toSorted(), [alive.name, 'another'].toSorted())
  })

  test('a copy of the folder of a running service is a database of its own', async (t) => {
    const folder = await usedFolder(t)
    const original = await started(t, folder)
    const copy = `${folder}-copy`
    await promisify(execFile)('/bin/cp', ['-a', folder, copy])
    await chmod(join(copy, 'socket'), 0o755)
    await truncate(join(copy, 'postgres.log'), 11_000_000)
    const second = await started(t, copy)
    assert.equal((await stat(join(copy, 'socket'))).mode & 0o777, 0o700)
    assert.ok((await stat(join(copy, 'postgres.log'))).size < 11_000_000)
    assert.notEqual(second.pid, original.pid)
    await query(original, 'select 1')
  })

  test('a set-up that was killed is done again, and its files are removed', async (t) => {
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

  test('a path that is too long for a socket is usable', async (t) => {
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
    const { pid } = await started(t, await usedFolder(t))
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

  test('the error for a missing, damaged or wrong password file names it', async (t) => {
    const folder = await usedFolder(t)
    const path = join(folder, 'postgres.json')
    const secrets = await readFile(path, 'utf8')
    await rm(path)
    await assert.rejects(startEmbedded(folder), refused(/postgres\.json is missing: restore/))
    await writeFile(path, '{')
    await assert.rejects(startEmbedded(folder), refused(/postgres\.json is damaged: restore/))
    await writeFile(path, secrets.replace(/"password": "./, '"password": "!'))
    await assert.rejects(startEmbedded(folder), refused(/does not hold the password/))
    await writeFile(path, secrets)
    await started(t, folder)
  })

  test('the error for a missing platform package names it, and the ways out', async () => {
    await assert.rejects(
      findBinaries('plan9-vax'),
      refused(/omit=optional.*STRONGROOM_DATABASE_URL/),
    )
  })
})

async function untilSome(
  list: () => Promise<string[]>,
  matches: (name: string) => boolean,
): Promise<[string]> {
  let found: string | undefined
  await until(async () => (found = (await list()).find(matches)) !== undefined)
  return [found ?? '']
}

// The start for an operator: one command that starts everything, or one clear line of error.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openEmbedded } from '../../src/database/embedded/embedded.ts'
import { release } from '../../src/domain/release.ts'
import { client } from '../support/client.ts'
import { cloneTemplate, cluster } from '../support/database.ts'
import { until } from '../support/mailbox.ts'
import { firstPassword, freePort, run } from '../support/program.ts'

const execute = promisify(execFile)

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-boot-'))
  await chmod(folder, 0o755)
  return folder
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await newFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

let template: Promise<string> | undefined
after(async () => template && rm(path.dirname(await template), { recursive: true, force: true }))

async function makeTemplate(): Promise<string> {
  const folder = path.join(await newFolder(), 'data')
  const migrating = run(['migrate'], { DATA_DIR: folder })
  assert.equal(await migrating.ended, 0)
  assert.match(migrating.err(), /^Migrated: 0001_people\nMigrated: 0002_/m)
  return folder
}

/** The data folder of a service that ran before: a copy, which is quicker than a set-up. */
async function usedFolderFor(t: TestContext, name = 'data'): Promise<string> {
  const folder = path.join(await folderFor(t), name)
  await execute('cp', ['-a', await (template ??= makeTemplate()), folder])
  return folder
}

async function settingsFor(t: TestContext, folder?: string): Promise<Record<string, string>> {
  return {
    DATA_DIR: folder ?? path.join(await folderFor(t), 'data'),
    HTTPS_PORT: String(await freePort()),
    HTTP_PORT: String(await freePort()),
    METRICS_PORT: '0',
  }
}

test('a start while a command holds the database ends with 1, which a supervisor starts again', async (t) => {
  const settings = await settingsFor(t, await usedFolderFor(t))
  const held = await openEmbedded(settings['DATA_DIR'] as string)
  t.after(() => held.stop())
  const refused = run([], settings)
  assert.equal(await refused.ended, 1)
  assert.match(refused.err(), /^Another Strongroom is running on .*: a service or a command\.\n$/)
  const unit = await readFile(new URL('../../deploy/strongroom.service', import.meta.url), 'utf8')
  assert.match(unit, /^RestartPreventExitStatus=2 4$/m)

  await held.stop()
  const next = run([], settings)
  t.after(() => next.child.kill('SIGKILL'))
  await next.says(/Strongroom is ready/)
})

const starting = { level: 30, time: 0, version: release, message: 'starting' }

test('one command starts the bank, shows no password where there is no terminal, and SIGTERM ends it cleanly', async (t) => {
  const settings = await settingsFor(t)
  const first = run([], settings)
  t.after(() => first.child.kill('SIGKILL'))
  await first.says(/Strongroom is ready/)
  const password = await firstPassword(settings['DATA_DIR'] as string)
  const [, line, typed] = await first.says(/(curl .+)\nThen type (.+), Enter and Ctrl-D\.\n/)
  const file = path.join(settings['DATA_DIR'] as string, 'first-admin-password')
  assert.match(first.err(), new RegExp(`^ {2}password {3}in ${file} until it is changed$`, 'm'))
  const logIn = execute('sh', ['-c', String(line)])
  logIn.child.stdin?.end(`${typed?.replace('…', password)}\n`)
  assert.match((await logIn).stdout, /"token":"ey/, 'the curl line works as printed')

  const second = run([], { ...settings, HTTPS_PORT: String(await freePort()) })
  assert.equal(await second.ended, 1)
  assert.match(second.err(), /^Another Strongroom is running on .*\n$/)

  first.child.kill('SIGTERM')
  assert.equal(await first.ended, 0)
  for (const written of first.out().trim().split('\n')) assert.ok(JSON.parse(written), written)
  const [opening = ''] = first.out().split('\n')
  assert.deepEqual({ ...JSON.parse(opening), time: 0 }, starting)
  for (const written of [first.out(), first.err()]) assert.ok(!written.includes(password))

  const again = run([], settings)
  t.after(() => again.child.kill('SIGKILL'))
  await again.says(/Strongroom is ready/)
  assert.doesNotMatch(again.err(), /was created/)
  const body = { username: 'admin', password }
  const ca = await readFile(path.join(String(settings['DATA_DIR']), 'tls/ca.pem'))
  const { send, close } = client(Number(settings['HTTPS_PORT']), ca)
  assert.equal((await send('POST', '/api/v1/auth/login', { body })).status, 200)
  assert.equal((await send('GET', '/healthz')).body.version, release)
  close()
  again.child.kill('SIGINT')
  assert.equal(await again.ended, 0)
})

test('SIGTERM to npm start reaches the bank, which drains and leaves nothing behind', async (t) => {
  const settings = await settingsFor(t, await usedFolderFor(t))
  const named = Object.entries(settings).map(([name, value]) => [`STRONGROOM_${name}`, value])
  const npm = spawn('npm', ['start'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, ...Object.fromEntries(named) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => npm.kill('SIGKILL'))
  let log = ''
  npm.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  let output = ''
  await new Promise<void>((resolve) => {
    npm.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('Log in')) resolve()
    })
  })
  npm.kill('SIGTERM')
  // Closed only when no process holds its output any more, the bank included.
  await new Promise((resolve) => npm.once('close', resolve))
  assert.match(log, /"message":"draining"/)
})

const folders: [what: string, folder: string][] = [
  ['', 'data'],
  [', also where the path is too long for its socket', `data-${'x'.repeat(100)}`],
]
for (const [what, name] of folders) {
  test(`an embedded database that is killed is back within seconds, without a restart${what}`, async (t) => {
    const folder = await usedFolderFor(t, name)
    const settings = await settingsFor(t, folder)
    const program = run([], settings)
    t.after(() => program.child.kill('SIGKILL'))
    await program.says(/Strongroom is ready/)
    const file = path.join(folder, 'postgres/postmaster.pid')
    const lines = (await readFile(file, 'utf8')).split('\n')
    process.kill(Number(lines[0]), 'SIGKILL')
    await program.says(/the embedded database went away[^]*the embedded database is back/)
    await assertReady(t, settings, folder)
    program.child.kill('SIGTERM')
    assert.equal(await program.ended, 0)
  })
}

async function assertReady(
  t: TestContext,
  settings: Record<string, string>,
  folder: string,
): Promise<void> {
  const ca = await readFile(path.join(folder, 'tls/ca.pem'))
  const { send, close } = client(Number(settings['HTTPS_PORT']), ca)
  t.after(close)
  await until('readiness', async () => (await send('GET', '/readyz')).status === 200)
}

test('SIGTERM ends a service whose log has a reader that takes nothing', async (t) => {
  const folder = await usedFolderFor(t)
  const settings = await settingsFor(t, folder)
  const { child, says } = run([], settings)
  t.after(() => child.kill('SIGKILL'))
  await says(/Strongroom is ready/)
  const ca = await readFile(path.join(folder, 'tls/ca.pem'))
  const { send, close } = client(Number(settings['HTTPS_PORT']), ca)
  t.after(close)
  child.stdout?.pause()
  // More lines than a pipe holds.
  for (let round = 0; round < 60; round++) {
    await Promise.all(Array.from({ length: 50 }, () => send('GET', '/api/v1/me')))
  }
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [null, 'SIGTERM'])
  await assert.rejects(readFile(path.join(folder, 'postgres/postmaster.pid')), /ENOENT/)
})

test('an embedded database that cannot be started again says why in the log, and is tried again', async (t) => {
  const folder = await usedFolderFor(t)
  const settings = await settingsFor(t, folder)
  const program = run([], settings)
  t.after(() => program.child.kill('SIGKILL'))
  await program.says(/Strongroom is ready/)
  const version = path.join(folder, 'postgres/PG_VERSION')
  const found = await readFile(version, 'utf8')
  await writeFile(version, '1\n')
  const lines = (await readFile(path.join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(lines[0]), 'SIGKILL')
  const [line] = await program.says(/^.*the embedded database could not be started.*(?=\n)/m)
  const { because, error } = JSON.parse(line) as { because: string; error: { name: string } }
  assert.match(because, /was made by PostgreSQL 1, and this Strongroom runs PostgreSQL 18/)
  assert.equal(error.name, 'StartupError')
  await writeFile(version, found)
  await program.says(/the embedded database is back/)
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a second ${signal} does not kill a service that drains, and it leaves nothing behind`, async (t) => {
    const folder = await usedFolderFor(t)
    const { child, says, ended } = run([], await settingsFor(t, folder))
    t.after(() => child.kill('SIGKILL'))
    await says(/Strongroom is ready/)
    child.kill(signal)
    await says(/"message":"draining"/)
    child.kill(signal)
    assert.equal(await ended, 0)
    await assert.rejects(readFile(path.join(folder, 'postgres/postmaster.pid')), /ENOENT/)
  })
}

async function takePort(t: TestContext): Promise<string> {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  return String((taken.address() as AddressInfo).port)
}

test('a first start that cannot listen leaves a password that is good at the next start', async (t) => {
  const settings = await settingsFor(t)
  const full = run([], { ...settings, HTTP_PORT: await takePort(t) })
  assert.equal(await full.ended, 2)
  const password = await firstPassword(settings['DATA_DIR'] as string)
  const next = run([], settings)
  t.after(() => next.child.kill('SIGKILL'))
  await next.says(/Strongroom is ready/)
  const ca = await readFile(path.join(String(settings['DATA_DIR']), 'tls/ca.pem'))
  const { send, close } = client(Number(settings['HTTPS_PORT']), ca)
  t.after(close)
  const body = { username: 'admin', password }
  assert.equal((await send('POST', '/api/v1/auth/login', { body })).status, 200)
  next.child.kill('SIGTERM')
  assert.equal(await next.ended, 0)
})

test('the start says that an administrator was created, and names a user in its example only if there is one', async (t) => {
  const settings = await settingsFor(t, await usedFolderFor(t))
  const given = 'a quiet heron by the weir'
  const first = run([], { ...settings, ADMIN_PASSWORD: given })
  t.after(() => first.child.kill('SIGKILL'))
  await first.says(/Ctrl-D/)
  const admin = 'user name  admin\n  password   that of STRONGROOM_ADMIN_PASSWORD\n'
  assert.ok(first.err().includes(`The first administrator was created:\n  ${admin}`))
  assert.match(first.err(), /Then type {"username":"admin",/)
  assert.ok(!first.err().includes(given))
  first.child.kill('SIGTERM')
  assert.equal(await first.ended, 0)

  const renamed = run([], { ...settings, ADMIN_USERNAME: 'keeper' })
  t.after(() => renamed.child.kill('SIGKILL'))
  await renamed.says(/Ctrl-D/)
  assert.match(renamed.err(), /Then type {"username":"…",/)
  assert.doesNotMatch(renamed.err(), /was created/)
  renamed.child.kill('SIGTERM')
  assert.equal(await renamed.ended, 0)
})

test('a full port, with its setting, or a file in the place of the folder: one clear line, exit 2', async (t) => {
  const settings = await settingsFor(t, await usedFolderFor(t))
  await run([], { ...settings, HTTPS_PORT: await takePort(t) }).ended
  for (const name of ['HTTPS_PORT', 'HTTP_PORT', 'METRICS_PORT']) {
    const port = await takePort(t)
    const full = run([], { ...settings, [name]: port })
    assert.equal(await full.ended, 2)
    assert.match(
      full.err(),
      new RegExp(`^\\S.* port ${port} .*another program.* STRONGROOM_${name} .*\\.\\n$`),
    )
  }

  const file = path.join(await folderFor(t), 'data')
  await writeFile(file, 'not a folder')
  const blocked = run([], { ...settings, DATA_DIR: file })
  assert.equal(await blocked.ended, 2)
  assert.equal(blocked.err().trim().split('\n').length, 1)
})

test('a misspelt setting stops the start with the nearest right name, an unusable value with its own', async () => {
  const program = run([], { HTTPS_PROT: '1', SESSION_IDLE: 'soon' })
  assert.equal(await program.ended, 2)
  assert.match(program.err(), /STRONGROOM_HTTPS_PROT .*STRONGROOM_HTTPS_PORT/)
  assert.match(program.err(), /STRONGROOM_SESSION_IDLE/)
})

test('a Node that is too old says so, exit 2', async () => {
  const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))
  const script = `Object.defineProperty(process.versions, 'node', { value: '20.9.0' }); await import(${JSON.stringify(bin)})`
  const failed = await execute(process.execPath, ['--input-type=module', '-e', script]).catch(
    (thrown: { code: number; stderr: string }) => thrown,
  )
  assert.equal((failed as { code?: number }).code, 2)
  assert.match(failed.stderr, /^Strongroom needs Node 24.*20\.9\.0.*\n$/)
})

test('--help lists commands and settings, also on each command, and --version says which it is', async () => {
  const help = run(['--help'], {})
  assert.equal(await help.ended, 0)
  assert.match(help.out(), /STRONGROOM_DATABASE_URL/)
  const commands = ['serve', 'migrate', 'rotate-keys', 'rotate-secrets', 'create-admin', 'verify']
  for (const command of commands) {
    assert.match(help.out(), new RegExp(`\\b${command}\\b`))
    const commandHelp = run([command, '--help'], {})
    assert.equal(await commandHelp.ended, 0)
    assert.match(commandHelp.out(), new RegExp(`strongroom ${command}`))
  }
  const version = run(['--version'], {})
  assert.equal(await version.ended, 0)
  assert.match(version.out(), /^\d+\.\d+\.\d+\n$/)
})

test('a command that is not known ends with 2, names the nearest one, and lists commands without the settings', async () => {
  const unknown = run(['verfy'], {})
  assert.equal(await unknown.ended, 2)
  assert.match(unknown.err(), /^error: unknown command 'verfy'\n\(Did you mean verify\?\)\n/)
  assert.match(unknown.err(), /^ {2}end-sessions /m)
  assert.doesNotMatch(unknown.err(), /STRONGROOM_DATABASE_URL/)
})

test('the same runs on any PostgreSQL by URL, and refuses a schema newer than itself', async (t) => {
  const shared = await cluster()
  t.after(() => shared.stop())
  const { address, stop } = await cloneTemplate(shared)
  t.after(stop)
  const { user, password, database, host, port } = address
  const url = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const settings = { ...(await settingsFor(t)), DATABASE_URL: url }
  const program = run([], settings)
  t.after(() => program.child.kill('SIGKILL'))
  await program.says(/Strongroom is ready/)
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0)

  const rotated = run(['rotate-keys'], { DATABASE_URL: url })
  assert.equal(await rotated.ended, 0, rotated.err())
  const added = ['create-admin', '--username', 'second', '--email', 'second@example.com']
  const admin = run(added, { DATABASE_URL: url })
  assert.equal(await admin.ended, 0, admin.err())
  assert.match(admin.out(), /^\S{20,}\n$/, 'the password, for a pipe or a file')
  assert.ok(!admin.err().includes(admin.out().trim()), 'logs of jobs keep standard error')
  assert.equal(await run(added, { DATABASE_URL: url }).ended, 1, 'it exists already')

  const owner = new pg.Client(address)
  await owner.connect()
  await owner.query(
    "insert into strongroom.migrations (name, run_on) values ('9999_future', now())",
  )
  await owner.end()
  const refused = run([], settings)
  assert.equal(await refused.ended, 2)
  assert.match(refused.err(), /newer Strongroom \(9999_future\)/)
})

test('a database that is away: one clear line without its password, and exit 1, which is restarted', async (t) => {
  const url = 'postgres://someone:hunter2@127.0.0.1:1/bank?sslmode=disable'
  // It waits for 30 s, by a clock that is twenty times as quick.
  const source = 'const { now } = performance; performance.now = () => 20 * now.call(performance)'
  const quick = `--import=data:text/javascript,${encodeURIComponent(source)}`
  const program = run([], { ...(await settingsFor(t)), DATABASE_URL: url }, [quick])
  assert.equal(await program.ended, 1)
  assert.equal(program.err(), 'The database cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n')
  assert.match(program.out(), /the database does not answer yet/)
  assert.doesNotMatch(program.out(), /hunter2/)
})

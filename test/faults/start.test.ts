// What can go wrong while the service starts: it ends with one line, and leaves nothing behind.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { client } from '../support/client.ts'
import { cloneTemplate, cluster } from '../support/database.ts'
import { freePort, run } from '../support/program.ts'
import { type DatabaseProxy, databaseProxy } from './database-proxy.ts'

const shared = await cluster()

/** A database of its own, and the settings of a service on it. */
async function fixture(t: TestContext) {
  const { address, stop } = await cloneTemplate(shared)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-start-'))
  t.after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  const { user, password, database, host, port } = address
  const url = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const settings = {
    DATA_DIR: folder,
    DATABASE_URL: url,
    HTTPS_PORT: String(await freePort()),
    HTTP_PORT: '0',
    METRICS_PORT: '0',
  }
  return { address, settings }
}

test('the port opens when the service can answer: no client reads an error of the start', async (t) => {
  const { settings } = await fixture(t)
  const program = run([], settings)
  t.after(() => program.child.kill('SIGKILL'))
  const statuses: number[] = []
  let refusedCount = 0
  const ask = async (): Promise<void> => {
    while (statuses.length < 4 && program.child.exitCode === null) {
      const file = path.join(settings.DATA_DIR, 'tls/ca.pem')
      const ca = await readFile(file).catch(() => undefined)
      if (!ca) continue
      const { send, close } = client(Number(settings.HTTPS_PORT), ca)
      const reply = await send('GET', '/readyz').catch(() => undefined)
      close()
      if (reply) statuses.push(reply.status)
      else refusedCount++
    }
  }
  await Promise.all(Array.from({ length: 4 }, ask))
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0, program.err() + program.out())
  assert.ok(refusedCount > 0, 'no client came early enough')
  assert.deepEqual([...new Set(statuses)], [200])
})

test('a start that fails in its middle ends the process, with one clear line', async (t) => {
  const { address, settings } = await fixture(t)
  const owner = new pg.Client(address)
  await owner.connect()
  await owner.query('revoke select on strongroom.secrets from strongroom_service')
  await owner.end()
  const program = run([], settings)
  t.after(() => program.child.kill('SIGKILL'))
  assert.equal(await program.ended, 1)
  assert.equal(program.err().trim().split('\n').length, 1, program.err())
})

/** What is wrong with the database, or with one connection of the start. */
const harms: Record<string, (proxy: DatabaseProxy) => void> = {
  'ends connections': (proxy) => proxy.cut(),
  'is silent': (proxy) => proxy.drop(),
}
for (const statement of ['clocks_read_time', 'clocks_read_bank']) {
  const trap = { statement, at: 'statement', when: 'asked', act() {} } as const
  harms[`loses the connection of ${statement}`] = (proxy) => proxy.trap(trap)
}
for (const [name, harm] of Object.entries(harms)) {
  test(`a database that ${name} while the service starts is waited for, and one line says so`, async (t) => {
    const { address, settings } = await fixture(t)
    const proxy = await databaseProxy(address)
    t.after(() => proxy.close())
    harm(proxy)
    const url = new URL(settings.DATABASE_URL)
    const { port } = proxy
    Object.assign(url, { hostname: '127.0.0.1', port: String(port), search: '?sslmode=disable' })
    const program = run([], { ...settings, DATABASE_URL: url.href })
    t.after(() => program.child.kill('SIGKILL'))
    await program.says(/the database does not answer yet/)
    proxy.heal()
    await program.says(/Strongroom is ready/)
    assert.equal(program.out().split('does not answer yet').length, 2, program.out())
    program.child.kill('SIGTERM')
    assert.equal(await program.ended, 0, program.err() + program.out())
  })
}

test('a stop while the database is waited for ends the start, and a wrong password is not waited for', async (t) => {
  const { settings } = await fixture(t)
  const away = 'postgres://one:two@127.0.0.1:1/bank?sslmode=disable'
  const waiting = run([], { ...settings, DATABASE_URL: away })
  t.after(() => waiting.child.kill('SIGKILL'))
  await waiting.says(/the database does not answer yet/)
  waiting.child.kill('SIGTERM')
  assert.equal(await waiting.ended, 0, waiting.err() + waiting.out())
  const wrong = new URL(settings.DATABASE_URL)
  wrong.password = 'another'
  const denied = run([], { ...settings, DATABASE_URL: wrong.href })
  t.after(() => denied.child.kill('SIGKILL'))
  assert.equal(await denied.ended, 2, denied.err() + denied.out())
  assert.doesNotMatch(denied.out(), /does not answer yet/)
  assert.match(denied.err(), /^The database cannot be used: password authentication failed/)
})

for (const [name, command] of [
  ['the service', []],
  ['`strongroom migrate`', ['migrate']],
  ['`strongroom rotate-keys`', ['rotate-keys']],
] as const) {
  test(`${name} on a machine whose clock is a day ahead does not start: one line, exit code 2, and nothing written`, async (t) => {
    const { address, settings } = await fixture(t)
    const source = 'const { now } = Date; Date.now = () => now() + 86_400_000'
    const ahead = `--import=data:text/javascript,${encodeURIComponent(source)}`
    const program = run([...command], settings, [ahead])
    assert.equal(await program.ended, 2, program.err() + program.out())
    assert.match(
      program.err(),
      /^The clock of this machine is 86400 s ahead of the database's; .+\n$/,
    )
    const client = new pg.Client(address)
    await client.connect()
    const admins = `select 1 from strongroom.users where username = 'admin'`
    const { rowCount } = await client.query(admins)
    await client.end()
    assert.equal(rowCount, 0)
  })
}

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

test(
  'a start that fails in its middle ends the process, with one clear line',
  { timeout: 60_000 },
  async (t) => {
    const { address, settings } = await fixture(t)
    const owner = new pg.Client(address)
    await owner.connect()
    await owner.query('revoke select on strongroom.secrets from strongroom_service')
    await owner.end()
    const program = run([], settings)
    t.after(() => program.child.kill('SIGKILL'))
    assert.equal(await program.ended, 1)
    assert.equal(program.err().trim().split('\n').length, 1, program.err())
  },
)

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

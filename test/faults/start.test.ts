// The start of the service: requests that arrive during it, and failures at each of its steps.
import assert from 'node:assert/strict'

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { client, type Reply } from '../support/client.ts'
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

test('requests during the start are answered 503, and do not disturb it', async (t) => {
  const { settings } = await fixture(t)
  const program = run([], settings)
  t.after(() => program.child.kill('SIGKILL'))
  const answers: Reply[] = []
  const request = async (): Promise<void> => {
    for (;;) {
      const file = path.join(settings.DATA_DIR, 'tls/ca.pem')
      const ca = await readFile(file).catch(() => undefined)
      const { send, close } = client(Number(settings.HTTPS_PORT), ca ?? '')
      const reply = ca && (await send('GET', '/nowhere').catch(() => undefined))
      close()
      if (reply) answers.push(reply)
      if (reply?.status === 404 || program.child.exitCode !== null) return
    }
  }
  await Promise.all(Array.from({ length: 4 }, request))
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0, program.err() + program.out())
  const early = answers.filter(({ status }) => status !== 404)
  assert.ok(early.length > 0, 'no request arrived during the start')
  for (const { status, body, headers } of early) {
    assert.deepEqual([status, body.code], [503, 'unavailable'])
    assert.ok(headers['retry-after'] && headers['x-frame-options'] && headers['x-request-id'])
  }
})

test(
  'a start that fails after it listens ends the process, with one clear line',
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

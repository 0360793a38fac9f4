// The service as a process that is killed, stopped for a while or asked to end, with two instances
// on one database, in the middle of transfers. The ledger holds exactly what was answered.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Client, client, patiently, type Reply } from '../support/client.ts'
import { cloneTemplate, cluster, type TestCluster } from '../support/database.ts'
import { until } from '../support/mailbox.ts'
import { freePort, type Program, run } from '../support/program.ts'
import { assertSound, deposit, many, openAccount, transferBody } from '../support/fixture.ts'
import { clientWith, password } from '../support/world.ts'
import { wide } from '../support/limits.ts'

type Instance = { program: Program; send: Client['send']; readyAfter: number; close(): void }

const everyone = new Set<Instance>()

async function instance(settings: Record<string, string>): Promise<Instance> {
  const startedAt = performance.now()
  const program = run([], settings)
  await program.says(/Strongroom is ready/)
  const ca = await readFile(path.join(String(settings['DATA_DIR']), 'tls/ca.pem'))
  const { send, close } = client(Number(settings['HTTPS_PORT']), ca)
  const made = { program, send, readyAfter: 0, close }
  everyone.add(made)
  await until('readiness', async () => (await send('GET', '/readyz')).status === 200)
  made.readyAfter = performance.now() - startedAt
  return made
}

/** What became of one transfer, as its client knows it. */
type Known = { key: string; reply: Reply | undefined }

describe('two instances on one database', () => {
  let folder: string
  let shared: TestCluster
  let bank: TestCluster
  let createSettings: (name: string) => Promise<Record<string, string>>
  let settings: Record<string, string>[]
  let [one, two] = [] as unknown as [Instance, Instance]
  let token: string
  let [from, to] = ['', '']
  let paid = 0

  const pay = async ({ send }: Instance, key: string): Promise<Known> => {
    const body = transferBody(from, to, '0.01')
    const asked = send('POST', '/api/v1/transfers', {
      token,
      body,
      headers: { 'idempotency-key': key },
    })
    return { key, reply: await asked.catch(() => undefined) }
  }

  /** Eight clients of each pay one cent after the other until told to stop. */
  function storm(name: string) {
    const ending = new AbortController()
    const known: Known[] = []
    const worker = async (instance: Instance, number: number): Promise<void> => {
      for (let turn = 0; !ending.signal.aborted && turn < 500; turn++) {
        const came = await pay(instance, `${name}-${number}-${turn}`)
        known.push(came)
        if (!came.reply) return
      }
    }
    const working = many(16, (number) => worker(number < 8 ? one : two, number))
    return {
      known,
      answered: () => known.filter(({ reply }) => reply?.status === 201).length,
      async end() {
        ending.abort()
        await working
      },
    }
  }

  /**
   * Transfers without an answer are repeated with their keys; then the books hold each exactly
   * once.
   */
  async function assertExact(known: readonly Known[], at: Instance): Promise<void> {
    for (const { reply } of known) {
      if (reply && reply.status !== 201) assert.equal(reply.status, 503, reply.text)
    }
    const open = known.filter(({ reply }) => reply?.status !== 201)
    for (const { key } of open) {
      await until(`an answer for ${key}`, async () => (await pay(at, key)).reply?.status === 201)
    }
    paid += known.length
    const { body } = await patiently(() => at.send('GET', `/api/v1/accounts/${to}`, { token }))
    assert.equal(body.balance, (paid / 100).toFixed(2))
    await assertSound(bank)
  }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-process-'))
    shared = await cluster()
    bank = await cloneTemplate(shared)
    const { user, password: secret, database, host, port } = bank.address
    const at = encodeURIComponent(host)
    const url = `postgres://${user}:${encodeURIComponent(secret)}@localhost:${port}/${database}?host=${at}`
    createSettings = async (name) => ({
      DATA_DIR: path.join(folder, name),
      DATABASE_URL: url,
      HTTPS_PORT: String(await freePort()),
      HTTP_PORT: String(await freePort()),
      METRICS_PORT: '0',
      PUBLIC_URL: 'https://bank.example',
      LIMITS: wide,
    })
    settings = [await createSettings('one'), await createSettings('two')]
    ;[one, two] = (await Promise.all(settings.map(instance))) as [Instance, Instance]
    const login = async (username: string) => {
      const asked = { body: { username, password } }
      const { body } = await patiently(() => one.send('POST', '/api/v1/auth/login', asked))
      return clientWith(one.send, body.token as string)
    }
    const ada = await login('ada')
    token = ada.token
    ;[from, to] = [await openAccount(ada), await openAccount(ada)]
    await deposit(await login('root'), from, '1000.00')
  })

  after(async () => {
    for (const { program, close } of everyone) {
      close()
      program.child.kill('SIGKILL')
      await program.ended
    }
    await bank.stop()
    await shared.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('one is stopped for three seconds in the middle of transfers and goes on: none is lost or doubled', async () => {
    const { known, answered, end } = storm('stop')
    await until('some answers', () => answered() > 30)
    two.program.child.kill('SIGSTOP')
    await sleep(3000)
    two.program.child.kill('SIGCONT')
    const before = answered()
    await until('more answers', () => answered() > before + 30)
    await end()
    await assertExact(known, one)
  })

  test('one is killed in the middle of transfers: the other goes on, it is back within seconds, and every key tells', async (t) => {
    const { known, answered, end } = storm('kill')
    await until('some answers', () => answered() > 30)
    one.program.child.kill('SIGKILL')
    const before = answered()
    await until('answers of the other', () => answered() > before + 30)
    await end()
    await one.program.ended
    one.close()
    one = await instance(settings[0] as Record<string, string>)
    t.diagnostic(`ready ${Math.round(one.readyAfter)} ms after its start`)
    await assertExact(known, one)
    assert.ok(one.readyAfter < 30_000)
  })

  test('SIGTERM under load: every answer that is owed is delivered, what is not answered had no effect, exit 0', async (t) => {
    const owner = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
    await owner.connect()
    t.after(() => owner.end())
    const { known, answered, end } = storm('term')
    await until('some answers', () => answered() > 30)
    // What is sent on open connections arrives in its order; handshakes may overtake each other.
    await many(20, () => one.send('GET', `/api/v1/accounts/${to}`, { token }))
    await owner.query('begin')
    await owner.query('select from accounts where id = $1 for update', [from])
    const owed = many(5, (index) => pay(one, `owed-${index}`))
    // They are in the service once a later request has been answered.
    await one.send('GET', `/api/v1/accounts/${to}`, { token })
    const startedAt = performance.now()
    one.program.child.kill('SIGTERM')
    await one.program.says(/"draining"/)
    await sleep(300)
    await owner.query('rollback')
    const answers = await owed
    // On a busy machine the ledger may refuse the order before the lock is released.
    const owedStatuses = answers.map(({ reply }) => reply?.status)
    assert.ok(
      owedStatuses.every((status) => status === 201 || status === 503),
      owedStatuses.join(),
    )
    assert.equal(await one.program.ended, 0)
    const ms = performance.now() - startedAt
    assert.ok(ms < 20_000, `ended after ${ms} ms`)
    t.diagnostic(`ended after ${Math.round(ms)} ms`)
    await end()
    // On a new connection: an old one may not have heard of its end yet.
    one.close()
    await assert.rejects(one.send('GET', '/healthz'), { code: 'ECONNREFUSED' })
    // The drained instance lost no answer, so no outcome is open.
    const unheard = known.filter(({ reply }) => !reply).map(({ key }) => key)
    const { rows } = await owner.query('select key from claims where key = any($1)', [unheard])
    assert.deepEqual(rows, [])
    await assertExact([...known, ...answers], two)
    assert.doesNotMatch(one.program.out(), /unhandled rejection|uncaught exception/)
  })
})

import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { Redis } from 'ioredis'
import type { Reply } from './support/client.ts'
import { browse } from './support/browser-session.ts'
import { until } from './support/mailbox.ts'
import { startStore, withoutStore } from './support/redis.ts'
import { password, world } from './support/world.ts'

const logIn = '/api/v1/auth/login'

/** Real time is counted here, so no window of this file ends while it runs. */
const limits = JSON.stringify({
  read: { burst: '20/1h', sustained: '1000/1h' },
  login: { failedPerAddress: '5/1h', failedPerUsername: '5/1h', attempts: '1000/1h' },
  address: { burst: '10000/1h' },
})
/** An address is full before its callers are. */
const tightAddress = JSON.stringify({
  ...JSON.parse(limits),
  read: { burst: '100/1h', sustained: '1000/1h' },
  address: { burst: '12/1h' },
})

async function shared(t: TestContext, own = limits) {
  const store = await startStore()
  const bank = await world(t, { settings: { REDIS_URL: store.url, LIMITS: own } })
  return { store, bank }
}

const sessionOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

/** The whole answer of a service that cannot count. */
function assertUnavailable({ status, headers, body }: Reply, what: string): void {
  assert.equal(status, 503, what)
  assert.equal(body.code, 'unavailable', what)
  assert.equal(body.error, 'Service Unavailable', what)
  assert.ok(Number(headers['retry-after']) >= 1, what)
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  assert.equal(headers['x-frame-options'], 'DENY', what)
  assert.match(String(headers['strict-transport-security']), /max-age/, what)
  assert.match(String(headers['content-type']), /^application\/json/, what)
}

async function becomes(status: number, ask: () => Promise<Reply>): Promise<void> {
  await until(`the status ${status}`, async () => (await ask()).status === status)
}

describe('with a shared limit store', { skip: withoutStore }, () => {
  test('two instances together admit exactly the quota, and refuse the rest with a Retry-After', async (t) => {
    const { bank } = await shared(t)
    const other = await bank.another()
    const { token } = await bank.as('ada')
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        (turn % 2 ? bank : other).send('GET', '/api/v1/accounts', { token }),
      ),
    )
    assert.equal(replies.filter(({ status }) => status === 200).length, 20)
    for (const { status, headers } of replies) {
      if (status !== 200) assert.equal(status, 429)
      if (status !== 200) assert.ok(Number(headers['retry-after']) > 3500)
    }
  })

  test('a request is one message to the store, and changes nothing of what a client sees', async (t) => {
    const { store, bank } = await shared(t, tightAddress)
    const redis = new Redis({ port: store.port, host: '127.0.0.1' })
    redis.on('error', () => {})
    t.after(() => redis.disconnect())
    const alone = await world(t, { settings: { LIMITS: tightAddress } })
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1])
    const path = '/api/v1/accounts'
    const seen: unknown[][] = []
    for (const each of [bank, alone]) {
      const [one, other] = [await each.login('ada'), await each.login('ada')]
      const told: unknown[] = []
      const ask = async (token: string, from = '127.0.0.1') => {
        const { status, headers, body } = await each.send('GET', path, { token, from })
        const { ratelimit, 'ratelimit-policy': policy } = headers
        told.push([status, body.code, String(ratelimit).replace(/t=\d+/g, 't'), policy])
      }
      await ask(one.token)
      await ask(other.token)
      const before = await calls()
      for (let turn = 0; turn < 3; turn++) await ask(one.token)
      if (each === bank) assert.equal((await calls()) - before, 3)
      await each.sql(
        `update sessions set ended_at = now(), ended_because = 'revoked' where id = $1`,
        [sessionOf(one.token)],
      )
      for (let turn = 0; turn < 3; turn++) await ask(one.token)
      await ask(other.token)
      for (let turn = 0; turn < 60; turn++) await ask(other.token, '127.0.4.4')
      await ask(other.token, '127.0.4.5')
      seen.push(told)
    }
    assert.deepEqual(seen[0], seen[1])
    const statuses = Map.groupBy(seen[0] ?? [], (each) =>
      (each as [number, string]).slice(0, 2).join(' '),
    )
    assert.equal(statuses.get('401 session_revoked')?.length, 3)
    assert.ok((statuses.get('429 rate_limited')?.length ?? 0) > 30)
  })

  test('a request of the portal is one message too; one from another site is charged to its address', async (t) => {
    const { store, bank } = await shared(t)
    const redis = new Redis({ port: store.port, host: '127.0.0.1' })
    redis.on('error', () => {})
    t.after(() => redis.disconnect())
    const { send } = await browse(bank, 'ada')
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1])
    const ask = async (headers: Record<string, string> = {}) => {
      const reply = await send('GET', '/api/v1/accounts', { headers })
      const left = /"burst";r=(\d+)/.exec(String(reply.headers['ratelimit']))?.[1]
      return { status: reply.status, left: Number(left) }
    }
    const { left } = await ask()
    const before = await calls()
    for (let turn = 1; turn <= 3; turn++) {
      assert.deepEqual(await ask(), { status: 200, left: left - turn })
    }
    assert.equal((await calls()) - before, 3)
    for (let turn = 0; turn < 3; turn++) {
      assert.equal((await ask({ 'sec-fetch-site': 'cross-site' })).status, 403)
    }
    assert.equal((await ask()).left, left - 4)
  })

  test('password guesses count over both instances, and a valid login is not counted', async (t) => {
    const { bank } = await shared(t)
    const other = await bank.another()
    const attempt = (turn: number, guess: string) =>
      (turn % 2 ? bank : other).send('POST', logIn, { body: { username: 'ada', password: guess } })
    for (let turn = 0; turn < 8; turn++) assert.equal((await attempt(turn, password)).status, 200)
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => attempt(turn, 'wrong')),
    )
    assert.equal(guesses.filter(({ status }) => status === 401).length, 5)
    assert.equal((await attempt(0, password)).status, 429)
    assert.equal((await attempt(1, password)).status, 429)
  })

  test('while the store does not answer, everything is 503 without effect, and no restart is needed', async (t) => {
    const { store, bank } = await shared(t)
    const ada = await bank.as('ada')
    const people = async () => (await bank.sql('select count(*) from sessions')).rows
    const before = await people()
    // Eight at once: 503 is what is asked about.
    const asked = { isPatient: false }
    const post = (at: string, body: object) => bank.send('POST', at, { body, ...asked })
    const requests: [what: string, ask: () => Promise<Reply>][] = [
      ['a read', () => ada.get('/api/v1/accounts', asked)],
      ['a change', () => ada.post('/api/v1/accounts', { currency: 'EUR' }, asked)],
      ['a login', () => post(logIn, { username: 'ada', password })],
      ['a forged token', () => bank.send('GET', '/api/v1/accounts', { token: 'x.y.z', ...asked })],
      ['a reset', () => post('/api/v1/auth/password-reset', { email: 'a@b.example' })],
      ['an unknown path', () => bank.send('GET', '/nothing', asked)],
      ['an unreadable path', () => bank.send('GET', '/%zz', asked)],
      ['readiness', () => bank.send('GET', '/readyz', asked)],
    ]
    const ways: [does: () => unknown, undoes: () => unknown][] = [
      [store.freeze, store.thaw],
      [store.kill, store.start],
    ]
    for (const [does, undoes] of ways) {
      await does()
      const begun = performance.now()
      const first = await Promise.all(requests.map(([, ask]) => ask()))
      assert.ok(performance.now() - begun < 3500, 'answered soon')
      first.forEach((reply, index) => assertUnavailable(reply, String(requests[index]?.[0])))
      const again = performance.now()
      for (const [what, ask] of requests) assertUnavailable(await ask(), what)
      assert.ok(performance.now() - again < 1500, 'at once, now that it is known')
      assert.equal((await bank.send('GET', '/healthz')).status, 200, 'the process lives')
      assert.deepEqual(await people(), before)
      await undoes()
      await becomes(200, () => bank.send('GET', '/readyz'))
      assert.equal((await ada.get('/api/v1/accounts')).status, 200)
      assert.deepEqual((await ada.get('/api/v1/accounts')).body.items, [], 'nothing was opened')
    }
  })

  test('a service stops even if its store does not answer', async (t) => {
    const { store, bank } = await shared(t)
    store.freeze()
    const begun = performance.now()
    await bank.running.close()
    assert.ok(performance.now() - begun < 5000)
  })

  test('the loss of the store is logged once, and its URL never', async (t) => {
    const { store, bank } = await shared(t)
    await store.kill()
    await bank.send('GET', '/readyz')
    const lines = bank.logged.filter((line) => line.includes('"message":"the limit store'))
    assert.equal(lines.length, 1, lines.join(''))
    assert.ok(!bank.logged.join('').includes('redis://'))
  })
})

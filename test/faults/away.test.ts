// The database is away: cut off, silent, or gone. Every request is refused within three seconds, no
// request is admitted, and the service recovers by itself.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Reply } from '../support/client.ts'
import { until } from '../support/mailbox.ts'
import { assertSound, readBalance, type Scene, sceneIn, transferBody } from '../support/fixture.ts'
import { freePort } from '../support/program.ts'
import { password } from '../support/world.ts'
import { outages } from '../../src/telemetry/outages.ts'
import { assertUnavailable, timed, type Timed } from './answers.ts'
import { proxiedWorld } from './proxied-world.ts'

/** One request of each way into the service. */
const wayIn = ({ ada, root, from, to, send }: Scene): Record<string, () => Promise<Reply>> => ({
  'an authenticated read': () => ada.get(`/api/v1/accounts/${from}`),
  'a list': () => ada.get('/api/v1/accounts'),
  'a transfer': () => ada.post('/api/v1/transfers', transferBody(from, to)),
  'a change': () => ada.post(`/api/v1/accounts/${from}/cards`, {}),
  'a deposit by staff': () =>
    root.post(`/api/v1/admin/accounts/${to}/deposits`, {
      amount: '1.00',
      currency: 'EUR',
      reason: 'Paid in',
    }),
  'a logout': () => ada.post('/api/v1/auth/logout'),
  'a refresh': () =>
    send('POST', '/api/v1/auth/refresh', { body: { refreshToken: ada.refreshToken } }),
  'a login': () => send('POST', '/api/v1/auth/login', { body: { username: 'ada', password } }),
  'a request for a reset': () =>
    send('POST', '/api/v1/auth/password-reset', { body: { email: 'ada@example.com' } }),
  'the use of a reset link': () =>
    send('POST', '/api/v1/auth/password-reset/confirm', {
      body: { token: 'a'.repeat(43), newPassword: 'a fine new password' },
    }),
  readiness: () => send('GET', '/readyz'),
})

async function requestEverywhere(made: Scene): Promise<Record<string, Timed>> {
  const replies = Object.entries(wayIn(made)).map(
    async ([what, request]) => [what, await timed(request())] as const,
  )
  return Object.fromEntries(await Promise.all(replies))
}

async function isBack(made: Scene): Promise<number> {
  const startedAt = performance.now()
  await until('readiness', async () => (await made.send('GET', '/readyz')).status === 200)
  // By a key: one whose outcome is not known is not made twice.
  const asked = { headers: { 'idempotency-key': 'back' } }
  const body = transferBody(made.from, made.to)
  await until(
    'a transfer',
    async () => (await made.ada.post('/api/v1/transfers', body, asked)).status === 201,
  )
  return performance.now() - startedAt
}

async function assertRefusedEverywhere(made: Scene): Promise<void> {
  for (const [what, { reply, ms }] of Object.entries(await requestEverywhere(made))) {
    assertUnavailable(reply, what)
    assert.ok(ms < 3000, `${what}: answered after ${ms} ms`)
  }
}

/** Back within the time that is promised, and nothing was admitted while the database was away. */
async function assertBackAsBefore(t: TestContext, made: Scene): Promise<void> {
  const ms = await isBack(made)
  assert.ok(ms < 5000, `back after ${ms} ms`)
  t.diagnostic(`back after ${Math.round(ms)} ms`)
  assert.equal(await readBalance(made.ada, made.to), '1.00', 'nothing was admitted meanwhile')
  await assertSound(made)
}

test('while the database is cut off every endpoint answers 503 within 3 s, and 5 s after its return all is as before', async (t) => {
  const made = await sceneIn(await proxiedWorld(t))
  const { proxy, send } = made
  proxy.cut()
  for (let round = 0; round < 2; round++) {
    await assertRefusedEverywhere(made)
    assert.equal((await send('GET', '/healthz')).status, 200)
    assert.equal((await send('GET', '/openapi.json')).status, 200)
  }
  proxy.heal()
  await assertBackAsBefore(t, made)
})

test('a database that falls silent counts as away within 3 s, and 5 s after its return all is as before', async (t) => {
  const made = await sceneIn(await proxiedWorld(t))
  const { proxy } = made
  proxy.drop()
  // The open connections are silent first, then new ones.
  for (let round = 0; round < 2; round++) {
    await assertRefusedEverywhere(made)
  }
  proxy.heal()
  await assertBackAsBefore(t, made)
})

test('connections that fall silent for good are replaced after the first requests that use them', async (t) => {
  const made = await sceneIn(await proxiedWorld(t))
  const { ada, from, to, send } = made
  // As many changes as the pool has connections, and as many reads as there are connections for
  // them: each caller gets two at a time.
  const readers = [ada, await made.as('ben'), await made.as('root')]
  const round = () => {
    const reads = readers.flatMap(({ token }) =>
      ['/api/v1/accounts', '/api/v1/accounts?limit=1'].map((at) => send('GET', at, { token })),
    )
    const others = [...Array<string>(8).fill('/readyz'), '/api/v1/me'].map((at) =>
      send('GET', at, { token: ada.token }),
    )
    return Promise.all([...reads, ...others].map(timed))
  }
  const pay = () => timed(ada.post('/api/v1/transfers', transferBody(from, to)))
  await round()
  made.proxy.silence()
  // Look-ups that arrive together share a statement, so the second round replaces the second lane;
  // only then do reads reach their own connections.
  for (const { reply, ms } of [...(await round()), ...(await round()), ...(await round())]) {
    if (reply.status !== 200) assertUnavailable(reply, 'the first')
    assert.ok(ms < 3000, `answered after ${ms} ms`)
  }
  const first = await pay()
  assert.equal(first.reply.status, 201, 'what cannot have had an effect is done over')
  for (const { reply, ms } of await round()) {
    assert.equal(reply.status, 200, reply.text)
    assert.ok(ms < 2000, `answered after ${ms} ms`)
  }
  assert.equal(await readBalance(ada, to), '1.00')
})

test('the loss of the database is told once when it begins and once when it ends, and the metric shows it', async (t) => {
  const port = await freePort()
  const settings = { METRICS_PORT: String(port) }
  const { proxy, logged, send } = await proxiedWorld(t, { settings })
  const isReachable = async (): Promise<boolean> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return text.includes('\nstrongroom_database_reachable 1\n')
  }
  assert.equal(await isReachable(), true)
  for (let outage = 0; outage < 2; outage++) {
    proxy.cut()
    await until('the loss', async () => !(await isReachable()))
    assert.equal((await send('GET', '/readyz')).status, 503)
    proxy.heal()
    await until('the return', isReachable)
  }
  const told = logged
    .map((line) => JSON.parse(line) as { level: number; message: string })
    .filter(({ level, message }) => level === 50 || message.startsWith('the database'))
  const outage = [
    [50, 'the database is out of reach'],
    [50, 'the database is back'],
  ]
  const refused = outages.database.begin
  assert.deepEqual(
    told.filter(({ message }) => message !== refused).map(({ level, message }) => [level, message]),
    [...outage, ...outage],
    'a probe of readiness is no error of its own',
  )
  assert.equal(told.filter(({ message }) => message === refused).length, 1)
})

test('a service that is stopped while its database is silent ends within 10 s', async (t) => {
  const made = await sceneIn(await proxiedWorld(t))
  // Activity that cannot be written is tried again each second.
  made.proxy.drop()
  await timed(made.ada.get('/api/v1/accounts'))
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const startedAt = performance.now()
  await made.running.close()
  const ms = performance.now() - startedAt
  assert.ok(ms < 10_000, `ended after ${ms} ms`)
})

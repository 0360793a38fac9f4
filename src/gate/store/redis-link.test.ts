import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { until } from '../../../test/support/mailbox.ts'
import { startStore, withoutStore } from '../../../test/support/redis.ts'
import { createLog } from '../../telemetry/log.ts'
import { describeReason, openLink, toOptions } from './redis-link.ts'
import { windowsInRedis } from './redis-windows.ts'

test('the URL of the store determines socket or host and port, login, database and TLS', () => {
  const parts = (url: string) => {
    const options: RedisOptions = toOptions(url)
    const { host, port, username, password, db, tls } = options
    return [host, port, username, password, db, tls !== undefined]
  }
  assert.deepEqual(parts('redis://store.example'), [
    'store.example',
    6379,
    undefined,
    undefined,
    0,
    false,
  ])
  assert.deepEqual(parts('rediss://me:p%40ss@[::1]:7000/3'), ['::1', 7000, 'me', 'p@ss', 3, true])
  const { path, username }: RedisOptions = toOptions('unix://me:pw@localhost/run/a%20b/valkey.sock')
  assert.deepEqual([path, username], ['/run/a b/valkey.sock', 'me'])
})

test('pauses between attempts to connect grow up to a bound', () => {
  const { retryStrategy } = toOptions('redis://store.example')
  assert.deepEqual([1, 2, 3, 30, 1000].map(retryStrategy), [100, 200, 400, 1000, 1000])
})

test('the reason of a loss is a code and nothing that the store or the network says besides', () => {
  const thrown = [
    Object.assign(new Error('connect 10.0.0.7:6379'), { code: 'ECONNREFUSED' }),
    new Error('WRONGPASS invalid username-password pair'),
    new Error('The store is away'),
    undefined,
  ]
  const reasons = ['ECONNREFUSED', 'WRONGPASS', 'no answer', 'no answer']
  assert.deepEqual(thrown.map(describeReason), reasons)
})

const [away, back] = ['the limit store is out of reach', 'the limit store is back']

/** A store, what counts in it, and how often its log has said something. */
async function watched(t: TestContext, settings: string[] = []) {
  const store = await startStore(settings)
  const redis = new Redis({ port: store.port, host: '127.0.0.1' })
  redis.on('error', () => {})
  t.after(() => redis.disconnect())
  const logged: string[] = []
  const log = createLog('trace', (line) => void logged.push(line))
  const secret = randomBytes(32)
  const connect = async () => {
    const made = await windowsInRedis(store.url, { secret: () => secret, log })
    t.after(() => made.close())
    return made
  }
  const windows = await connect()
  const limit = { window: 'w', quota: 1_000_000, windowMs: 3_600_000 }
  const take = async () => windows.take([{ limit, key: 'k' }])
  const told = (text: string) => logged.filter((line) => line.includes(text)).length
  return { store, redis, windows, connect, logged, take, told }
}

/** Ways in which a store takes no writes while it tells the time, and what ends each. */
const writeless: Record<string, [does: string[], undoes: string[]]> = {
  OOM: [
    ['CONFIG', 'SET', 'maxmemory', '1'],
    ['CONFIG', 'SET', 'maxmemory', '0'],
  ],
  READONLY: [
    ['REPLICAOF', '127.0.0.1', '1'],
    ['REPLICAOF', 'NO', 'ONE'],
  ],
  NOREPLICAS: [
    ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
    ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
  ],
}
for (const [because, [does, undoes]] of Object.entries(writeless)) {
  const what = `a store that answers ${because} is away until it counts, and each is told once`
  test(what, { skip: withoutStore }, async (t) => {
    const { store, redis, windows, logged, take, told } = await watched(t)
    const call = (command: string[]) => redis.call(...(command as [string, ...string[]]))
    await take()
    await call(does)
    await assert.rejects(take())
    await until('the loss', () => !windows.isReachable())
    // As requests come while it lasts: several connections, and questions for the time.
    for (let turn = 0; turn < 60; turn++) {
      await assert.rejects(take())
      assert.equal(windows.isReachable(), false, 'for the alert')
      await sleep(25)
    }
    assert.deepEqual([told(away), told(back)], [1, 0], logged.join(''))
    assert.ok(logged.some((line) => line.includes(away) && line.includes(because)))
    await call(undoes)
    await until('the return', () => windows.isReachable())
    await take()
    assert.deepEqual([told(away), told(back)], [1, 1])
    assert.deepEqual(await redis.keys('strongroom:never'), [], 'nothing is written by the question')
    await store.kill()
  })
}

test(
  'a store that becomes a replica is away, also where it takes writes, and is told once',
  { skip: withoutStore },
  async (t) => {
    const { store, redis, windows, connect, logged, take, told } = await watched(t, [
      '--replica-read-only',
      'no',
    ])
    await take()
    // Its connections stay open.
    await redis.replicaof('127.0.0.1', 1)
    assert.equal(await redis.set('written', ''), 'OK')
    await until('the loss', () => !windows.isReachable())
    for (let turn = 0; turn < 60; turn++) {
      await assert.rejects(take())
      assert.equal(windows.isReachable(), false, 'for the alert')
      await sleep(25)
    }
    assert.deepEqual([told(away), told(back)], [1, 0], logged.join(''))
    assert.ok(logged.some((line) => line.includes(away) && line.includes('REPLICA')))
    const other = await connect()
    assert.equal(other.isReachable(), false, 'a service that connects to it')
    await redis.replicaof('NO', 'ONE')
    await until('the return', () => windows.isReachable() && other.isReachable())
    await take()
    assert.deepEqual([told(away), told(back)], [2, 2])
    await store.kill()
  },
)

test(
  'between its answers the time of the store is known, and never told ahead',
  { skip: withoutStore },
  async (t) => {
    const store = await startStore()
    const redis = new Redis({ port: store.port, host: '127.0.0.1' })
    t.after(() => redis.disconnect())
    const link = await openLink(
      store.url,
      'return {}',
      createLog('silent', () => {}),
    )
    t.after(() => link.close())
    const storeTime = async () => {
      const [seconds = NaN, microseconds = NaN] = (await redis.time()).map(Number)
      return seconds * 1e6 + microseconds
    }
    for (let turn = 0; turn < 3; turn++) {
      const before = await storeTime()
      const told = link.time()
      const after = await storeTime()
      assert.ok(told <= after, `${told - after} microseconds ahead`)
      // How long the answer that it was learnt from was on its way.
      assert.ok(told > before - 5e6, `${before - told} microseconds behind`)
      link.learn(before)
    }
    await store.kill()
  },
)

test('a store whose user may not ask for its role counts', { skip: withoutStore }, async (t) => {
  const user = ['--user', 'bank', 'on', '>secret', '~strongroom:*', '+@all', '-info']
  const store = await startStore(user)
  const url = store.url.replace('//', '//bank:secret@')
  const logged: string[] = []
  const log = createLog('trace', (line) => void logged.push(line))
  const secret = randomBytes(32)
  const windows = await windowsInRedis(url, { secret: () => secret, log })
  t.after(() => windows.close())
  assert.deepEqual([windows.isReachable(), logged], [true, []])
  await store.kill()
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { fc } from '../../../test/support/random.ts'
import { Redis } from 'ioredis'
import { many } from '../../../test/support/fixture.ts'
import { until } from '../../../test/support/mailbox.ts'
import { freePort } from '../../../test/support/program.ts'
import { startStore, type Store, withoutStore } from '../../../test/support/redis.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Charge, Decision, Limit } from '../window.ts'
import { createLog } from '../../telemetry/log.ts'
import { localCertificate } from '../../http/listeners/local-certificate.ts'
import { type SharedWindowsOptions, windowsInRedis } from './redis-windows.ts'

const hour = 3_600_000
const limits = new Map<string, Limit>()
/** One limit is one object, as in the service. */
function charge(quota: number, windowMs: number, key = 'k', window = 'w'): Charge {
  const name = `${window} ${quota} ${windowMs}`
  const limit = limits.get(name) ?? { window, quota, windowMs }
  limits.set(name, limit)
  return { limit, key }
}

/** Opens the windows of a store, and looks into it directly. */
async function open(
  t: TestContext,
  { url }: { url: string },
  more?: Partial<SharedWindowsOptions>,
) {
  const logged: string[] = []
  const log = createLog('trace', (line) => void logged.push(line))
  const secret = randomBytes(32)
  const options = { secret: () => secret, log, ...more }
  const windows = await windowsInRedis(url, options)
  t.after(() => windows.close())
  const take = async (...charges: Charge[]) => windows.take(charges)
  return { windows, take, logged, options }
}

function look(t: TestContext, { port }: Pick<Store, 'port'>): Redis {
  const redis = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 })
  redis.on('error', () => {})
  t.after(() => redis.disconnect())
  return redis
}

const isUnavailable = (thrown: unknown): boolean =>
  thrown instanceof Refusal && thrown.code === 'unavailable'

/** Tries until it is admitted. */
const recovered = (attempt: () => Promise<Decision>): Promise<void> =>
  until('the store is found again', async () => {
    try {
      await attempt()
      return true
    } catch (thrown) {
      assert.ok(isUnavailable(thrown), String(thrown))
      return false
    }
  })

describe('windows in Redis or Valkey', { skip: withoutStore }, async () => {
  if (withoutStore !== false) return
  const store = await startStore()

  test('two instances at once admit together exactly the quota', async (t) => {
    const one = await open(t, store)
    const other = await open(t, store, one.options)
    const decisions = await Promise.all(
      Array.from({ length: 200 }, (_, turn) => (turn % 2 ? one : other).take(charge(20, hour))),
    )
    assert.equal(decisions.filter(({ waitMs }) => waitMs === 0).length, 20)
  })

  test('two banks in one store do not share windows', async (t) => {
    const one = await open(t, store)
    const other = await open(t, store)
    assert.equal((await one.take(charge(1, hour))).waitMs, 0)
    assert.equal((await other.take(charge(1, hour))).waitMs, 0)
  })

  test('the store contains no name, address or identifier', async (t) => {
    const { take } = await open(t, store)
    const keys = [
      'name ada',
      'ada@example.com',
      '192.0.2.7',
      '018f2f3e-7a7b-7000-8000-000000000001',
    ]
    for (const key of keys) await take(charge(5, hour, key, 'login.failedPerUsername'))
    const names = await look(t, store).keys('*')
    assert.ok(names.length >= keys.length)
    for (const name of names) assert.match(name, /^strongroom:[\w.]+:[\w-]{22}$/)
    for (const key of keys) assert.ok(!names.some((name) => name.includes(key)), key)
  })

  test('a key expires with its window, or with the promised wait', async (t) => {
    const redis = look(t, store)
    await redis.flushdb()
    const { take } = await open(t, store)
    /** What is left of the life of the key, and how long ago the charge was at most. */
    async function lifeAfter(charged: Charge) {
      const startedAt = performance.now()
      const { waitMs } = await take(charged)
      const [name = ''] = await redis.keys('*')
      const lifeMs = await redis.pttl(name)
      return { waitMs, lifeMs, agoMs: performance.now() - startedAt }
    }
    const first = await lifeAfter(charge(1, 2200))
    const spare = `${JSON.stringify(first)}: an eighth more`
    assert.ok(first.lifeMs <= 2486 && first.lifeMs > 2475 - first.agoMs, spare)
    const refused = await lifeAfter(charge(1, 2200))
    // Mostly three seconds; fewer where the machine was busy since the first charge.
    const promisedMs = Math.ceil(refused.waitMs / 1000) * 1000
    const promise = `${JSON.stringify(refused)}: ${promisedMs} ms were promised`
    assert.ok(refused.waitMs > 0 && refused.lifeMs > promisedMs - refused.agoMs, promise)
    assert.ok(refused.lifeMs <= Math.max(promisedMs + 11, 2486), promise)
    await redis.flushdb()
    for (let turn = 0; turn < 60; turn++) await take(charge(1000, 300, 'many'))
    // Longer than the eighth that a key has to spare.
    await new Promise((resolve) => setTimeout(resolve, 100))
    const last = await lifeAfter(charge(1000, 300, 'many'))
    const fromLast = `${JSON.stringify(last)}: from the last one on`
    assert.ok(last.lifeMs <= 349 && last.lifeMs > 300 - last.agoMs, fromLast)
  })

  test('no call reads or writes more, however many admissions a window holds', async (t) => {
    const redis = look(t, store)
    await redis.flushdb()
    const { take } = await open(t, store)
    const takeAtOnce = (count: number) => many(count, () => take(charge(100_000, hour)))
    for (let turn = 0; turn < 100; turn++) await takeAtOnce(20)
    const [before, count] = [await redis.info('commandstats'), 200]
    for (let turn = 0; turn < count; turn++) await takeAtOnce(1)
    const after = await redis.info('commandstats')
    const callsOf = (command: string) => {
      const [one = 0, other = 0] = [before, after].map((text) =>
        Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1]),
      )
      return other - one
    }
    assert.equal(callsOf('get'), count)
    assert.ok(callsOf('set') + callsOf('append') <= count + Math.ceil(count / 63), 'and pieces')
    const names = await redis.keys('*')
    assert.ok(names.length > 2200 / 63 - 3, `${names.length} keys`)
    for (const name of names) {
      assert.ok((await redis.strlen(name)) <= 1184, name)
      assert.ok((await redis.pttl(name)) > 0, 'each expires')
    }
    assert.equal((await take(charge(100_000, hour))).usages[0]?.remaining, 100_000 - 2201)
  })

  test('the store is asked once for a decision, and once more where reserved slots are settled', async (t) => {
    const redis = look(t, store)
    const { windows } = await open(t, store)
    const { takeBoth = assert.fail } = windows
    const plain = charge(2, hour, 'asked', 'plain')
    const { limit } = charge(2, hour, 'asked', 'reserved')
    const reserved = { limit: { ...limit, isReserved: true }, key: 'asked' }
    const callCount = async () =>
      Array.from(
        (await redis.info('commandstats')).matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g),
        ([, calls]) => Number(calls),
      ).reduce((sum, calls) => sum + calls, 0)
    for (const [what, verb, charges, expected] of [
      ['nothing is reserved', 'take', [plain], 1],
      ['it is reserved', 'take', [reserved], 2],
      ['one of two is reserved', 'take', [plain, reserved], 2],
      ['it is refused', 'take', [plain, reserved], 1],
      ['it was only looked at', 'peek', [reserved], 1],
    ] as const) {
      const before = await callCount()
      const decision = await windows[verb](charges)
      for (let turn = 0; turn < 2; turn++) await decision.settle('counted')
      assert.equal((await callCount()) - before, expected, what)
    }
    const [first, second] = [charge(9, hour, 'both', 'first'), charge(1, hour, 'both', 'second')]
    for (const [what, expected] of [
      ['it is given back', 2],
      ['there is room again', 2],
    ] as const) {
      const before = await callCount()
      const both = await takeBoth([first], [second])
      assert.deepEqual([both.first.waitMs, both.second.waitMs], [0, 0], what)
      for (let turn = 0; turn < 2; turn++) await both.giveBack()
      assert.equal((await callCount()) - before, expected, what)
    }
    await windows.take([second])
    const before = await callCount()
    const refused = await takeBoth([first], [second])
    assert.ok(refused.second.waitMs > 0)
    await refused.giveBack()
    assert.equal((await callCount()) - before, 1, 'nothing was taken that could be given back')
  })

  test('while the clock is only set back, no real span holds more than the quota', async (t) => {
    let [real, back, run] = [10 * hour, 0, 0]
    const { take } = await open(t, store, { now: () => real - back })
    const step = fc.record({
      gap: fc.integer({ min: 0, max: 900 }),
      back: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3000 })),
      times: fc.integer({ min: 1, max: 80 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(5, 600),
        fc.array(step, { maxLength: 60 }),
        async (quota, steps) => {
          const limit = charge(quota, 2000, `run ${run++}`)
          const admitted: number[] = []
          for (const { gap, back: further, times } of steps) {
            real += gap
            back += further
            const made = await Promise.all(Array.from({ length: times }, () => take(limit)))
            for (const { waitMs } of made) if (waitMs === 0) admitted.push(real)
            const within = admitted.filter((time) => time > real - 2000)
            assert.ok(within.length <= quota, `${within.length} of ${quota}`)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('keys that were used once are gone after their window', async (t) => {
    const redis = look(t, store)
    await redis.flushdb()
    const { take } = await open(t, store)
    await take(charge(3, hour, 'victim'))
    for (let part = 0; part < 2000; part += 100)
      await many(100, (key) => recovered(() => take(charge(1, 60, String(part + key)))))
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal((await redis.keys('*')).length, 1, 'none of them counts any more')
    await until('none of them takes room', async () => (await redis.dbsize()) === 1)
    assert.equal((await take(charge(3, hour, 'victim'))).usages[0]?.remaining, 1)
  })

  test('a large window that all have left is asked about like any other', async (t) => {
    const redis = look(t, store)
    await redis.flushdb()
    const { windows, take } = await open(t, store)
    const wide = charge(300, 80, 'many')
    const full = charge(1, hour, 'full')
    await take(full)
    await Promise.all(Array.from({ length: 280 }, () => take(wide)))
    // Its key has an eighth of the window left, and ten milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 84))
    const [peeked, refused] = await Promise.all([windows.peek([wide]), take(full, wide)])
    assert.deepEqual([peeked.waitMs, peeked.usages[0]?.remaining], [0, 300])
    assert.ok(refused.waitMs > 0)
    assert.equal((await take(wide)).usages[0]?.remaining, 299)
  })

  test('a clock that is set back admits no more, and every wait told is true', async (t) => {
    let now = 10 * hour
    const { take } = await open(t, store, { now: () => now })
    for (let turn = 0; turn < 3; turn++) assert.equal((await take(charge(5, 1000))).waitMs, 0)
    now -= 60_000
    for (let turn = 0; turn < 2; turn++) assert.equal((await take(charge(5, 1000))).waitMs, 0)
    const { waitMs } = await take(charge(5, 1000))
    assert.equal(waitMs, 61_000, 'those of before the step are in the future for a minute')
    now += waitMs - 1
    assert.notEqual((await take(charge(5, 1000))).waitMs, 0)
    now += 1
    assert.equal((await take(charge(5, 1000))).waitMs, 0)
  })

  test('a command that runs after its request was answered charges nothing', async (t) => {
    const own = await startStore()
    // What the store was asked last is the time, as it is every five seconds.
    const { take, windows } = await open(t, own)
    own.freeze()
    const begun = performance.now()
    const attempts = await Promise.allSettled(
      // Repeated at once, while the connection may still seem to be open.
      Array.from({ length: 5 }, () => take(charge(9, hour)).catch(() => take(charge(9, hour)))),
    )
    assert.ok(attempts.every(({ status }) => status === 'rejected'))
    assert.ok(performance.now() - begun < 10_000, 'each after two seconds at most')
    const again = performance.now()
    for (let turn = 0; turn < 10; turn++) await assert.rejects(take(charge(9, hour)), isUnavailable)
    assert.ok(performance.now() - again < 10_000, 'at once, now that it is known')
    own.thaw()
    await recovered(async () => windows.peek([charge(9, hour)]))
    assert.equal((await windows.peek([charge(9, hour)])).usages[0]?.remaining, 9)
    await own.kill()
  })

  test('after a restart of the store it is used again; loss and return are each logged once', async (t) => {
    const own = await startStore()
    const { take, logged } = await open(t, own)
    await take(charge(1, hour))
    await own.kill()
    for (let turn = 0; turn < 20; turn++) await assert.rejects(take(charge(1, hour)), isUnavailable)
    await own.start()
    await recovered(() => take(charge(1, hour)))
    const count = (text: string) => logged.filter((line) => line.includes(text)).length
    assert.equal(count('the limit store is out of reach'), 1)
    assert.equal(count('the limit store is back'), 1)
    await own.kill()
  })

  test('by its Unix socket a store is used like any other', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-store-socket-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const socket = path.join(folder, 'limits.sock')
    const own = await startStore(['--unixsocket', socket, '--requirepass', 'secret'])
    const { take } = await open(t, { url: `unix://:secret@localhost${socket}` })
    assert.equal((await take(charge(1, hour))).waitMs, 0)
    await own.kill()
    await assert.rejects(take(charge(1, hour)), isUnavailable)
    await own.start()
    await recovered(() => take(charge(1, hour)))
    const wrong = await open(t, { url: `unix://:other@localhost${socket}` })
    await assert.rejects(wrong.take(charge(1, hour)), isUnavailable)
  })

  test('a store that is absent at the start is used once it is there', async (t) => {
    const own = await startStore()
    await own.kill()
    const { take, windows } = await open(t, own)
    await assert.rejects(take(charge(1, hour)), isUnavailable)
    assert.equal(windows.isReachable(), false)
    await own.start()
    await recovered(() => take(charge(1, hour)))
    assert.equal(windows.isReachable(), true)
    await own.kill()
  })

  test('while the store refuses writes, requests are refused', async (t) => {
    const own = await startStore()
    const redis = look(t, own)
    const { take, logged } = await open(t, own)
    await take(charge(9, hour))
    const ways: [does: string[], undoes: string[]][] = [
      [
        ['CONFIG', 'SET', 'maxmemory', '1'],
        ['CONFIG', 'SET', 'maxmemory', '0'],
      ],
      [
        ['REPLICAOF', '127.0.0.1', '1'],
        ['REPLICAOF', 'NO', 'ONE'],
      ],
      [
        ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
        ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
      ],
      [['SCRIPT', 'FLUSH'], []],
    ]
    for (const [does, undoes] of ways) {
      await redis.call(...(does as [string, ...string[]]))
      if (undoes.length > 0)
        await assert.rejects(take(charge(9, hour)), isUnavailable, does.join(' '))
      if (undoes.length > 0) await redis.call(...(undoes as [string, ...string[]]))
      await recovered(() => take(charge(9, hour)))
    }
    assert.match(logged.join(''), /READONLY/, 'a replica is left, for the name may lead elsewhere')
    await own.kill()
  })

  test('a wrong password refuses every request and is logged without its value', async (t) => {
    const user = ['--user', 'bank', 'on', '>a%user', '~*', '&*', '+@all']
    const own = await startStore(['--requirepass', 'the right one', ...user])
    const url = own.url.replace('//', '//:not-that-one@')
    const { take, logged } = await open(t, { url })
    await assert.rejects(take(charge(1, hour)), isUnavailable)
    assert.match(logged.join(''), /WRONGPASS/)
    assert.ok(!logged.join('').includes('not-that-one'))
    for (const login of ['default:the%20right%20one', ':the%20right%20one', 'bank:a%25user']) {
      const right = await open(t, { url: own.url.replace('//', `//${login}@`) })
      assert.equal((await right.take(charge(1, hour))).waitMs, 0, login)
    }
    await own.kill()
  })

  test('over TLS only a store with a trusted certificate for its name is used', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-store-tls-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const { key, cert, caPath = '' } = await localCertificate(folder, ['localhost'], Date.now())
    const [keyFile, certFile] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
    await writeFile(keyFile, key)
    await writeFile(certFile, cert)
    const port = String(await freePort())
    const files = ['--tls-key-file', keyFile, '--tls-cert-file', certFile]
    const own = await startStore(['--tls-port', port, '--tls-auth-clients', 'no', ...files])
    const untrusting = await open(t, { url: `rediss://localhost:${port}` })
    await assert.rejects(untrusting.take(charge(1, hour)), isUnavailable)
    const program = `
      import { windowsInRedis } from ${JSON.stringify(import.meta.resolve('./redis-windows.ts'))}
      const log = { info() {}, warn() {}, error() {}, debug() {}, flush() {} }
      for (const host of ['localhost', '127.0.0.1']) {
        const url = 'rediss://' + host + ':${port}'
        const windows = await windowsInRedis(url, { secret: () => Buffer.alloc(32), log })
        process.stdout.write(host + ' ' + windows.isReachable() + '; ')
        await windows.close()
      }`
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: caPath },
    })
    assert.equal(stdout, 'localhost true; 127.0.0.1 false; ')
    await own.kill()
  })

  test('a store that may evict live keys is warned about, others are not', async (t) => {
    for (const policy of ['allkeys-lru', 'volatile-ttl', 'noeviction']) {
      const own = await startStore(['--maxmemory', '50mb', '--maxmemory-policy', policy])
      const { take, logged } = await open(t, own)
      await take(charge(1, hour))
      await take(charge(1, hour))
      assert.equal(logged.join('').includes(`maxmemory-policy ${policy}`), policy !== 'noeviction')
      await own.kill()
    }
  })

  test('the end of that danger is told once too', async (t) => {
    const own = await startStore(['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'])
    const { windows, logged } = await open(t, own)
    const redis = look(t, own)
    const told = () => logged.filter((line) => /may forget|keeps all/.test(line)).length
    await until('the danger', () => windows.mayForget())
    assert.equal(told(), 1)
    // The store is asked at each connection, and once a minute.
    const reconnect = async () => {
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await until('the loss', () => !windows.isReachable())
      await until('the store', () => windows.isReachable())
    }
    await reconnect()
    await redis.config('SET', 'maxmemory-policy', 'noeviction')
    await reconnect()
    await until('the end', () => !windows.mayForget())
    assert.equal(told(), 2)
    assert.match(logged.join(''), /"the limit store keeps all limits again"/)
  })
})

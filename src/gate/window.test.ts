import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fc } from '../../test/support/random.ts'
import { startStore, withoutStore } from '../../test/support/redis.ts'
import { fakeClock } from '../../test/support/clock.ts'
import { createLog } from '../telemetry/log.ts'
import { type SharedWindows, windowsInRedis } from './store/redis-windows.ts'
import {
  type Charge,
  type Decision,
  type Limit,
  windowsInProcess,
  wholeSeconds,
  type WindowStore,
} from './window.ts'

const limits = new Map<string, Limit>()
/** One limit is one object, as in the service. */
function charge(quota: number, windowMs: number, key = 'k', window = 'w'): Charge {
  const name = `${window} ${quota} ${windowMs}`
  const limit = limits.get(name) ?? { window, quota, windowMs }
  limits.set(name, limit)
  return { limit, key }
}
const reserved = (...values: Parameters<typeof charge>): Charge => {
  const { limit, key } = charge(...values)
  return { limit: { ...limit, isReserved: true }, key }
}

/** The same cases over both forms. Each hands out stores that know nothing yet, on that clock. */
type Form = {
  name: string
  skip: string | false
  /** How many runs a property gets. */
  runs: number
  open(now: () => number): Promise<WindowStore>
}

const { url } = withoutStore === false ? await startStore() : { url: '' }
const opened: SharedWindows[] = []
const log = createLog('silent', () => {})

const inProcess: Form = {
  name: 'in process',
  skip: false,
  runs: 500,
  open: async (now) => windowsInProcess(now),
}

const inRedis: Form = {
  name: 'in Redis or Valkey',
  skip: withoutStore,
  runs: 30,
  async open(now) {
    const secret = randomBytes(32)
    const windows = await windowsInRedis(url, { secret: () => secret, log, now })
    opened.push(windows)
    return windows
  },
}

after(async () => {
  for (const windows of opened) await windows.close()
})

for (const form of [inProcess, inRedis]) {
  describe(form.name, { skip: form.skip }, () => {
    cases(form)
  })
}

function cases({ open, runs }: Form): void {
  async function store() {
    const clock = fakeClock()
    const windows = await open(() => clock.monotonic())
    const take = async (...charges: Charge[]) => windows.take(charges)
    return { clock, windows, take }
  }

  test('admits the quota, refuses the next, and admits again when the oldest has left', async () => {
    const { clock, take } = await store()
    for (let turn = 0; turn < 5; turn++) assert.equal((await take(charge(5, 1000))).waitMs, 0)
    assert.equal((await take(charge(5, 1000))).waitMs, 1000)
    clock.advance(999)
    assert.equal((await take(charge(5, 1000))).waitMs, 1)
    clock.advance(1)
    const { waitMs, usages } = await take(charge(5, 1000))
    assert.equal(waitMs, 0)
    assert.deepEqual(usages, [{ remaining: 4, resetMs: 1000 }], 'all five have left by now')
  })

  test('times are exact below a millisecond', async () => {
    const { clock, take } = await store()
    clock.advance(0.125)
    assert.equal((await take(charge(1, 10_000))).waitMs, 0)
    clock.advance(9_999.875)
    assert.equal((await take(charge(1, 10_000))).waitMs, 0.125)
  })

  test('a full window at its edge admits no second burst', async () => {
    const { clock, take } = await store()
    await take(charge(5, 60_000))
    clock.advance(59_000)
    for (let turn = 0; turn < 4; turn++) assert.equal((await take(charge(5, 60_000))).waitMs, 0)
    clock.advance(1100)
    assert.equal((await take(charge(5, 60_000))).waitMs, 0, 'the one of a minute ago has left')
    assert.notEqual((await take(charge(5, 60_000))).waitMs, 0, 'the four of a second ago have not')
  })

  test('a refused request is not counted, in any window', async () => {
    const { clock, windows, take } = await store()
    const short = charge(1, 1000, 'k', 'short')
    const long = charge(3, 60_000, 'k', 'long')
    await take(short, long)
    for (let turn = 0; turn < 50; turn++) assert.notEqual((await take(short, long)).waitMs, 0)
    assert.equal((await windows.peek([long])).usages[0]?.remaining, 2)
    clock.advance(1000)
    assert.equal((await take(short, long)).waitMs, 0)
  })

  test('a peek charges nothing, and its refusal holds', async () => {
    const { clock, windows, take } = await store()
    for (let turn = 0; turn < 9; turn++) {
      assert.equal((await windows.peek([charge(1, 1500)])).waitMs, 0)
    }
    await take(charge(1, 1500))
    assert.equal((await windows.peek([charge(1, 1500)])).waitMs, 1500)
    clock.advance(1999)
    assert.equal((await take(charge(1, 1500))).waitMs, 1, 'two seconds were said')
    clock.advance(1)
    assert.equal((await take(charge(1, 1500))).waitMs, 0)
  })

  test('a Retry-After that was sent holds, even if the window has room earlier', async () => {
    const { clock, take } = await store()
    await take(charge(1, 1000))
    clock.advance(700)
    assert.equal(wholeSeconds((await take(charge(1, 1000))).waitMs), 1)
    clock.advance(500)
    assert.notEqual((await take(charge(1, 1000))).waitMs, 0, 'the promised second is not over')
    clock.advance(500)
    assert.equal((await take(charge(1, 1000))).waitMs, 0, 'and hammering has not moved it')
  })

  test('a reserved slot that is free again frees its place at once, once, and in its windows only', async () => {
    const { take } = await store()
    const one = reserved(2, 60_000, 'k', 'one')
    const other = charge(2, 60_000, 'k', 'other')
    const first = await take(one, other)
    await take(one)
    await first.settle('free')
    assert.equal((await take(one)).waitMs, 0)
    await first.settle('free')
    assert.notEqual((await take(one)).waitMs, 0, 'it was settled before')
    assert.equal((await take(other)).usages[0]?.remaining, 0, 'the other counts it')
  })

  test('no charges: admitted, with nothing to settle', async () => {
    const { take } = await store()
    const taken = await take()
    assert.equal(taken.waitMs, 0)
    await taken.settle('free')
  })

  test('a refusal due to reserved slots alone promises one second, kept both ways', async () => {
    const { clock, windows, take } = await store()
    const failed = reserved(5, 60_000)
    const attempts = []
    for (let turn = 0; turn < 5; turn++) attempts.push(await take(failed))
    assert.equal((await take(failed)).waitMs, 1000)
    for (const attempt of attempts) await attempt.settle('free')
    clock.advance(999)
    assert.equal((await windows.peek([failed])).waitMs, 1, 'the promised second is not over')
    clock.advance(1)
    assert.equal((await take(failed)).waitMs, 0)
  })

  test('while slots stay reserved, each refusal promises one second more and never a minute', async () => {
    const { clock, take } = await store()
    for (let turn = 0; turn < 5; turn++) await take(reserved(5, 60_000))
    for (let turn = 0; turn < 5; turn++) {
      assert.equal((await take(reserved(5, 60_000))).waitMs, 1000)
      clock.advance(500)
      assert.equal((await take(reserved(5, 60_000))).waitMs, 500, 'what was promised is not moved')
      clock.advance(500)
    }
  })

  test('reserved slots that become failures count from their reservation, and the full wait is sent', async () => {
    const { clock, take } = await store()
    const attempts = []
    for (let turn = 0; turn < 5; turn++) attempts.push(await take(reserved(5, 60_000)))
    clock.advance(100)
    assert.equal((await take(reserved(5, 60_000))).waitMs, 1000)
    clock.advance(400)
    for (const attempt of attempts) await attempt.settle('counted')
    assert.equal((await take(reserved(5, 60_000))).waitMs, 59_500, 'also within the second')
    clock.advance(59_500)
    assert.equal((await take(reserved(5, 60_000))).waitMs, 500, '60 s were told at the time')
    clock.advance(500)
    assert.equal((await take(reserved(5, 60_000))).waitMs, 0)
  })

  test('a slot reserved in a window that ends sooner than a second promises its end', async () => {
    const { clock, take } = await store()
    await take(reserved(1, 800))
    clock.advance(500)
    assert.equal((await take(reserved(1, 800))).waitMs, 300)
  })

  test('a reservation that is not settled within ten seconds counts', async () => {
    const { clock, take } = await store()
    const lost = await take(reserved(1, 60_000))
    clock.advance(9999)
    assert.equal((await take(reserved(1, 60_000))).waitMs, 1000)
    clock.advance(1)
    assert.equal((await take(reserved(1, 60_000))).waitMs, 50_000)
    await lost.settle('free')
    clock.advance(50_000)
    assert.equal((await take(reserved(1, 60_000))).waitMs, 0)
  })

  test('for any logins: never more than N failures in a span, and a wait beyond a second is due to failures alone', async () => {
    const { clock, windows, take } = await store()
    let run = 0
    const step = fc.record({
      gap: fc.integer({ min: 0, max: 12_000 }),
      does: fc.constantFrom('begin', 'begin', 'begin', 'fail', 'succeed', 'look'),
      which: fc.nat(20),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: '+1' }), async (steps) => {
        const window = reserved(3, 6000, `run ${run++}`)
        const open: { at: number; taken: Awaited<ReturnType<typeof take>> }[] = []
        const failures: number[] = []
        let promisedUntil = 0
        for (const { gap, does, which } of steps) {
          clock.advance(gap / 8)
          const now = clock.monotonic()
          if (does === 'fail' || does === 'succeed') {
            const [attempt] = open.splice(which % Math.max(1, open.length), 1)
            if (does === 'fail' && attempt) failures.push(attempt.at)
            await attempt?.taken.settle(does === 'fail' ? 'counted' : 'free')
            failures.sort((one, other) => one - other)
            for (const [index, first] of failures.entries()) {
              const fourth = failures[index + 3]
              assert.ok(fourth === undefined || fourth - first >= 6000, 'a fourth failure')
            }
            continue
          }
          const taken = does === 'look' ? await windows.peek([window]) : await take(window)
          const isIn = (time: number) => time > now - 6000
          const failed = failures.filter(isIn)
          const held = open.filter(({ at }) => isIn(at))
          const isFull = failed.length + held.length >= 3
          if (taken.waitMs === 0) {
            assert.ok(!isFull, 'admitted against the rule')
            assert.ok(now >= promisedUntil, 'admitted before the promise')
            if (does === 'begin') open.push({ at: now, taken })
            continue
          }
          assert.ok(isFull || now < promisedUntil, 'refused though rule and promise admit')
          const told = now + wholeSeconds(taken.waitMs) * 1000
          if (isFull && held.length > 0) {
            assert.ok(taken.waitMs <= Math.max(1000, promisedUntil - now), 'a second at most')
          }
          // Only failures that were slots when the wait was told move it.
          const leavesAt = isFull && held.length === 0 ? (failed[0] as number) + 6000 : 0
          if (now >= promisedUntil || leavesAt > promisedUntil) promisedUntil = told
          assert.ok(told >= promisedUntil && told < promisedUntil + 1000, 'told wrongly')
        }
      }),
      { numRuns: runs },
    )
  })

  test('for any arrivals: never more than N in a span, Retry-After true both ways, none refused but by rule or promise', async () => {
    const { clock, take } = await store()
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 800, max: 40_000 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 8000, max: 160_000 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 24_000 }), fc.nat(9)), {
          maxLength: 100,
          size: '+1',
        }),
        async (burst, burstEighths, sustained, sustainedEighths, arrivals) => {
          const key = `run ${run++}`
          const windows = [
            reserved(burst, burstEighths / 8, key, 'burst'),
            reserved(sustained, sustainedEighths / 8, key, 'sustained'),
          ]
          // The reference: when what counts was admitted, searched whole each time.
          const admitted: number[] = []
          let promisedUntil = 0
          const fits = (now: number) =>
            windows.every(
              ({ limit: { quota, windowMs } }) =>
                admitted.filter((time) => time > now - windowMs).length < quota,
            )
          /** 0 when admitted, else when the wait that was promised ends. */
          async function arrive(does: number): Promise<number> {
            const now = clock.monotonic()
            const isFit = fits(now)
            const { waitMs, settle } = await take(...windows)
            if (waitMs > 0) {
              assert.ok(!isFit || now < promisedUntil, 'refused though rule and promise admit')
              // The first to be told is told exactly; who asks meanwhile, up to a second more.
              const told = now + wholeSeconds(waitMs) * 1000
              if (now >= promisedUntil) promisedUntil = told
              assert.ok(told >= promisedUntil && told < promisedUntil + 1000, 'told wrongly')
              return promisedUntil
            }
            assert.ok(isFit, 'admitted against the rule')
            assert.ok(now >= promisedUntil, 'admitted before the promise')
            await settle(does === 0 ? 'free' : 'counted')
            if (does !== 0) admitted.push(now)
            return 0
          }
          for (const [gap, does] of arrivals) {
            clock.advance(gap / 8)
            const end = await arrive(does)
            if (end === 0 || does > 2) continue
            clock.advance(end - clock.monotonic() - 0.125)
            assert.ok((await arrive(does)) > 0, 'admitted before what was told')
            clock.advance(0.125)
            assert.equal(await arrive(does), 0, 'refused after what was told')
          }
        },
      ),
      { numRuns: runs },
    )
  })
}

test(
  'both forms decide alike, for any keys, windows, looks and ends of reservations',
  {
    skip: withoutStore,
  },
  async () => {
    const clock = fakeClock()
    const now = () => clock.monotonic()
    let run = 0
    const step = fc.record({
      gap: fc.integer({ min: 0, max: 12_000 }),
      address: fc.nat(2),
      name: fc.nat(2),
      does: fc.constantFrom('take', 'take', 'take', 'peek', 'free', 'counted'),
      which: fc.nat(20),
      windows: fc.subarray(['address', 'name', 'attempts']),
    })
    const stores = [await inProcess.open(now), await inRedis.open(now)] as const
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 100, size: '+1' }), async (steps) => {
        run++
        const made: Decision[][] = []
        for (const { gap, address, name, does, which, windows } of steps) {
          clock.advance(gap / 8)
          if (does === 'free' || does === 'counted') {
            for (const taken of made.splice(which, 1).flat()) await taken.settle(does)
            continue
          }
          const charges = [
            reserved(5, 6000, `run ${run} address ${address}`, 'address'),
            reserved(3, 14_000.5, `run ${run} name ${name}`, 'name'),
            charge(40, 30_000, `run ${run} address ${address}`, 'attempts'),
          ].filter(({ limit }) => windows.length === 0 || windows.includes(limit.window))
          const verb = does === 'take' ? 'take' : 'peek'
          const [one, other] = [await stores[0][verb](charges), await stores[1][verb](charges)]
          const { waitMs, usages } = one
          assert.deepEqual({ waitMs: other.waitMs, usages: other.usages }, { waitMs, usages })
          made.push([one, other])
        }
      }),
      { numRuns: 50 },
    )
  },
)

test('keys without admissions are forgotten, also while no new key comes; one in use is not', () => {
  const clock = fakeClock()
  const windows = windowsInProcess(() => clock.monotonic())
  const take = (key: string) => (windows.take([charge(1, 1000, key)]) as Decision).waitMs
  for (let key = 0; key < 1000; key++) take(String(key))
  assert.equal(windows.size(), 1000)
  for (let turn = 0; turn < 1000; turn++) {
    clock.advance(1000)
    assert.equal(take('known'), 0)
    assert.equal(take('known'), 1000, 'its admission is counted')
  }
  assert.equal(windows.size(), 1)
})

test('a key without admissions is kept while a wait that was told has not ended', () => {
  const clock = fakeClock()
  const windows = windowsInProcess(() => clock.monotonic())
  const take = (key: string) => (windows.take([charge(1, 1000, key)]) as Decision).waitMs
  assert.equal(take('told'), 0)
  clock.advance(700)
  assert.equal(take('told'), 300, 'told as a second')
  clock.advance(500)
  // Each checks two keys.
  for (const other of ['a', 'b']) take(other)
  assert.equal(take('told'), 500)
})

test('a window of one second is reported as one, whatever fraction the clock shows', () => {
  let now = 0
  const store = windowsInProcess(() => now)
  for (let turn = 1; turn <= 1000; turn++) {
    now = turn * 1234.567_891_234_5
    const { usages } = store.take([charge(1, 1000, `${turn}`)]) as Decision
    assert.deepEqual(usages, [{ remaining: 0, resetMs: 1000 }], `${now}`)
  }
})

test('a wait of one second is told as one and is enough, whatever fraction the clock shows', () => {
  let now = 0
  const store = windowsInProcess(() => now)
  const ask = (asked: Charge) => store.take([asked]) as Decision
  for (let turn = 1; turn <= 10_000; turn++) {
    now = turn * 1234.567_891_234_5
    const full = charge(1, 1000, `${turn}`, 'full')
    const inUse = reserved(1, 60_000, `${turn}`, 'in use')
    const [, attempt] = [ask(full), ask(inUse)]
    assert.deepEqual([ask(full).waitMs, ask(inUse).waitMs], [1000, 1000], `${now}`)
    void attempt.settle('free')
    now += 1000
    assert.deepEqual([ask(full).waitMs, ask(inUse).waitMs], [0, 0], `${now}`)
  }
})

test('a busy key keeps no more times than its window has', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  let now = 0
  const windows = windowsInProcess(() => now)
  const asked = [charge(10, 10)]
  const run = () => {
    for (let turn = 0; turn < 200_000; turn++, now++) void windows.take(asked)
  }
  run()
  const before = used()
  run()
  // One time takes 8 bytes: all of them 1.6 MB.
  assert.ok(used() - before < 500_000)
  assert.equal(windows.size(), 1)
})

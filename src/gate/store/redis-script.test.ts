// The script against that of release 0.2.0, which reads and writes whole values. A run takes some
// examples, the nightly one more: a busy machine needs a second for each.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import { Redis } from 'ioredis'
import { fc } from '../../../test/support/random.ts'
import { fakeClock, type FakeClock } from '../../../test/support/clock.ts'
import { formerWindows } from '../../../test/support/former-windows.ts'
import { examples } from '../../../test/support/sample.ts'
import { startStore, withoutStore } from '../../../test/support/redis.ts'
import { createLog } from '../../telemetry/log.ts'
import { windowsInRedis } from './redis-windows.ts'
import type { Charge, Decision, Limit, WindowStore } from '../window.ts'

const log = createLog('silent', () => {})

/** Small and large ones, those that are cut into pieces among them. */
const limits: readonly Limit[] = [
  { window: 'burst', quota: 5, windowMs: 1000 },
  { window: 'guesses', quota: 3, windowMs: 14_000.5, isReserved: true },
  { window: 'attempts', quota: 60, windowMs: 30_000 },
  { window: 'sustained', quota: 700, windowMs: 60_000 },
  { window: 'crowd', quota: 600, windowMs: 50_000, isReserved: true },
]

const step = fc.record({
  gap: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 2000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 600_000 }) },
  ),
  does: fc.constantFrom('take', 'take', 'take', 'take', 'peek', 'free', 'counted'),
  /** How often in the same turn of the event loop. */
  times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 250 })),
  which: fc.nat(400),
  person: fc.nat(1),
  windows: fc.constantFrom([4], [4], [3], [3, 4], [0, 3], [1, 2], [2], [0, 1, 2, 3, 4]),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
const steps = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' })

const toAnswer = ({ waitMs, usages }: Decision) => ({ waitMs, usages })

async function open(t: TestContext, url: string, clock: FakeClock) {
  const secret = randomBytes(32)
  const now = () => clock.monotonic()
  const present = await windowsInRedis(url, { secret: () => secret, log, now })
  t.after(() => present.close())
  const openFormer = (ownSecret: Buffer) => {
    const former = formerWindows(url, { secret: ownSecret, now })
    t.after(() => former.close())
    return former
  }
  // Under other names, and under the same ones: the other instance of an upgrade.
  return { present, former: openFormer(randomBytes(32)), other: openFormer(secret) }
}

/** Runs the same steps over both; the decisions of a turn are asked for at once. */
async function compare(
  all: readonly Step[],
  clock: FakeClock,
  { run, limitMax, choose }: { run: number; limitMax: number; choose(at: number): WindowStore },
  reference: WindowStore,
): Promise<void> {
  const made: (readonly [Decision, Decision])[] = []
  for (const [at, { gap, does, times, which, person, windows }] of all.entries()) {
    clock.advance(gap / 8)
    if (does === 'free' || does === 'counted') {
      const some = made.splice(which % Math.max(1, made.length), times)
      await Promise.all(some.map(([decision]) => decision.settle(does)))
      for (const [, decision] of some) await decision.settle(does)
      continue
    }
    const charges: Charge[] = windows.flatMap((index) => {
      const limit = limits[index] as Limit
      return limit.quota <= limitMax ? { limit, key: `run ${run} person ${person}` } : []
    })
    const store = choose(at)
    const count = Array.from({ length: times })
    const present = await Promise.all(count.map(async () => store[does](charges)))
    for (const decision of present) {
      const former: Decision = await reference[does](charges)
      assert.deepEqual(toAnswer(decision), toAnswer(former))
      if (does === 'take') made.push([decision, former])
    }
  }
}

describe('the script of the windows', { skip: withoutStore }, async () => {
  if (withoutStore !== false) return
  const { url } = await startStore()

  test('answers every call as the script of 0.2.0 does, for any admissions, promises and settlements', async (t) => {
    const clock = fakeClock()
    const { present, former } = await open(t, url, clock)
    let run = 0
    await fc.assert(
      fc.asyncProperty(steps, (all) =>
        compare(all, clock, { run: run++, limitMax: 1000, choose: () => present }, former),
      ),
      examples(8),
    )
  })

  test('slots are settled anywhere in a window that is cut', async (t) => {
    const clock = fakeClock()
    const { present, former } = await open(t, url, clock)
    const stores = [present, former] as const
    const limit = limits[4] as Limit
    let run = 0
    const ask = async (verb: 'take' | 'peek') => {
      const charges = [{ limit, key: `run ${run}` }]
      const made = await Promise.all(stores.map(async (store) => store[verb](charges)))
      assert.deepEqual(toAnswer(made[0] as Decision), toAnswer(made[1] as Decision))
      return made
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(8), { minLength: 600, maxLength: 600 }),
        fc.array(fc.tuple(fc.nat(599), fc.boolean()), {
          minLength: 20,
          maxLength: 120,
          size: 'max',
        }),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 20, maxLength: 20 }),
        async (gaps, settled, pauses) => {
          run++
          const made: Decision[][] = []
          for (const gap of gaps) {
            clock.advance(gap)
            made.push(await ask('take'))
          }
          const settle = async (decisions: Decision[], outcome: 'free' | 'counted') => {
            for (const decision of decisions) await decision.settle(outcome)
          }
          for (const [which, isFree] of settled) {
            await settle(made[which] as Decision[], isFree ? 'free' : 'counted')
          }
          for (let turn = 0; turn < 260; turn++) await settle(await ask('take'), 'counted')
          // Every failure that is left is told as such, and no success as one.
          for (const decisions of made) await settle(decisions, 'counted')
          await ask('take')
          for (const pause of pauses) {
            clock.advance(pause)
            await ask('peek')
          }
        },
      ),
      { ...examples(2), endOnFailure: true },
    )
  })

  test('an admission counts, also where a slot is settled with it that the store has lost', async (t) => {
    const clock = fakeClock()
    const { present } = await open(t, url, clock)
    const redis = new Redis(url)
    t.after(() => redis.disconnect())
    const charges = [{ limit: limits[1] as Limit, key: 'person' }]
    for (const outcome of ['free', 'counted'] as const) {
      const lost = await present.take(charges)
      await redis.flushall()
      clock.advance(1)
      await present.take(charges)
      // Both go in one message.
      await Promise.all([present.take(charges), lost.settle(outcome)])
      const [usage] = (await present.peek(charges)).usages
      assert.equal(usage?.remaining, 1)
    }
  })

  test('with another secret the names are others from the next request on', async (t) => {
    let secret = randomBytes(32)
    const windows = await windowsInRedis(url, { secret: () => secret, log })
    t.after(() => windows.close())
    const charges = [{ limit: { window: 'one', quota: 1, windowMs: 60_000 }, key: 'person' }]
    const isAdmitted = async () => (await windows.take(charges)).waitMs === 0
    assert.deepEqual([await isAdmitted(), await isAdmitted()], [true, false])
    const former = secret
    secret = randomBytes(32)
    assert.deepEqual([await isAdmitted(), await isAdmitted()], [true, false])
    secret = former
    assert.equal(await isAdmitted(), false)
  })

  test('instances of both releases count small windows together', async (t) => {
    const clock = fakeClock()
    const { present, former, other } = await open(t, url, clock)
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (all, isPresent) =>
          compare(
            all,
            clock,
            { run: run++, limitMax: 100, choose: (at) => (isPresent[at] ? present : other) },
            former,
          ),
      ),
      examples(8),
    )
  })
})

// What a request is charged in the windows of its class, and what it is told of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { defaultLimits } from '../config/config.ts'
import type { Window } from '../config/limits.ts'
import { Refusal } from '../domain/errors.ts'
import { type Charged, createLimits, type LimitClass } from './limits.ts'
import { windowsInProcess } from './window.ts'

/** Limits of which some classes have other windows. */
function setting(classes: Partial<Record<LimitClass, Record<string, Window>>>) {
  const clock = fakeClock()
  const table = { ...defaultLimits, ...classes } as typeof defaultLimits
  return {
    clock,
    limits: createLimits(
      table,
      windowsInProcess(() => clock.monotonic()),
    ),
  }
}
const told = (charged: Charged | Promise<Charged>): string | undefined =>
  (charged as Charged).headers()['ratelimit']
function refusalOf(ask: () => unknown): Refusal['options'] & { code?: string } {
  try {
    ask()
  } catch (thrown) {
    if (thrown instanceof Refusal) return { ...thrown.options, code: thrown.code }
    throw thrown
  }
  return {}
}

test('a request is told what is left of each window of its class, in whole seconds', () => {
  const { clock, limits } = setting({
    read: { burst: { quota: 2, windowMs: 1000 }, sustained: { quota: 3, windowMs: 60_500 } },
  })
  const take = () => limits.take('read', 'k')
  assert.deepEqual((take() as Charged).headers(), {
    'ratelimit-policy': '"burst";q=2;w=1, "sustained";q=3;w=61',
    ratelimit: '"burst";r=1;t=1, "sustained";r=2;t=61',
  })
  assert.equal(told(limits.peek('read', 'k')), '"burst";r=1;t=1, "sustained";r=2;t=61')
  assert.equal(told(take()), '"burst";r=0;t=1, "sustained";r=1;t=61')
  const { code, because, window, retryAfter, headers } = refusalOf(take)
  assert.deepEqual([code, because, window, retryAfter], ['rate_limited', 'read', 'read.burst', 1])
  assert.equal(headers?.['ratelimit'], '"burst";r=0;t=1, "sustained";r=1;t=61')
  assert.equal(refusalOf(() => limits.peek('read', 'k')).window, 'read.burst')
  assert.equal(told(limits.take('read', 'other')), '"burst";r=1;t=1, "sustained";r=2;t=61')
  clock.advance(1000)
  assert.equal(told(take()), '"burst";r=1;t=1, "sustained";r=0;t=60')
  const later = refusalOf(take)
  assert.deepEqual([later.window, later.retryAfter], ['read.sustained', 60])
})

test('a request that comes half a millisecond too early is refused for a second', () => {
  const { clock, limits } = setting({ read: { burst: { quota: 1, windowMs: 1000 } } })
  void limits.take('read', 'k')
  clock.advance(999.5)
  assert.equal(refusalOf(() => limits.take('read', 'k')).retryAfter, 1)
})

test('a store may tell apart just as many windows as there are', () => {
  const windows = windowsInProcess(() => 0)
  const count = Object.values(defaultLimits).flatMap((each) => Object.values(each)).length
  createLimits(defaultLimits, { ...windows, limitsMax: count })
  const fewer = { ...windows, limitsMax: count - 1 }
  assert.throws(() => createLimits(defaultLimits, fewer), {
    message: `The store tells ${count - 1} windows apart, not ${count}`,
  })
})

test('of several full windows the refusal names the one that stays full for longest', () => {
  for (const [names, first] of [
    [['short', 'long'], 'read.long'],
    [['long', 'short'], 'read.long'],
    [['same', 'equal'], 'read.same'],
  ] as const) {
    const windowMs = { short: 1000, long: 9000, same: 9000, equal: 9000 }
    const windows = names.map((name) => [name, { quota: 1, windowMs: windowMs[name] }])
    const { limits } = setting({ read: Object.fromEntries(windows) as Record<string, Window> })
    void limits.take('read', 'k')
    const { window, retryAfter } = refusalOf(() => limits.take('read', 'k'))
    assert.deepEqual([window, retryAfter], [first, 9])
  }
})

test('only windows whose key is there are charged; with none a request is told nothing', () => {
  const { limits } = setting({
    reset: {
      perEmail: { quota: 1, windowMs: 9000, key: 'email' },
      perAddress: { quota: 2, windowMs: 9000, key: 'address' },
      all: { quota: 3, windowMs: 9000 },
    },
  })
  assert.deepEqual((limits.take('reset', {}) as Charged).headers(), {})
  assert.deepEqual((limits.take('reset', { name: 'n', email: undefined }) as Charged).headers(), {})
  assert.equal(told(limits.take('reset', { email: 'e' })), '"perEmail";r=0;t=9')
  const refused = refusalOf(() => limits.take('reset', { email: 'e', address: 'a' }))
  assert.equal(refused.window, 'reset.perEmail')
  assert.equal(told(limits.take('reset', { address: 'a' })), '"perAddress";r=1;t=9', 'all or none')
  const all = '"perEmail";r=0;t=9, "perAddress";r=1;t=9, "all";r=2;t=9'
  assert.equal(told(limits.take('reset', 'k')), all)
})

test('an attempt that succeeds is not counted as a failure, and one that fails is', async () => {
  const { limits } = setting({
    factor: { failed: { quota: 1, windowMs: 9000, key: 'name', counts: 'failures' } },
    read: { each: { quota: 2, windowMs: 9000 } },
  })
  const attempt = async (does: () => Promise<string>) =>
    (await limits.take('factor', { name: 'n' })).judge(does)
  assert.equal(await attempt(async () => 'right'), 'right')
  const wrong = new Error('wrong')
  await assert.rejects(
    attempt(() => Promise.reject(wrong)),
    wrong,
  )
  const { window, retryAfter } = refusalOf(() => limits.peek('factor', { name: 'n' }))
  assert.deepEqual([window, retryAfter], ['factor.failed', 9])
  await (await limits.take('read', 'k')).judge(async () => {})
  assert.equal(told(limits.peek('read', 'k')), '"each";r=1;t=9', 'a request is counted as it ends')
})

test('a store that answers later is waited for, and one that decides for two classes is asked once', async () => {
  const { clock } = setting({})
  const windows = windowsInProcess(() => clock.monotonic())
  const asked: string[][] = []
  const given: string[] = []
  const limits = createLimits(
    { ...defaultLimits, address: { burst: { quota: 1, windowMs: 1000 } } },
    {
      ...windows,
      limitsMax: 1000,
      take: async (charges) => windows.take(charges),
      async takeBoth(...both) {
        asked.push(...both.map((charges) => charges.map(({ limit, key }) => limit.window + key)))
        const [first, second] = [await windows.take(both[0]), await windows.take(both[1])]
        return { first, second, giveBack: async () => void given.push('back') }
      },
    },
  )
  assert.equal(told(await limits.take('address', 'a')), '"burst";r=0;t=1')
  await assert.rejects(async () => limits.take('address', 'a'), { code: 'rate_limited' })
  const both = await limits.takeBoth?.(['address', '1'], ['read', '2'])
  assert.deepEqual(asked, [['address.burst1'], ['read.burst2', 'read.sustained2']])
  assert.equal(told(both?.first as Charged), '"burst";r=0;t=1')
  assert.match(told(both?.second() as Charged) ?? '', /^"burst";r=9;t=1, "sustained";r=999;/)
  await both?.giveBack()
  assert.deepEqual(given, ['back'])
  assert.equal(createLimits(defaultLimits, windows).takeBoth, undefined)
})

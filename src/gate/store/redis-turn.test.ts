import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'node:test'
import { connectTimeoutMs, type Link } from './redis-link.ts'
import { createTurn, limitsMax } from './redis-turn.ts'
import { createLimits } from '../limits.ts'
import type { Refusal } from '../../domain/errors.ts'
import { windowsInProcess } from '../window.ts'
import { defaultLimits } from '../../config/config.ts'

const limit = { window: 'read.burst', quota: 9, windowMs: 1000 }
const slots = (name: string) => [{ name, limit }]

/** A store that answers when it is told to, and what it was asked. */
function slowStore() {
  type Answer = (isRefused?: boolean, numbers?: number[] | null) => void
  const messages: { keys: readonly string[]; answer: Answer }[] = []
  const link: Pick<Link, 'run' | 'time' | 'learn'> = {
    time: () => 0,
    learn() {},
    run(keys) {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      messages.push({
        keys,
        answer(isRefused = false, numbers) {
          const all = [1, ...keys.flatMap(() => [0, 8, 1])]
          if (isRefused) reject(new Error('refused'))
          else resolve(numbers === undefined ? all : (numbers as number[]))
        },
      })
      return promise
    },
  }
  return { messages, ...createTurn(link as Link, () => '') }
}

test('what is asked while a message is under way goes with the next one', async () => {
  const { messages, ask } = slowStore()
  const made = [ask('take', slots('a')), ask('take', slots('b'))]
  await turn()
  for (const name of ['c', 'd', 'e']) {
    made.push(ask('take', slots(name)))
    await turn()
  }
  assert.deepEqual(
    messages.map(({ keys }) => keys),
    [['a', 'b']],
  )
  messages[0]?.answer()
  await turn()
  assert.deepEqual(messages[1]?.keys, ['c', 'd', 'e'])
  messages[1]?.answer()
  for (const { wait } of await Promise.all(made)) assert.equal(wait, 0)
  const last = ask('take', slots('f'))
  await turn()
  // The only one that waits is sent, too.
  const alone = ask('take', slots('g'))
  messages[2]?.answer()
  assert.equal((await last).usages[0]?.remaining, 8)
  assert.deepEqual(messages[3]?.keys, ['g'])
  messages[3]?.answer()
  assert.equal((await alone).wait, 0)
})

test('what waits behind a message that fails is refused with it, and not after a second wait', async () => {
  const { messages, ask } = slowStore()
  const first = ask('take', slots('a'))
  await turn()
  const second = ask('take', slots('b'))
  messages[0]?.answer(true)
  for (const { status } of await Promise.allSettled([first, second])) {
    assert.equal(status, 'rejected')
  }
  assert.equal(messages.length, 1)
  const third = ask('take', slots('c'))
  await turn()
  messages[1]?.answer()
  assert.equal((await third).wait, 0)
})

test('an answer that cannot be read refuses its questions, and holds up none behind them', async () => {
  const { messages, ask } = slowStore()
  const first = ask('take', slots('a'))
  await turn()
  messages[0]?.answer(undefined, null)
  await assert.rejects(first)
  const second = ask('take', slots('b'))
  await turn()
  await turn()
  assert.equal(messages.length, 2)
  messages[1]?.answer()
  assert.equal((await second).wait, 0)
})

test('what reaches the store too late is asked again for half a time-out, and then refused', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const tooLate = [1]
  const { messages, ask } = slowStore()
  let refusal: unknown
  ask('take', slots('a')).catch((thrown: Refusal) => (refusal = thrown.code))
  const settled = ask(
    'counted',
    slots('b').map((slot) => ({ ...slot, recordedAt: 1 })),
  )
  await turn()
  now = connectTimeoutMs / 2
  messages[0]?.answer(false, tooLate)
  await settled
  assert.deepEqual(
    messages.map(({ keys }) => keys),
    [['a', 'b'], ['a']],
    'a settlement needs no decision',
  )
  now++
  messages[1]?.answer(false, tooLate)
  await turn()
  assert.deepEqual([refusal, messages.length], ['unavailable', 2])
})

test('a service with more windows than the store tells apart does not start', () => {
  const store = { ...windowsInProcess(() => 0), limitsMax }
  const more = Array.from({ length: limitsMax }, (_, at) => [
    `window${at}`,
    defaultLimits.read.burst,
  ])
  const read = { ...defaultLimits.read, ...Object.fromEntries(more) }
  assert.throws(() => createLimits({ ...defaultLimits, read }, store), /apart/)
  createLimits(defaultLimits, store)
})

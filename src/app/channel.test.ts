// Calls between two threads: what crosses, what a defect costs, and what the end of a thread does.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { Refusal } from '../domain/errors.ts'
import { StartupError } from '../domain/startup-error.ts'
import { describe } from '../telemetry/log.ts'
import { type Functions, openChannel } from './channel.ts'

/** Both ends in one thread, which clones as two threads do; and how many messages were posted. */
function connect<F extends Functions>(t: TestContext, functions: F) {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  const post = t.mock.method(port1, 'postMessage')
  const here = openChannel<F>(port1, {})
  const there = openChannel(port2, functions)
  return { here, there, posted: () => post.mock.callCount() }
}

test('calls of one turn are one message, and each gets its own answer', async (t) => {
  const { here, posted } = connect(t, {
    double: (number: bigint) => number * 2n,
    later: async (at: Date) => ({ at, whole: [1, null, undefined] }),
  })
  const at = new Date(5)
  const answers = await Promise.all([
    here.call('double', [4n]),
    here.call('later', [at]),
    here.call('double', [-1n]),
  ])
  assert.deepEqual(answers, [8n, { at, whole: [1, null, undefined] }, -2n])
  assert.equal(posted(), 1)
})

test('a refusal arrives with its code and options, and its cause as the log shows it', async (t) => {
  const cause = Object.assign(new TypeError('a value of a client'), { code: '40001' })
  const options = { headers: { allow: 'GET' }, retryAfter: 7, target: 'x', because: cause }
  const { here } = connect(t, {
    refuse: () => {
      throw new Refusal('rate_limited', options)
    },
    refuseLater: async () => {
      throw new Refusal('forbidden', { because: 'role' })
    },
  })
  const refused = await here.call('refuse', []).catch((thrown: unknown) => thrown)
  assert.ok(refused instanceof Refusal)
  const { because, ...rest } = refused.options
  assert.equal(refused.code, 'rate_limited')
  assert.deepEqual(rest, { headers: { allow: 'GET' }, retryAfter: 7, target: 'x' })
  assert.deepEqual(describe(because), describe(cause))
  assert.ok(!String((because as Error).stack).includes('a value of a client'))
  const later = await here.call('refuseLater', []).catch((thrown: unknown) => thrown)
  assert.ok(later instanceof Refusal)
  assert.deepEqual([later.code, later.options.because], ['forbidden', 'role'])
})

test('what prevents a start arrives as it is; any other error has its name and stack', async (t) => {
  const { here } = connect(t, {
    start: async () => {
      throw new StartupError('Cannot listen.')
    },
    fail: () => (undefined as unknown as Refusal).code,
  })
  await assert.rejects(here.call('start', []), (thrown) => {
    return thrown instanceof StartupError && thrown.message === 'Cannot listen.'
  })
  await assert.rejects(here.call('fail', []), { name: 'TypeError', stack: /channel\.test/ })
})

test('what the other side does not offer fails', async (t) => {
  const { here } = connect<Functions>(t, {})
  await assert.rejects(here.call('absent', []))
})

test('what cannot be cloned fails its own call and no other of the same turn', async (t) => {
  const { here } = connect(t, {
    echo: (value: unknown) => value,
    make: () => () => 'a function',
  })
  const [good, bad, unsent] = await Promise.allSettled([
    here.call('echo', [1]),
    here.call('make', []),
    here.call('echo', [() => 'a function']),
  ])
  assert.deepEqual(good, { status: 'fulfilled', value: 1 })
  assert.equal(bad.status, 'rejected')
  assert.equal(unsent.status, 'rejected')
  assert.equal(await here.call('echo', [2]), 2)
})

test('a call with a signal is aborted from afar, and no other', async (t) => {
  const wait = (_name: string, signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'))
    })
  const { here } = connect(t, { wait })
  const [first, second] = [new AbortController(), new AbortController()]
  const waits = [here.call('wait', ['a'], first.signal), here.call('wait', ['b'], second.signal)]
  first.abort()
  assert.equal(await waits[0], 'aborted')
  assert.equal(await Promise.race([waits[1], turn('still waits')]), 'still waits')
  second.abort()
  assert.equal(await waits[1], 'aborted')
  assert.equal(await here.call('wait', ['c'], second.signal), 'aborted', 'before it was asked')
})

test('the end of a thread fails what was asked of it, and aborts what it had asked', async (t) => {
  const aborted: string[] = []
  const { here, there } = connect(t, {
    wait: (name: string, signal: AbortSignal) =>
      new Promise<void>(() => signal.addEventListener('abort', () => aborted.push(name))),
  })
  const asked = here.call('wait', ['a'], new AbortController().signal)
  for (let turns = 0; turns < 4; turns++) await turn()
  there.close()
  assert.deepEqual(aborted, ['a'])
  here.close()
  await assert.rejects(asked, { code: 'outcome_unknown' })
  await assert.rejects(here.call('wait', ['b']), { code: 'outcome_unknown' })
})

test('a channel with too many calls under way says that it is full', async (t) => {
  const { here } = connect(t, { wait: () => new Promise<void>(() => {}) })
  const asked = Array.from({ length: 16_383 }, () => here.call('wait', []))
  assert.equal(here.isFull(), false)
  asked.push(here.call('wait', []))
  assert.equal(here.isFull(), true)
  here.close()
  const ended = await Promise.allSettled(asked)
  assert.ok(ended.every(({ status }) => status === 'rejected'))
  assert.equal(here.isFull(), false)
})

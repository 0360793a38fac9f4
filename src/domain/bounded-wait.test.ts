// Work that is waited for no longer than a while.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitWithin } from './bounded-wait.ts'

test('work that ends in time gives what it makes, and its timer ends with it', async (t) => {
  const cleared = t.mock.method(globalThis, 'clearTimeout')
  assert.equal(await waitWithin(Promise.resolve('made'), 10_000, 'request_timeout'), 'made')
  const failed = Promise.reject(new Error('it failed'))
  await assert.rejects(waitWithin(failed, 10_000, 'request_timeout'), /it failed/)
  assert.equal(cleared.mock.callCount(), 2)
})

test('a wait that is over is refused as it says, at its millisecond', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const endless = new Promise<never>(() => {})
  for (const [late, wanted] of [
    ['request_timeout', { code: 'request_timeout' }],
    [() => new RangeError('too late'), { name: 'RangeError', message: 'too late' }],
  ] as const) {
    let isOver = false
    const waiting = waitWithin(endless, 100, late).finally(() => (isOver = true))
    const judged = assert.rejects(waiting, wanted)
    t.mock.timers.tick(99)
    await Promise.resolve()
    assert.equal(isOver, false)
    t.mock.timers.tick(1)
    await judged
  }
})

test('work that fails behind its time fails without effect', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { promise, reject } = Promise.withResolvers<never>()
  const judged = assert.rejects(waitWithin(promise, 1, 'request_timeout'), {
    code: 'request_timeout',
  })
  t.mock.timers.tick(1)
  await judged
  reject(new Error('late'))
  // An unhandled rejection would fail this test.
  await new Promise((resolve) => setImmediate(resolve))
})

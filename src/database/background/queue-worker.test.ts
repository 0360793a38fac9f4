import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../../test/support/clock.ts'
import { openQueueWorker } from './queue-worker.ts'
import { mockTimers } from '../../../test/support/timers.ts'

test('a job that never ends does not hold up the end of the service', async (t) => {
  mockTimers(t, 'setTimeout', 'setInterval')
  const jobs = ['one']
  let cutOff: AbortSignal | undefined
  const worker = openQueueWorker<string>({
    clock: fakeClock(),
    clocks: { require() {} },
    onDatabaseAway: assert.fail,
    take: async () => jobs.splice(0),
    run: (_, signal) => ((cutOff = signal), new Promise<void>(() => {})),
  })
  void worker.work()
  let isClosed = false
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await turn()
  const closed = worker.close().then(() => (isClosed = true))
  await turn()
  t.mock.timers.tick(4999)
  assert.equal(cutOff?.aborted, false)
  t.mock.timers.tick(1)
  assert.equal(cutOff?.aborted, true)
  t.mock.timers.tick(999)
  await turn()
  assert.equal(isClosed, false)
  t.mock.timers.tick(1)
  await closed
})

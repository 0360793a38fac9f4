import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../../test/support/clock.ts'
import { openQueueWorker } from './queue-worker.ts'
import { mockTimers } from '../../../test/support/timers.ts'

test('a job that never ends does not hold up the end of the service', async (t) => {
  mockTimers(t, 'setTimeout')
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

test('a worker that is woken takes what was queued before, also while it looks for jobs, and none when it is asleep', async () => {
  const jobs: string[] = []
  const begun: string[] = []
  let looks = 0
  let release = () => {}
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const open = (isAsleep = false) =>
    openQueueWorker<string>({
      clock: fakeClock(),
      clocks: { require() {} },
      isAsleep,
      onDatabaseAway: assert.fail,
      async take() {
        looks++
        const found = jobs.splice(0)
        if (found.length === 0) await new Promise<void>((resolve) => (release = resolve))
        return found
      },
      run: async (job) => void begun.push(job),
    })
  const worker = open()
  worker.wake()
  await turn()
  // It has found none, and has not ended its look.
  jobs.push('one')
  worker.wake()
  worker.wake()
  await turn()
  assert.deepEqual([begun, looks], [[], 1])
  release()
  await turn()
  assert.deepEqual(begun, ['one'])
  release()
  await worker.close()
  jobs.push('two')
  const idle = open(true)
  idle.wake()
  await turn()
  assert.deepEqual(begun, ['one'])
  await idle.close()
})

test('what the end of a job makes due is begun, also where a look began before that end', async () => {
  const jobs = ['one']
  const begun: string[] = []
  const [ends, looks] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let lookCount = 0
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const worker = openQueueWorker<string>({
    clock: fakeClock(),
    clocks: { require() {} },
    onDatabaseAway: assert.fail,
    async take() {
      const found = jobs.splice(0)
      // The second look has found none, and ends when the job has.
      if (++lookCount === 2) await looks.promise
      return found
    },
    async run(job) {
      begun.push(job)
      if (job !== 'one') return
      await ends.promise
      jobs.push('two')
    },
  })
  worker.wake()
  await turn()
  ends.resolve()
  await turn()
  assert.deepEqual([begun, lookCount], [['one'], 2])
  looks.resolve()
  await turn()
  assert.deepEqual(begun, ['one', 'two'])
  await worker.close()
})

test('an outage is told once, and nothing is taken while the clocks differ', async () => {
  const told: unknown[] = []
  const begun: string[] = []
  let fault: Error | undefined
  let areApart = false
  const jobs = ['job']
  let looks = 0
  const worker = openQueueWorker<string>({
    clock: fakeClock(),
    clocks: {
      require() {
        if (areApart) throw new Error('apart')
      },
    },
    onDatabaseAway: (thrown) => void told.push((thrown as Error).message),
    async take() {
      looks++
      if (fault) throw fault
      return jobs.splice(0)
    },
    run: async (job) => void begun.push(job),
  })
  fault = new Error('away')
  for (let times = 0; times < 3; times++) await worker.work()
  assert.deepEqual([told, looks], [['away'], 3])
  fault = undefined
  await worker.work()
  assert.deepEqual([begun, told], [['job'], ['away']])
  areApart = true
  const before = looks
  await worker.work()
  assert.deepEqual([told, looks], [['away', 'apart'], before])
  await worker.close()
})

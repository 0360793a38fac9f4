// The loop of a worker whose jobs lie in the database: woken, it takes those that are due, runs
// them, and takes the next ones. Each instance runs one; a lease keeps a job for one of them at a
// time.
import type { Clock } from '../../domain/clock.ts'
import type { Clocks } from './clocks.ts'

export type QueueParts<Job> = {
  clock: Clock
  clocks: Pick<Clocks, 'require'>
  /** Only `work` looks for jobs, whatever wakes it: for tests. */
  isAsleep?: boolean | undefined
  /** Called once per outage: the rest of the service logs it as well. */
  onDatabaseAway(thrown: unknown): void
  /** Takes jobs that are due; none when there are none, or no more can be run. */
  take(now: number, running: readonly Job[]): Promise<readonly Job[]>
  /** Never rejects: if the result cannot be stored, the lease runs out. */
  run(job: Job, cutOff: AbortSignal): Promise<void>
}

export type QueueWorker = {
  /** Runs everything that is due now. */
  work(): Promise<void>
  /** Looks for jobs at once: some are due. */
  wake(): void
  /** Takes no more, and waits a few seconds for the jobs in progress. */
  close(): Promise<void>
}

/** Jobs in progress at the end may take this long; less than a supervisor's stop time-out. */
const drainTimeoutMs = 5000
/** And this long after they were cut off: no job can hold up the end of the service. */
const cutOffTimeoutMs = 1000

export function openQueueWorker<Job>(parts: QueueParts<Job>): QueueWorker {
  const { clock, clocks } = parts
  const running = new Map<Promise<void>, Job>()
  const closing = new AbortController()
  const cutOff = new AbortController()
  let taking: Promise<void> | undefined
  let endedCount = 0
  let isDatabaseAway = false

  /** Takes and begins jobs until there are none or no more can be run. */
  async function take(): Promise<void> {
    try {
      while (!closing.signal.aborted) {
        // A wrong clock would let jobs expire, or hurry through their retries.
        clocks.require()
        const jobs = await parts.take(clock.now(), [...running.values()])
        isDatabaseAway = false
        if (jobs.length === 0) return
        jobs.forEach(begin)
      }
    } catch (thrown) {
      if (!isDatabaseAway) parts.onDatabaseAway(thrown)
      isDatabaseAway = true
    }
  }

  const poll = (): Promise<void> => (taking ??= take().finally(() => (taking = undefined)))

  function begin(job: Job): void {
    const done = parts.run(job, cutOff.signal).finally(() => {
      running.delete(done)
      endedCount++
      // A look that began before the end does not see what the end made due.
      void pollAnew()
    })
    running.set(done, job)
  }

  /** Takes what was queued before the call: a poll in progress may have missed it. */
  async function pollAnew(): Promise<void> {
    await taking
    await poll()
  }

  return {
    async work() {
      let seen: number
      do {
        seen = endedCount
        await pollAnew()
        await Promise.all(running.keys())
      } while (endedCount > seen)
    },
    wake() {
      if (!parts.isAsleep) void pollAnew()
    },
    async close() {
      closing.abort()
      await taking
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timeout = setTimeout(() => {
        cutOff.abort()
        setTimeout(resolve, cutOffTimeoutMs).unref()
      }, drainTimeoutMs)
      await Promise.race([Promise.all(running.keys()), late])
      clearTimeout(timeout)
    },
  }
}

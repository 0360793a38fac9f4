// What one core thread carries: decisions about limits, asked for by threads that do nothing else.
// A read asks for two of them.
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type Channel, openChannel } from '../src/app/channel.ts'
import type { Core } from '../src/app/core.ts'
import { type CoreFunctions, remoteCore, toCoreFunctions } from '../src/app/remote-core.ts'
import { defaultLimits, type LimitTable } from '../src/config/config.ts'
import { newId } from '../src/domain/ids.ts'
import { createLimits } from '../src/gate/limits.ts'
import { windowsInProcess } from '../src/gate/window.ts'
import type { Case, Figures } from './harness.ts'

const callersPerThread = 64
const users = Array.from({ length: 1000 }, () => newId(Date.now()))
const wide = { quota: 1_000_000, windowMs: 1000 }
const limits: LimitTable = { ...defaultLimits, read: { burst: wide, sustained: wide } }

type Counts = { count(): number }

/** Asks for decisions, many at a time, and counts them. */
function ask(): void {
  let count = 0
  const channel: Channel<CoreFunctions> = openChannel(parentPort as never, { count: () => count })
  const { take } = createLimits(limits, remoteCore(channel, () => false).windows)
  const run = async () => {
    for (let turn = 0; ; turn++) {
      await take('read', users[turn % users.length] as string)
      count++
    }
  }
  for (let caller = 0; caller < callersPerThread; caller++) void run()
}

async function measure(threadCount: number, seconds: number): Promise<Figures> {
  const windows = windowsInProcess(() => performance.now())
  const core = { windows } as unknown as Core
  const workers = Array.from({ length: threadCount }, () => {
    const worker = new Worker(new URL(import.meta.url))
    const own = toCoreFunctions(core, { limits, log: undefined as never, tracer: undefined })
    return { worker, channel: openChannel<Counts>(worker, own) }
  })
  const counts = async () => {
    const all = await Promise.all(workers.map(({ channel }) => channel.call('count', [])))
    return all.reduce((sum, count) => sum + count, 0)
  }
  await Promise.all(workers.map(({ worker }) => once(worker, 'online')))
  const before = await counts()
  const since = performance.eventLoopUtilization()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const { active } = performance.eventLoopUtilization(since)
  const decided = (await counts()) - before
  await Promise.all(workers.map(({ worker }) => worker.terminate()))
  return { perSecond: decided / seconds, microsecondsPerEntry: (active * 1000) / decided }
}

export const open: Case = async ({ seconds }) => ({
  variants: [1, 2].map((threadCount) => ({
    name: `a decision, asked for by ${threadCount} thread${threadCount > 1 ? 's' : ''}`,
    main: 'microsecondsPerEntry',
    measure: () => measure(threadCount, seconds),
  })),
  close: async () => {},
})

if (!isMainThread) ask()

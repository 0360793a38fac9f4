// The threads that answer requests. They listen on one port, and the system gives each new
// connection to one of them. A thread that ends unasked is replaced; its clients lose their
// connections, and nothing that was answered is lost.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { LimitTable } from '../config/config.ts'
import { within } from '../domain/within.ts'
import { describe, type Log } from '../telemetry/log.ts'
import { addCounts } from '../telemetry/metrics.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import { type Channel, openChannel } from './channel.ts'
import type { Core } from './core.ts'
import type { EdgeData, EdgeFunctions } from './edge-thread.ts'
import type { Edges } from './edge.ts'
import { toCoreFunctions } from './remote-core.ts'

export type EdgeThreads = Edges & {
  /**
   * The values of the metrics of each thread, as they were last if it does not answer; after them
   * what ended threads had counted when they were measured last.
   */
  measure(): Promise<unknown[][]>
  /** No request waits for an event any more. */
  endWaits(): void
  /** The database is at another address. */
  moveDatabase(): void
  /** Ends one thread as a defect would; for tests. */
  kill(index: number): Promise<void>
}

type Parts = {
  core: Core
  limits: LimitTable
  log: Log
  tracer: Tracer | undefined
  threadCount: number
  /** What a thread is opened with now. */
  data(): EdgeData
}

type Thread = {
  worker: Worker
  channel: Channel<EdgeFunctions>
  isReady: boolean
  /** The values of its metrics when they were read last. */
  measured: unknown[]
  /** Resolves when it has ended, in whatever way. */
  ended: Promise<void>
}

const restartMs = 1000
const pingIntervalMs = 5000
/** A thread that leaves more pings unanswered has hung: it is ended, and then replaced. */
const unansweredMax = 4
/** How long a thread may take to drain: longer than its own bound. */
const drainMsMax = 15_000
/** How long a scrape of the metrics waits for a thread. */
const measureMsMax = 2000

/**
 * Pings every five seconds, and calls `onSilence` once when four answers in turn are missing.
 *
 * @returns what ends the pings
 */
export function watchPings(ping: () => Promise<void>, onSilence: () => void): () => void {
  let unansweredCount = 0
  const timer = setInterval(() => {
    if (unansweredCount++ === unansweredMax) {
      clearInterval(timer)
      return onSilence()
    }
    ping().then(
      () => (unansweredCount = 0),
      () => {},
    )
  }, pingIntervalMs).unref()
  return () => clearInterval(timer)
}

export function openEdgeThreads(parts: Parts): EdgeThreads {
  const { core, log, threadCount, data } = parts
  const threads: Thread[] = []
  const opening = new Set<Promise<void>>()
  let port = 0
  let isEnding = false
  let endedCounts = Promise.resolve<unknown[]>([])
  const closing = new AbortController()

  function create(): Thread {
    const worker = new Worker(new URL('./edge-thread.ts', import.meta.url), { workerData: data() })
    const own = toCoreFunctions(core, parts)
    const channel = openChannel<EdgeFunctions>(worker, own)
    worker.on('error', (thrown) => {
      log.error({ error: describe(thrown) }, 'a thread has failed')
    })
    const ended = once(worker, 'exit').then(
      () => channel.close(),
      // An error comes first and counts as an end for `once`; the exit follows it.
      () => channel.close(),
    )
    return { worker, channel, isReady: false, measured: [], ended }
  }

  function watch({ worker, channel }: Thread): void {
    const stop = watchPings(
      () => channel.call('ping', []),
      () => {
        log.error({}, 'a thread has hung')
        void worker.terminate()
      },
    )
    worker.once('exit', stop)
  }

  async function openAt(index: number): Promise<void> {
    const thread = create()
    threads[index] = thread
    await thread.channel.call('open', [port])
    thread.isReady = true
    watch(thread)
    if (isEnding) thread.channel.tell('announceEnd', [])
    void thread.ended.then(() => {
      keepCounts(thread)
      return replace(index)
    })
  }

  function open(index: number): Promise<void> {
    const attempt = openAt(index).finally(() => opening.delete(attempt))
    opening.add(attempt)
    return attempt
  }

  async function replace(index: number): Promise<void> {
    if (closing.signal.aborted) return
    log.error({}, 'a thread has ended and is replaced')
    try {
      await open(index)
    } catch (thrown) {
      if (closing.signal.aborted) return
      log.error({ error: describe(thrown) }, 'a thread could not be started')
      await threads[index]?.worker.terminate()
      setTimeout(() => void replace(index), restartMs).unref()
    }
  }

  function keepCounts(thread: Thread): void {
    const { measured } = thread
    thread.measured = []
    endedCounts = endedCounts.then((counts) => addCounts(counts, measured))
  }

  async function measure(thread: Thread): Promise<unknown[]> {
    const { channel, measured: last } = thread
    const asked = channel.call('measure', [])
    const present = await within(asked, measureMsMax, 'unavailable').catch(() => last)
    thread.measured = present
    return present
  }

  const ready = () => threads.filter(({ isReady }) => isReady)
  const tell: Channel<EdgeFunctions>['tell'] = (name, asked) => {
    for (const { channel } of threads) channel.tell(name, asked)
  }
  /** Of a thread that ends meanwhile, or takes too long, nothing is expected. */
  const callAll = async (name: 'flush' | 'drain' | 'close'): Promise<void> => {
    const calls = ready().map(({ channel }) =>
      within(channel.call(name, []), drainMsMax, 'unavailable'),
    )
    await Promise.allSettled(calls)
  }

  return {
    async listen(wanted) {
      port = wanted
      const indexes = Array.from({ length: threadCount }, (_, index) => index)
      await Promise.all(indexes.map(open))
      return port
    },
    renew: (pair) => tell('renew', [pair]),
    announceEnd() {
      isEnding = true
      tell('announceEnd', [])
    },
    endWaits: () => tell('endWaits', []),
    moveDatabase: () => tell('moveDatabase', [data().address]),
    async measure() {
      // As of now: a thread that ends meanwhile is counted once, as it was.
      const ended = endedCounts
      const present = await Promise.all(ready().map(measure))
      return [...present, await ended]
    },
    flush: () => callAll('flush'),
    async drain() {
      closing.abort()
      await Promise.allSettled(opening)
      await callAll('drain')
    },
    async close() {
      closing.abort()
      await callAll('close')
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
    async kill(index) {
      const thread = threads[index]
      await thread?.worker.terminate()
      await thread?.ended
    },
  }
}

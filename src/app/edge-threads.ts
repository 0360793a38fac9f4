// The threads that answer requests. They listen on one port, and the system gives each new
// connection to one of them. A thread that ends unasked is replaced; its clients lose their
// connections, and nothing that was answered is lost.
import { scheduler } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { LimitTable } from '../config/config.ts'
import { describe, type Log } from '../telemetry/log.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import { type Channel, openChannel } from './channel.ts'
import type { Core } from './core.ts'
import type { EdgeData, EdgeFunctions } from './edge-thread.ts'
import type { Edges } from './edge.ts'
import { toCoreFunctions } from './remote-core.ts'

export type EdgeThreads = Edges & {
  /** The values of the metrics of each thread. */
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

type Thread = { worker: Worker; channel: Channel<EdgeFunctions>; isReady: boolean }

const restartMs = 1000

export function openEdgeThreads(parts: Parts): EdgeThreads {
  const { core, log, threadCount, data } = parts
  const threads: Thread[] = []
  let port = 0
  let isEnding = false
  const closing = new AbortController()

  function create(): Thread {
    const worker = new Worker(new URL('./edge-thread.ts', import.meta.url), { workerData: data() })
    const own = toCoreFunctions(core, parts)
    const channel = openChannel<EdgeFunctions>(worker, own)
    // The listener for `exit` reports it.
    worker.on('error', (thrown) => {
      log.error({ error: describe(thrown) }, 'a thread has failed')
    })
    worker.once('exit', () => channel.close())
    return { worker, channel, isReady: false }
  }

  async function open(index: number): Promise<void> {
    const thread = create()
    threads[index] = thread
    await thread.channel.call('open', [port])
    thread.isReady = true
    if (isEnding) thread.channel.tell('announceEnd', [])
    thread.worker.once('exit', () => void replace(index))
  }

  async function replace(index: number): Promise<void> {
    while (!closing.signal.aborted) {
      log.error({}, 'a thread has ended and is replaced')
      try {
        return await open(index)
      } catch (thrown) {
        log.error({ error: describe(thrown) }, 'a thread could not be started')
        await threads[index]?.worker.terminate()
        await scheduler.wait(restartMs)
      }
    }
  }

  const ready = () => threads.filter(({ isReady }) => isReady)
  const tell: Channel<EdgeFunctions>['tell'] = (name, asked) => {
    for (const { channel } of threads) channel.tell(name, asked)
  }
  /** Of a thread that ends meanwhile nothing is expected. */
  const callAll = async <R>(
    call: (channel: Channel<EdgeFunctions>) => Promise<R>,
  ): Promise<R[]> => {
    const results = await Promise.allSettled(ready().map(({ channel }) => call(channel)))
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
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
    measure: () => callAll((channel) => channel.call('measure', [])),
    async flush() {
      await callAll((channel) => channel.call('flush', []))
    },
    async drain() {
      closing.abort()
      await callAll((channel) => channel.call('drain', []))
    },
    async close() {
      closing.abort()
      await callAll((channel) => channel.call('close', []))
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
    async kill(index) {
      const thread = threads[index]
      await thread?.worker.terminate()
    },
  }
}

// A thread that answers requests. It opens when the core says so, and asks the core for what there
// is once in a service.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../config/config.ts'
import { watchClocks } from '../database/clocks.ts'
import { type Address, openDatabase } from '../database/connect.ts'
import { clockOf, systemClock } from '../domain/clock.ts'
import { createLog, describe, type Log } from '../telemetry/log.ts'
import { giveBackMemory } from '../telemetry/memory.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { openExporter } from '../telemetry/otlp.ts'
import { createTracer } from '../telemetry/tracer.ts'
import { type Channel, openChannel } from './channel.ts'
import { type Edge, type KeyPair, openEdge, reportStandby } from './edge.ts'
import { type CoreFunctions, remoteCore } from './remote-core.ts'

/** What a thread is opened with. */
export type EdgeData = {
  config: Config
  /** Where the database is now. */
  address: Address
  publicUrl: string
  certificate: KeyPair
  /** The folder of the portal's built files, as a URL. */
  portal: string
  logLevel: string
  threadCount: number
  /** In place of the system's clock, for tests: see {@link clockOf}. */
  times: Float64Array | undefined
}

/** What the core asks of the thread. */
export type EdgeFunctions = ReturnType<typeof toEdgeFunctions>

function toEdgeFunctions(data: EdgeData, log: Log, toCore: () => Channel<CoreFunctions>) {
  let { address, certificate } = data
  let isEnding = false
  let edge: Edge | undefined
  const metrics = createMetrics()
  const opened = new AsyncDisposableStack()

  return {
    async open(port: number): Promise<void> {
      const { config, publicUrl, portal, threadCount, times } = data
      const clock = times ? clockOf(times) : systemClock()
      const spans = config.otlpUrl === undefined ? undefined : openExporter(config.otlpUrl, log)
      opened.defer(() => spans?.close())
      const tracer = spans && createTracer({ clock, ratio: config.traceRatio, exporter: spans })
      const db = openDatabase(() => address, { threadCount })
      opened.defer(() => db.close())
      reportStandby(db, log)
      const clocks = await watchClocks(db, clock, log)
      opened.defer(() => clocks.close())
      metrics.watch({ pool: db.pool, standby: db.standby, spans })
      edge = await openEdge({
        config,
        db,
        clock,
        clocks,
        log,
        metrics,
        tracer,
        publicUrl,
        certificate,
        core: remoteCore(toCore(), () => isEnding),
        portal: new URL(portal),
        threadCount,
      })
      opened.defer(edge.close)
      // It may have been renewed since.
      edge.renew(certificate)
      await edge.listen(port)
      giveBackMemory()
    },
    moveDatabase(present: Address): void {
      address = present
    },
    measure: () => metrics.values(),
    renew(pair: KeyPair): void {
      certificate = pair
      edge?.renew(pair)
    },
    ping(): void {},
    announceEnd: () => edge?.announceEnd(),
    flush: () => edge?.flush(),
    endWaits(): void {
      isEnding = true
    },
    drain: () => edge?.drain(),
    close: () => opened.disposeAsync(),
  }
}

function run(port: MessagePort, data: EdgeData): void {
  const write = (line: string) => channel.tell('log', [line])
  const log = createLog(data.logLevel, write, data.config.logAddress)
  const channel: Channel<CoreFunctions> = openChannel(
    port,
    toEdgeFunctions(data, log, () => channel),
  )
  process.on('unhandledRejection', (thrown) => {
    log.error({ error: describe(thrown) }, 'unhandled rejection')
  })
}

if (parentPort && workerData) run(parentPort, workerData as EdgeData)

// Builds one running service from its configuration and the address of its database. Everything is
// in place before it listens, and it closes in reverse order.
import { scheduler } from 'node:timers/promises'
import { watchClocks } from '../database/clocks.ts'
import { type AddressSource, openDatabase } from '../database/connect.ts'
import { type Clock, systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { newId } from '../domain/ids.ts'
import type { Hashing } from '../features/auth/passwords.ts'
import { toAddressGate } from '../gate/gate.ts'
import { createLimits } from '../gate/limits.ts'
import type { Certificate } from '../http/local-certificate.ts'
import { plainListener } from '../http/listeners.ts'
import { loopback, metricsListener } from '../http/metrics-listener.ts'
import { portalFolder } from '../http/portal.ts'
import type { Service } from '../http/services.ts'
import { keepRenewed, loadCertificate } from '../http/tls.ts'
import type { Log } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { openExporter } from '../telemetry/otlp.ts'
import { createTracer } from '../telemetry/tracer.ts'
import { openCore, type OpenCore } from './core.ts'
import { type EdgeThreads, openEdgeThreads } from './edge-threads.ts'
import { type Edge, type Edges, openEdge, reportStandby, toTrust } from './edge.ts'
import { canSharePort, holdPort, listen, requireFree } from './listen.ts'

export type Running = {
  publicUrl: string
  httpsPort: number
  httpPort: number
  certificate: Certificate
  config: Config
  core: OpenCore
  edges: Edges
  /** What handlers use, if this thread answers requests. */
  service: Service | undefined
  /** The threads that do, if they are others. */
  threads: EdgeThreads | undefined
  /**
   * Is not ready any more, and after the time that proxies need to notice takes no new connection,
   * answers what is under way, and closes the database.
   */
  close(): Promise<void>
}

export type StartParts = {
  clock: Clock
  log: Log
  /** Calls the listener when the database has moved to another address. */
  onMove?: (listener: () => void) => void
  /** Other parameters than the service's own, for tests. */
  hashing?: Hashing
  /** Another folder of the portal's built files, for tests. */
  portal?: URL | undefined
}

/** Starts the service on a database that is migrated and provisioned. */
export async function start(
  config: Config,
  address: AddressSource,
  { clock, log, onMove, hashing, portal = portalFolder }: StartParts,
): Promise<Running> {
  // Closes what was opened, in reverse order, when the start fails and when the service ends.
  await using opened = new AsyncDisposableStack()
  const { host, metricsPort } = config
  const threadCount = canSharePort ? config.threads : 1
  let certificate = await loadCertificate(config)
  const reusePort = threadCount > 1
  const isChosen = config.httpsPort === 0 && (reusePort || config.publicUrl === undefined)
  const held = isChosen ? await holdPort({ host, reusePort }) : undefined
  opened.defer(() => held?.release())
  const wantedPort = held?.port ?? config.httpsPort
  if (reusePort && !held) await requireFree(host, wantedPort)
  const publicUrl = config.publicUrl ?? `https://localhost:${wantedPort}`
  const newRequestId = () => newId(clock.now())
  const metrics = createMetrics()
  const spans = config.otlpUrl === undefined ? undefined : openExporter(config.otlpUrl, log)
  opened.defer(() => spans?.close())
  const tracer = spans && createTracer({ clock, ratio: config.traceRatio, exporter: spans })
  const db = openDatabase(address)
  opened.defer(() => db.close())
  reportStandby(db, log)
  const clocks = await watchClocks(db, clock, log)
  opened.defer(() => clocks.close())
  const parts = { config, db, clock, clocks, log, metrics, publicUrl }
  const core = await openCore({ ...parts, hashing })
  opened.defer(() => core.close())
  metrics.watch({ pool: db.pool, standby: db.standby, limitStore: core.limitStore, spans })

  let alone: Edge | undefined
  let apart: EdgeThreads | undefined
  if (threadCount === 1) {
    alone = await openEdge({ ...parts, tracer, core, certificate, portal, threadCount })
  } else {
    const toData = () => ({
      config,
      address: typeof address === 'function' ? address() : address,
      publicUrl,
      certificate,
      portal: portal.href,
      logLevel: log.level,
      threadCount,
      times: clock.times,
    })
    apart = openEdgeThreads({
      core,
      limits: config.limits,
      log,
      tracer,
      threadCount,
      data: toData,
    })
    onMove?.(apart.moveDatabase)
  }
  const edges = (alone ?? apart) as Edges
  opened.defer(() => edges.close())

  const { admitAddress } = toAddressGate(createLimits(config.limits, core.windows))
  const plain = plainListener(publicUrl, {
    log,
    metrics,
    newRequestId,
    connectionsMax: config.connectionsMax,
    isTrustedProxy: toTrust(config),
    gate: { admitAddress },
  })
  const server = {
    setSecureContext({ key, cert }: Certificate) {
      certificate = { ...certificate, key, cert }
      edges.renew({ key, cert })
    },
  }
  const renewal = keepRenewed({ config, clock: systemClock(), log, certificate, server })
  opened.defer(async () => {
    renewal.stop()
    core.feed.endWaits()
    apart?.endWaits()
    await Promise.all([edges.drain(), plain.drain(), renewal.settled()])
  })
  if (metricsPort > 0) {
    metrics.watchProcess()
    const read = async () => metrics.text((await apart?.measure()) ?? [])
    const measuring = metricsListener(read, newRequestId)
    opened.defer(() => measuring.close().closeAllConnections())
    await listen(measuring, { host: loopback, port: metricsPort })
  }
  // Once more: the start took a moment.
  if (apart && !held) await requireFree(host, wantedPort)
  if (alone) await held?.release()
  // First: another listener with port 0 could get the port that was held for this one.
  const httpsPort = await edges.listen(wantedPort)
  await held?.release()
  const httpPort = await listen(plain.server, { host, port: config.httpPort })
  const running = opened.move()
  let closed: Promise<void> | undefined
  const end = async () => {
    edges.announceEnd()
    await scheduler.wait(config.drain)
    await running.disposeAsync()
  }
  const close = () => (closed ??= end())
  const service = alone?.service
  return {
    publicUrl,
    httpsPort,
    httpPort,
    certificate,
    config,
    core,
    edges,
    service,
    threads: apart,
    close,
  }
}

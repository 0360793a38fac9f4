// Builds one running service from its configuration and the address of its database. Everything is
// in place before it listens, and it closes in reverse order.
import { scheduler } from 'node:timers/promises'
import { watchClocks } from '../database/background/clocks.ts'
import {
  type AddressSource,
  openDatabase,
  type ServiceDatabase,
} from '../database/connections/connect.ts'
import { watchFit } from '../database/schema/judge-schema.ts'
import { type Clock, systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { newId } from '../domain/ids.ts'
import { toAddressGate } from '../gate/gate.ts'
import { createLimits } from '../gate/limits.ts'
import type { Certificate } from '../http/listeners/local-certificate.ts'
import { plainListener } from '../http/listeners/listeners.ts'
import { watchFirstPassword } from '../features/auth/first-password.ts'
import { metricsListener } from '../http/listeners/metrics-listener.ts'
import { portalFolder } from '../http/portal.ts'
import { keepRenewed, loadCertificate } from '../http/listeners/tls.ts'
import { watchEpisodes } from '../telemetry/episodes.ts'
import type { Log } from '../telemetry/log.ts'
import { createMetrics, type Metrics } from '../telemetry/metrics.ts'
import { openExporter } from '../telemetry/otlp.ts'
import { createTracer } from '../telemetry/tracer.ts'
import { type Core, type CoreParts, openCore } from './core.ts'
import { type Edge, type Mounted, mountRoutes, openEdge, toTrust } from './edge.ts'
import { listen, type ReservedPort, reservePort } from './listen.ts'
import { measure, type Measuring } from './measure.ts'

export type Running = {
  publicUrl: string
  httpsPort: number
  httpPort: number
  certificate: Certificate
  config: Config
  core: Core
  edge: Edge
  measuring: Measuring
  readStandby: ServiceDatabase['readStandby']
  /** New connections to the standby for reads use that login. */
  replaceReadLogin(url: string): void
  /** Reads the certificate again, now. */
  renewCertificate(): Promise<boolean>
  /**
   * Is not ready any more, and after the time that proxies need to notice takes no new connection,
   * answers what is under way, and closes the database.
   */
  close(): Promise<void>
}

type GroundParts = {
  clock: Clock
  log: Log
  /** Another folder of the portal's built files, for tests. */
  portal?: URL | undefined
  /** Nothing is written into the data folder before it. */
  folder?: Promise<void> | undefined
  /** The routes are mounted after it. */
  judging?: Promise<void> | undefined
}

/** What a service has that needs no database. */
export type Ground = {
  certificate: Certificate
  /** The port of HTTPS, where the system chooses it. */
  reserved: ReservedPort | undefined
  publicUrl: string
  wantedPort: number
  metrics: Metrics
  mounted: Mounted
}

/** Made beside the database that is made ready, so that the start is shorter. */
export async function layGround(
  config: Config,
  { clock, log, portal = portalFolder, folder, judging }: GroundParts,
): Promise<Ground> {
  await using opened = new AsyncDisposableStack()
  const loading = Promise.resolve(folder).then(() => loadCertificate(config))
  loading.catch(() => {})
  const isChosen = config.httpsPort === 0 && config.publicUrl === undefined
  const reserved = isChosen ? await reservePort(config.host) : undefined
  opened.defer(() => reserved?.release())
  const wantedPort = reserved?.port ?? config.httpsPort
  const publicUrl = config.publicUrl ?? `https://localhost:${wantedPort}`
  const metrics = createMetrics()
  await judging
  const mounted = await mountRoutes({ config, clock, log, metrics, publicUrl, portal })
  const certificate = await loading
  opened.move()
  return { certificate, reserved, publicUrl, wantedPort, metrics, mounted }
}

export type StartParts = CoreParts &
  Omit<GroundParts, 'folder' | 'judging'> & {
    /** Made already. */
    ground?: Promise<Ground> | undefined
    reach?: Reach | undefined
  }

/** Does the work, which may be done again, until the database is in reach, for a bounded time. */
export type Reach = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Starts the service on a database that is migrated and provisioned. */
export async function start(
  config: Config,
  address: AddressSource,
  {
    clock,
    log,
    portal,
    ground = layGround(config, { clock, log, portal }),
    reach = (work) => work(),
    ...more
  }: StartParts,
): Promise<Running> {
  // Closes what was opened, in reverse order, when the start fails and when the service ends.
  await using opened = new AsyncDisposableStack()
  const { host, metricsHost, metricsPort } = config
  const { certificate, reserved, publicUrl, wantedPort, metrics, mounted } = await ground
  opened.defer(() => reserved?.release())
  const newRequestId = () => newId(clock.now())
  const spans = config.otlpUrl === undefined ? undefined : openExporter(config.otlpUrl, log)
  opened.defer(() => spans?.close())
  const tracer = spans && createTracer({ clock, ratio: config.traceRatio, exporter: spans })
  const { db, replaceReadLogin } = connect(config, address)
  opened.defer(() => db.close())
  reportStandbys(db, log)
  const episodes = watchEpisodes(log, clock, db.findLockHolder)
  opened.defer(() => episodes.stop())
  const clocks = await reach(() => watchClocks(db, clock, log))
  opened.defer(() => clocks.close())
  const fit = await watchFit(db, address)
  const firstPassword = await watchFirstPassword({ db, dataDir: config.dataDir, log })
  opened.defer(() => firstPassword.stop())
  const foundation = { config, db, clock, clocks, fit, log, metrics, episodes, publicUrl }
  const core = await openCore({ ...foundation, ...more })
  opened.defer(() => core.close())
  const edge = await openEdge({ ...foundation, tracer, core, certificate, mounted })
  opened.defer(() => edge.close())
  const { admitAddress } = toAddressGate(createLimits(config.limits, core.windows))
  const plain = plainListener(publicUrl, {
    log,
    metrics,
    newRequestId,
    connectionsMax: config.connectionsMax,
    isTrustedProxy: toTrust(config),
    gate: { admitAddress },
  })
  const renewal = keepRenewed({ config, clock: systemClock(), log, certificate, server: edge })
  const measuring = measure({ ...foundation, core, renewal, spans })
  opened.defer(() => measuring.stop())
  opened.defer(async () => {
    renewal.stop()
    core.feed.endWaits()
    await Promise.all([edge.drain(), plain.drain(), renewal.settled()])
  })
  if (metricsPort > 0) {
    metrics.watchProcess()
    const scraped = metricsListener(metricsHost, metrics.text, newRequestId)
    opened.defer(() => scraped.close().closeAllConnections())
    await listen(scraped, { host: metricsHost, port: metricsPort })
  }
  await reserved?.release()
  // First: another listener with port 0 could get the port that was held for this one.
  const httpsPort = await edge.listen(wantedPort)
  const httpPort = await listen(plain.server, { host, port: config.httpPort })
  const running = opened.move()
  let closed: Promise<void> | undefined
  const end = async () => {
    edge.announceEnd()
    await scheduler.wait(config.drain)
    await running.disposeAsync()
  }
  const close = () => (closed ??= end())
  const { renew: renewCertificate } = renewal
  const { readStandby } = db
  const parts = { certificate, config, core, edge, measuring, readStandby }
  const ports = { httpsPort, httpPort }
  return { publicUrl, ...ports, ...parts, replaceReadLogin, renewCertificate, close }
}

function connect({ readDatabaseUrl }: Config, address: AddressSource) {
  let connectionString = readDatabaseUrl
  const standby = readDatabaseUrl && (() => ({ connectionString: connectionString as string }))
  return {
    db: openDatabase(address, { ...(standby && { standby }) }),
    replaceReadLogin: (url: string) => void (connectionString = url),
  }
}

/**
 * Tells operators when writes begin to be refused, and when they are accepted again; likewise when
 * no standby answers reads.
 */
export function reportStandbys({ standby, readStandby }: ServiceDatabase, log: Log): void {
  standby.onChange((isAway) => {
    if (isAway) log.error({}, 'no COMMIT is confirmed; writes are refused')
    else log.over('error', {}, 'COMMITs are confirmed again')
  })
  readStandby?.onChange((because) => {
    if (because) log.warn({ because }, 'the standby for reads is not used: the primary answers')
    else log.over('warn', {}, 'the standby for reads is used again')
  })
}

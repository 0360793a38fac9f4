// Builds one running service from its configuration and the address of its database. Everything is
// in place before it listens, and it closes in reverse order.
import { once } from 'node:events'
import net from 'node:net'
import { scheduler } from 'node:timers/promises'
import { openTrail } from './audit/writer.ts'
import { createFourEyes } from './features/approvals/four-eyes.ts'
import { purgeApprovals } from './features/approvals/sql.ts'
import { createPasswords, type Hashing } from './features/auth/passwords.ts'
import { issueToken } from './features/auth/reset.ts'
import { startPurge } from './database/purge.ts'
import { purgeAuth } from './features/auth/purge.ts'
import { type Clock, systemClock } from './domain/clock.ts'
import type { Config } from './config/config.ts'
import { createCursors } from './http/pagination.ts'
import { watchClocks } from './database/clocks.ts'
import { type AddressSource, type Database, openDatabase } from './database/connect.ts'
import { recentSecret } from './gate/provision.ts'
import { createSigningKeys } from './gate/signing-keys.ts'
import { StartupError } from './domain/startup-error.ts'
import { docsPage } from './openapi/page.ts'
import { portalFolder, portalPages } from './http/portal.ts'
import { readSessions, readSessionsByHandle } from './gate/live-sessions.ts'
import { createGate } from './gate/gate.ts'
import { createLimits } from './gate/limits.ts'
import { createOwnership } from './gate/ownership.ts'
import { createServiceKeys, readKeysByHash } from './gate/service-keys.ts'
import { createSessions } from './gate/sessions.ts'
import { tracedGate } from './gate/traced.ts'
import { createTokens } from './gate/token.ts'
import { windowsInProcess } from './gate/window.ts'
import { newId } from './domain/ids.ts'
import { openLedger } from './ledger/batch.ts'
import { purgeLedger } from './ledger/purge.ts'
import type { Log } from './telemetry/log.ts'
import { openFeed } from './features/events/feed.ts'
import { openOutbox } from './features/mail/outbox.ts'
import { createMailTransport } from './features/mail/transport.ts'
import { purgeWebhooks } from './features/webhooks/delivery-sql.ts'
import { openWebhooks } from './features/webhooks/worker.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { openExporter } from './telemetry/otlp.ts'
import { createTracer } from './telemetry/tracer.ts'
import { loopback, metricsListener } from './http/metrics-listener.ts'
import { grantableOperations } from './http/route.ts'
import { routes, secondFactorRoutes } from './features/routes.ts'
import { createServer } from './http/server.ts'
import type { Service } from './http/services.ts'
import type { Certificate } from './http/local-certificate.ts'
import { keepRenewed, loadCertificate } from './http/tls.ts'
import { type Handler, plainListener, secureListener } from './http/listeners.ts'
import type { SharedWindows } from './gate/redis-windows.ts'

export type Running = {
  publicUrl: string
  httpsPort: number
  httpPort: number
  certificate: Certificate
  service: Service
  /**
   * Is not ready any more, and after the time that proxies need to notice takes no new connection,
   * answers what is under way, and closes the database.
   */
  close(): Promise<void>
}

/**
 * Starts the service on a database that is migrated and provisioned.
 *
 * @param parts.hashing other parameters than the service's own, for tests
 * @param parts.portal another folder of the portal's built files, for tests
 */
export async function start(
  config: Config,
  address: AddressSource,
  {
    clock,
    log,
    hashing,
    portal = portalFolder,
  }: { clock: Clock; log: Log; hashing?: Hashing; portal?: URL | undefined },
): Promise<Running> {
  // Closes what was opened, in reverse order, when the start fails and when the service ends.
  await using opened = new AsyncDisposableStack()
  const { host, metricsPort } = config
  const certificate = await loadCertificate(config)
  const wantedPort = config.httpsPort || (config.publicUrl ? 0 : await findFreePort(host))
  const publicUrl = config.publicUrl ?? `https://localhost:${wantedPort}`
  const newRequestId = () => newId(clock.now())
  const metrics = createMetrics()
  const measuring = metricsListener(metrics.registry, newRequestId)
  opened.defer(() => measuring.close().closeAllConnections())

  const spans = config.otlpUrl === undefined ? undefined : openExporter(config.otlpUrl, log)
  opened.defer(() => spans?.close())
  const db = openDatabase(address)
  opened.defer(() => db.close())
  db.standby.onChange((isAway) => {
    if (isAway) log.error({}, 'no COMMIT is confirmed; writes are refused')
    else log.warn({}, 'COMMITs are confirmed again')
  })
  const clocks = await watchClocks(db, clock, log)
  opened.defer(() => clocks.close())
  const purge = startPurge(db, clock, [
    purgeLedger,
    purgeAuth(config),
    purgeWebhooks,
    purgeApprovals,
  ])
  opened.defer(() => purge.stop())
  const shared = config.redisUrl
    ? await sharedWindows(config.redisUrl, db, { clock, log })
    : undefined
  opened.defer(() => shared?.close())
  const sessions = createSessions(db, clock, config)
  opened.defer(() => sessions.close())
  const serviceKeys = createServiceKeys(db, clock)
  opened.defer(() => serviceKeys.close())
  const audit = openTrail(db, log)
  opened.defer(() => audit.close())
  const ledger = openLedger(db, clock, metrics)
  opened.defer(() => ledger.close())
  const transport = createMailTransport(config)
  const outbox = openOutbox({ db, clock, clocks, log, publicUrl, issueToken, transport })
  opened.defer(() => outbox.close())
  const feed = openFeed(db, clock)
  opened.defer(() => feed.close())
  const sender = { isOpen: config.privateWebhooks }
  const webhooks = openWebhooks({ db, clock, clocks, log, sender })
  opened.defer(() => webhooks.close())
  const limits = createLimits(config.limits, shared ?? windowsInProcess(clock.monotonic))
  const keys = createSigningKeys(db, clock, config.tokenTtl)
  const tokens = createTokens(keys, clock, { issuer: publicUrl, ttl: config.tokenTtl })
  const ownership = createOwnership(db)
  const ending = new AbortController()
  const service: Service = {
    ending: ending.signal,
    config,
    publicUrl,
    clock,
    clocks,
    tokens,
    sessions,
    serviceKeys,
    operations: grantableOperations(routes),
    audit,
    passwords: await createPasswords({ hashing, underWay: metrics.hashesUnderWay }),
    cursors: createCursors(await recentSecret(db, clock, 'cursor'), config.maxPage),
    ledger,
    outbox,
    feed,
    webhooks,
    fourEyes: createFourEyes(config.fourEyes, { routes, ownership, clock, trail: audit }),
  }
  const sessionChecks = () => {
    const counts = [readSessions, readSessionsByHandle, readKeysByHash].map(db.lookupCounts)
    const sum = (count: 'asked' | 'sent') => counts.reduce((total, each) => total + each[count], 0)
    return { asked: sum('asked'), sent: sum('sent') }
  }
  const { pool, standby } = db
  metrics.watch({ pool, standby, sessionChecks, trail: audit, limitStore: shared, spans })
  const checks = createGate({
    limits,
    tokens,
    sessions,
    serviceKeys,
    clocks,
    ownership,
  })
  const gate = spans ? tracedGate(checks) : checks
  const isFactorUsed = Object.values(config.secondFactor).some((policy) => policy !== 'off')
  const served = routes.filter(
    (route) =>
      (config.portal || route.portal !== 'only') &&
      (isFactorUsed || !secondFactorRoutes.has(route)),
  )
  const serverParts = {
    routes: served,
    gate,
    db,
    service,
    config,
    publicUrl,
    clock,
    log,
    metrics,
    newRequestId,
    plugins: [
      ...(config.docs ? [docsPage(served)] : []),
      ...(config.portal ? [portalPages(portal, config)] : []),
    ],
  }
  const app = await createServer(serverParts)
  opened.defer(() => app.close())
  await app.ready()

  const route = app.routing as unknown as Handler
  const tracer = spans && createTracer({ clock, ratio: config.traceRatio, exporter: spans })
  const handle: Handler = tracer
    ? (request, response) => tracer.request(request.headers, () => route(request, response))
    : route
  const secure = secureListener(certificate, handle, serverParts)
  const plain = plainListener(publicUrl, serverParts)
  const { server } = secure
  const renewal = keepRenewed({ config, clock: systemClock(), log, certificate, server })
  opened.defer(async () => {
    renewal.stop()
    feed.endWaits()
    await Promise.all([secure.drain(), plain.drain(), renewal.settled()])
  })
  if (metricsPort > 0) {
    metrics.watchProcess()
    await listen(measuring, loopback, metricsPort)
  }
  // First: another listener with port 0 could get the port that was looked up for this one.
  const httpsPort = await listen(server, host, wantedPort)
  const httpPort = await listen(plain.server, host, config.httpPort)
  const running = opened.move()
  let closed: Promise<void> | undefined
  const end = async () => {
    ending.abort()
    await scheduler.wait(config.drain)
    await running.disposeAsync()
  }
  const close = () => (closed ??= end())
  return { publicUrl, httpsPort, httpPort, certificate, service, close }
}

/** Loads the Redis client only where a store is configured: without it a start is shorter. */
async function sharedWindows(
  url: string,
  db: Database,
  { clock, log }: { clock: Clock; log: Log },
): Promise<SharedWindows> {
  const { windowsInRedis } = await import('./gate/redis-windows.ts')
  return windowsInRedis(url, { secret: await recentSecret(db, clock, 'limit'), log })
}

/** For HTTPS port 0: the public URL holds the port and is needed before the service listens. */
async function findFreePort(host: string): Promise<number> {
  const probe = net.createServer()
  const port = await listen(probe, host, 0)
  probe.close()
  return port
}

/**
 * Connections that the system accepts before the process takes them; the system may cap it. With
 * Node's 511, a burst of clients waits one to three seconds for a retransmitted SYN.
 */
const backlog = 4096

async function listen(server: net.Server, host: string, port: number): Promise<number> {
  server.listen({ host, port, backlog })
  try {
    await once(server, 'listening')
  } catch (thrown) {
    throw toStartupError(thrown as NodeJS.ErrnoException, `port ${port} of ${host}`)
  }
  return (server.address() as net.AddressInfo).port
}

function toStartupError(error: NodeJS.ErrnoException, where: string): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program does already',
    EACCES: 'not permitted',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this machine has no such address',
  }
  const reason = reasons[error.code ?? '']
  return reason ? new StartupError(`Cannot listen on ${where}: ${reason}.`) : error
}

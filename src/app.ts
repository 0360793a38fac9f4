// Puts one service together: from a configuration and the address of its database to listeners that
// answer, and back again. The command line and the tests start the same thing.
import type { AddressInfo } from 'node:net'
import { openTrail } from './audit/writer.ts'
import { createPasswords } from './features/auth/passwords.ts'
import { issueToken } from './features/auth/reset.ts'
import { startPurge } from './features/auth/purge.ts'
import { type Clock, systemClock } from './domain/clock.ts'
import type { Config } from './config/config.ts'
import { createCursors } from './http/pagination.ts'
import { watchClocks } from './database/clocks.ts'
import { type AddressSource, type Database, openDatabase } from './database/connect.ts'
import { recentSecret } from './gate/provision.ts'
import { createSigningKeys } from './gate/signing-keys.ts'
import { StartupError } from './domain/startup-error.ts'
import { docsPage } from './openapi/page.ts'
import { readSessions } from './gate/live-sessions.ts'
import { createGate } from './gate/gate.ts'
import { createLimits } from './gate/limits.ts'
import { createOwnership } from './gate/ownership.ts'
import { createSessions } from './gate/sessions.ts'
import { createTokens } from './gate/token.ts'
import { windowsInProcess } from './gate/window.ts'
import { newId } from './domain/ids.ts'
import { openLedger } from './ledger/batch.ts'
import type { Log } from './telemetry/log.ts'
import { openOutbox } from './features/mail/outbox.ts'
import { createMailTransport } from './features/mail/transport.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { loopback, metricsListener } from './http/metrics-listener.ts'
import { routes } from './features/routes.ts'
import { createServer } from './http/server.ts'
import type { Passwords, Service } from './http/services.ts'
import type { Certificate } from './http/local-certificate.ts'
import { keepRenewed, loadCertificate } from './http/tls.ts'
import {
  drain,
  type Listener,
  plainListener,
  secureListener,
  unavailable,
} from './http/listeners.ts'
import type { SharedWindows } from './gate/redis-windows.ts'

export type Running = {
  publicUrl: string
  httpsPort: number
  httpPort: number
  certificate: Certificate
  service: Service
  /** Takes no new connection, answers what is under way, then lets go of the database. */
  close(): Promise<void>
}

/**
 * Starts the service on a database that is migrated and provisioned.
 *
 * @param parts.passwords other than the service's own, for tests
 */
export async function start(
  config: Config,
  address: AddressSource,
  { clock, log, passwords }: { clock: Clock; log: Log; passwords?: Passwords },
): Promise<Running> {
  const newRequestId = () => newId(clock.now())
  const certificate = await loadCertificate(config)
  // Until everything is in place, whoever knocks is told so.
  let handle = unavailable(newRequestId)
  const { connectionsMax } = config
  const secure = secureListener(
    certificate,
    (...pair) => handle(...pair),
    newRequestId,
    connectionsMax,
  )
  const httpsPort = await listen(secure, config.host, config.httpsPort)
  const publicUrl = config.publicUrl ?? `https://localhost:${httpsPort}`
  const plain = plainListener(publicUrl, newRequestId, connectionsMax)
  const metrics = createMetrics()
  const measuring = metricsListener(metrics.registry, newRequestId)
  async function stopListening(thrown: unknown): Promise<never> {
    await Promise.all([drain(secure), drain(plain)])
    measuring.close()
    throw thrown
  }
  const httpPort = await listen(plain, config.host, config.httpPort)
    .then(async (port) => {
      if (config.metricsPort > 0) await listen(measuring, loopback, config.metricsPort)
      return port
    })
    .catch(stopListening)

  const db = openDatabase(address)
  const clocks = await watchClocks(db, clock, log).catch(stopListening)
  const purge = startPurge(db, clock, config)
  const audit = openTrail(db, log)
  const sessions = createSessions(db, clock, config.sessionIdle)
  const shared = config.redisUrl
    ? await sharedWindows(config.redisUrl, db, { clock, log })
    : undefined
  const limits = createLimits(config.limits, shared ?? windowsInProcess(clock.monotonic))
  const keys = createSigningKeys(db, clock, config.tokenTtl)
  const tokens = createTokens(keys, clock, { issuer: publicUrl, ttl: config.tokenTtl })
  const service: Service = {
    config,
    clock,
    clocks,
    tokens,
    sessions,
    audit,
    passwords: metrics.passwords(passwords ?? (await createPasswords())),
    cursors: createCursors(await recentSecret(db, clock, 'cursor'), config.maxPage),
    ledger: metrics.ledger(openLedger(db, clock, metrics.batch)),
    outbox: openOutbox({
      db,
      clock,
      clocks,
      log,
      publicUrl,
      issueToken,
      transport: createMailTransport(config),
    }),
  }
  const sessionChecks = () => db.lookupCounts(readSessions)
  metrics.watch({ pool: db.pool, sessionChecks, trail: audit, limitStore: shared })
  if (measuring.listening) metrics.watchProcess()
  const gate = createGate({ limits, tokens, sessions, clocks, ownership: createOwnership(db) })
  const parts = { routes, gate, db, service, config, publicUrl, clock, log, metrics, newRequestId }
  // The framework answers requests before its routes and hooks are in place, and ends the process.
  let framework = handle
  const app = await createServer({
    ...parts,
    redirecting: [plain],
    ...(config.docs && { plugins: docsPage(routes) }),
    listener(complete) {
      framework = complete
      return secure
    },
  })
  await app.ready()
  handle = framework
  const renewal = keepRenewed({ config, clock: systemClock(), log, certificate, server: secure })

  return {
    publicUrl,
    httpsPort,
    httpPort,
    certificate,
    service,
    close: once(async () => {
      renewal.stop()
      await Promise.all([drain(secure), drain(plain), renewal.settled()])
      await app.close()
      await service.outbox.close()
      await service.ledger.close()
      await audit.close()
      await sessions.close()
      await purge.stop()
      await shared?.close()
      await clocks.close()
      await db.close()
      measuring.close().closeAllConnections()
    }),
  }
}

/** Its client is loaded only where there is a store: without one a start is shorter. */
async function sharedWindows(
  url: string,
  db: Database,
  { clock, log }: { clock: Clock; log: Log },
): Promise<SharedWindows> {
  const { windowsInRedis } = await import('./gate/redis-windows.ts')
  return windowsInRedis(url, { secret: await recentSecret(db, clock, 'limit'), log })
}

/** The same ending, however often it is asked for. */
function once(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined
  return () => (ended ??= end())
}

/**
 * Connections that the system holds until they are taken; it may have a bound of its own below it.
 * With Node's 511, a crowd makes others wait for a second or three until they may knock again.
 */
const backlog = 4096

async function listen(server: Listener, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port, backlog }, resolve)
  try {
    await promise
  } catch (thrown) {
    throw unstartable(thrown as NodeJS.ErrnoException, host, port)
  }
  server.removeListener('error', reject)
  return (server.address() as AddressInfo).port
}

function unstartable(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const where = `port ${port} of ${host}`
  if (error.code === 'EADDRINUSE') {
    return new StartupError(`Cannot listen on ${where}: another program does already.`)
  }
  if (error.code === 'EACCES') return new StartupError(`Cannot listen on ${where}: not permitted.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartupError(`Cannot listen on ${where}: this machine has no such address.`)
  }
  return error
}

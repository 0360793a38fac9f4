// What answers requests: the gate, the routes and the HTTPS listener.
import { openTrail, type Trail } from '../audit/writer.ts'
import type { Server } from 'node:tls'
import type { Config } from '../config/config.ts'
import { rangeSet } from '../domain/address.ts'
import { newId } from '../domain/ids.ts'
import { createFourEyes } from '../features/approvals/four-eyes.ts'
import { routes, secondFactorRoutes } from '../features/routes.ts'
import { createGate } from '../gate/gate.ts'
import { createLimits } from '../gate/limits.ts'
import { readSessions, readSessionsByHandle } from '../gate/live-sessions.ts'
import { createMembers } from '../gate/members.ts'
import { createOwnership } from '../gate/ownership.ts'
import { recentSecret } from '../gate/provision.ts'
import { createServiceKeys, readKeysByHash, type ServiceKeys } from '../gate/service-keys.ts'
import { createSessions } from '../gate/sessions.ts'
import { createSigningKeys } from '../gate/signing-keys.ts'
import { createTokens, type Tokens } from '../gate/token.ts'
import { tracedGate } from '../gate/traced.ts'
import { type Handler, secureListener } from '../http/listeners/listeners.ts'
import type { Certificate } from '../http/listeners/local-certificate.ts'
import { createCursors } from '../http/pagination.ts'
import { portalPages } from '../http/portal.ts'
import { grantableOperations, type Route } from '../http/route.ts'
import { securityText } from '../http/contact-response.ts'
import type { Answering } from '../http/mount.ts'
import { createServer, type ServerParts } from '../http/server.ts'
import type { Service } from '../http/services.ts'
import { docsPage } from '../openapi/page.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { Core, Foundation } from './core.ts'
import { listen } from './listen.ts'

export type Edge = {
  /** What handlers use. */
  service: Service
  /** Accepts connections. Gives the port. */
  listen(port: number): Promise<number>
  /** New connections get the certificate that it is given. */
  setSecureContext: Server['setSecureContext']
  /** The service is about to close: it is not ready any more. */
  announceEnd(): void
  /** Takes no new connection, and answers what is under way. */
  drain(): Promise<void>
  /** Writes what is kept for a moment: use of sessions and keys, events of the audit trail. */
  flush(): Promise<void>
  close(): Promise<void>
}

type EdgeParts = Foundation & {
  tracer: Tracer | undefined
  core: Core
  certificate: Certificate
  mounted: Mounted
}

type MountedParts = Pick<Foundation, 'config' | 'clock' | 'log' | 'metrics' | 'publicUrl'> & {
  /** The folder of the portal's built files. */
  portal: URL
}

/** The server with its routes, which no connection reaches before an edge listens. */
export type Mounted = {
  app: Awaited<ReturnType<typeof createServer>>
  parts: ServerParts
  /** Called once, before the first request. */
  answerWith(answering: Answering): void
}

/** Whether the `X-Forwarded-…` fields of an address are believed. */
export const toTrust = ({ trustedProxies }: Config): ((address: string) => boolean) =>
  rangeSet(trustedProxies) ?? (() => false)

function measureEdge(
  { db, metrics }: Pick<Foundation, 'db' | 'metrics'>,
  { audit, tokens, serviceKeys }: { audit: Trail; tokens: Tokens; serviceKeys: ServiceKeys },
): void {
  const counts = () => [readSessions, readSessionsByHandle, readKeysByHash].map(db.lookupCounts)
  const sum = (count: 'asked' | 'sent') => () =>
    counts().reduce((total, each) => total + each[count], 0)
  metrics.watch({
    session_checks_total: sum('asked'),
    session_check_statements_total: sum('sent'),
    signature_checks_total: () => tokens.counts().checked,
    cache_bytes: () => tokens.counts().bytes + serviceKeys.cacheBytes(),
    audit_waiting: () => audit.counts().waiting,
    audit_lost: () => audit.counts().lost,
  })
}

/** What handlers use of what works beside them. */
const sharedParts = ({
  feed,
  issuer,
  ledger,
  passwords,
  paymentLists,
  payeeResponder,
  refusedPayments,
}: Core) => ({
  feed,
  issuer,
  ledger,
  passwords,
  paymentLists,
  payeeResponder,
  refusedPayments,
})

function openTokens({ config, db, clock, publicUrl }: EdgeParts): Tokens {
  const { tokenTtl: ttl, cacheMax } = config
  const options = { issuer: publicUrl, ttl, cacheBytes: (cacheMax / 8) * 7 }
  return createTokens(createSigningKeys(db, clock, ttl), clock, options)
}

/** Mounts the routes, which takes 0.2 s of the processor and no database. */
export async function mountRoutes(given: MountedParts): Promise<Mounted> {
  const { config, clock, publicUrl, portal } = given
  const { securityContact: contact } = config
  let answering: Answering | undefined
  const answers = (): Answering => {
    if (!answering) throw new Error('A request came before there was what answers it')
    return answering
  }
  const served = chooseRoutes(config)
  const parts: ServerParts = {
    ...given,
    routes: served,
    get gate() {
      return answers().gate
    },
    get db() {
      return answers().db
    },
    get service() {
      return answers().service
    },
    newRequestId: () => newId(clock.now()),
    connectionsMax: config.connectionsMax,
    isTrustedProxy: toTrust(config),
    plugins: [
      ...(config.docs ? [docsPage(served, config.bankName)] : []),
      ...(config.portal ? [portalPages(portal, config)] : []),
      ...(contact === undefined ? [] : [securityText({ contact, publicUrl, clock })]),
    ],
  }
  const app = await createServer(parts)
  await app.ready()
  return { app, parts, answerWith: (made) => void (answering = made) }
}

export async function openEdge(parts: EdgeParts): Promise<Edge> {
  const { config, db, clock, clocks, fit, log, tracer, core, publicUrl, mounted } = parts
  await using opened = new AsyncDisposableStack()
  const sessions = createSessions(db, clock, config)
  opened.defer(() => sessions.close())
  const serviceKeys = createServiceKeys(db, clock, config.cacheMax / 8)
  opened.defer(() => serviceKeys.close())
  const audit = openTrail(db, log)
  opened.defer(() => audit.close())
  const limits = createLimits(config.limits, core.windows)
  const tokens = openTokens(parts)
  const members = config.members ? createMembers(db, clock) : undefined
  const ownership = createOwnership(db, members)
  const ending = new AbortController()
  const service: Service = {
    ending: ending.signal,
    config,
    publicUrl,
    clock,
    clocks,
    fit,
    outages: parts.episodes.causes,
    tokens,
    sessions,
    serviceKeys,
    operations: grantableOperations(routes),
    audit,
    cursors: createCursors(await recentSecret(db, clock, 'cursor'), config.maxPage),
    ...sharedParts(core),
    members,
    fourEyes: createFourEyes(config, { routes, ownership, clock, trail: audit, log }),
  }
  measureEdge(parts, { audit, tokens, serviceKeys })
  const checks = createGate({ limits, tokens, sessions, serviceKeys, clocks, ownership, members })
  const gate = tracer ? tracedGate(checks) : checks
  const { app } = mounted
  opened.defer(() => app.close())
  mounted.answerWith({ gate, db, service })
  const route = app.routing as unknown as Handler
  const handle: Handler = tracer
    ? (request, response) => tracer.request(request.headers, () => route(request, response))
    : route
  const secure = secureListener(parts.certificate, handle, mounted.parts)
  const { server } = secure
  const kept = opened.move()
  return {
    service,
    listen: (port) => listen(server, { host: config.host, port }),
    setSecureContext: (options) => server.setSecureContext(options),
    announceEnd: () => ending.abort(),
    drain: () => secure.drain(),
    async flush() {
      await Promise.all([sessions.flush(), serviceKeys.flush(), audit.flush()])
    },
    close: () => kept.disposeAsync(),
  }
}

/** Without those of parts that the settings switch off. */
function chooseRoutes({ portal, secondFactor }: Config): Route[] {
  const isFactorUsed = Object.values(secondFactor).some((policy) => policy !== 'off')
  return routes.filter(
    (route) =>
      (portal || route.portal !== 'only') && (isFactorUsed || !secondFactorRoutes.has(route)),
  )
}

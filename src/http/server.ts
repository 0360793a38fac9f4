// The Fastify server: mounts the routes behind the gate, with the same hooks in the same order for
// all, and turns everything that is thrown into the one form of an error.
import type { IncomingHttpHeaders } from 'node:http'
import { scheduler } from 'node:timers/promises'
import cors from '@fastify/cors'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { clientAddress } from '../domain/address.ts'
import { logAnswer, answeredBelow } from './answer-log.ts'
import { type Reporting, securityHeaders, sendRefusal, toRefusal } from './error-response.ts'
import { acceptJsonAndForms, readQuery } from './body.ts'
import type { Config, LimitClass } from '../config/config.ts'
import { toAuditedRequest } from './context.ts'
import { asRefusal, Refusal, refuse } from '../domain/errors.ts'
import { currentScope } from '../domain/trace.ts'
import type { Arrived } from '../gate/combined-limits.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ListenerParts } from './listeners/listeners.ts'
import { mount, type MountParts } from './mount.ts'
import type { Route } from './route.ts'
import { readPath } from './listeners/request-checks.ts'
import { compile, createSerializer, toInvalidRequest } from './validation.ts'

export type ServerParts = MountParts &
  ListenerParts & {
    routes: readonly Route[]
    config: Config
    publicUrl: string
    /** The API reference and the pages of the portal, mounted before the routes. */
    plugins: readonly ((app: FastifyInstance) => Promise<void>)[]
  }

/** Routes that the framework and its plugins mount beside the list. */
const pluginRoutes = [
  /^(GET|HEAD) \/openapi\.json$/,
  /^(GET|HEAD) \/docs(\/.*)?$/,
  /^(GET|HEAD) \/(portal(\/.*)?)?$/,
  /^(GET|HEAD) \/\.well-known\/(security\.txt|change-password)$/,
]

/** These routes are reached without `/api/v1` as well. */
const unprefixed = /^\/(accounts|transfers|beneficiaries|cards)(?=[/?]|$)/

/** The first page of the portal is the one address that ends with a slash. */
const firstPage = '/portal/'
const anyPage = /^\/portal\/(?!api\/)/

/** Pages of other origins have no business here. */
const portalPath = /^\/portal(?=[/?]|$)/

/** Where the portal's page reaches the API: with the session cookie in place of a token. */
const portalMount = /^\/portal(?=\/api\/v1\/)/

/** The URL to route: without empty segments, which the router would take for parameters. */
function toRoutedUrl(url: string, isPortalOn: boolean): string {
  if (isPortalOn && portalMount.test(url)) return toRoutedUrl(url.replace(portalMount, ''), false)
  const [path = ''] = url.split(/[?#]/, 1)
  const isEmptyWithin = path.includes('//') || (path.length > 1 && path.endsWith('/'))
  if (isEmptyWithin && path.startsWith('/') && path !== firstPage) {
    return anyPage.test(path) ? '/portal/*' : '//'
  }
  return unprefixed.test(url) ? `/api/v1${url}` : url
}

type OfSchema = { schema?: unknown }
const toSerializer = ({ schema }: OfSchema) => createSerializer(schema as object)
const toValidator = ({ schema }: OfSchema) => compile(schema as object)

/** Set later, they would not keep the framework from loading its own. */
const compilersFactory = {
  buildSerializer: () => toSerializer,
  // Its type is that of the framework's own.
  buildValidator: (() => toValidator) as never,
}

/** Mounted in 10 ms. */
const routesAtOnce = 20

async function mountAll(app: FastifyInstance, parts: ServerParts): Promise<void> {
  for (const [index, route] of parts.routes.entries()) {
    // The database is made ready beside it, by round trips of this process.
    if (index % routesAtOnce === 0) await scheduler.yield()
    mount(app, route, parts)
  }
}

export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, log, metrics } = parts
  const reporting = { log, onRefused: createOnRefused(metrics) }
  const arrive = createArrival(parts)
  const offered: Offered[] = []
  const app = fastify({
    logger: false,
    schemaErrorFormatter: toInvalidRequest,
    schemaController: { compilersFactory },
    bodyLimit: config.maxBody,
    return503OnClosing: false,
    genReqId: () => parts.newRequestId(),
    rewriteUrl: ({ url = '/' }) => toRoutedUrl(url, config.portal),
    routerOptions: { maxParamLength: 100, caseSensitive: true, querystringParser: readQuery },
    frameworkErrors(error, request, reply) {
      const code = error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? 'uri_too_long' : 'invalid_request'
      void refuseUnrouted(request, reply, () => new Refusal(code, { because: error }))
    },
  })
  /** Refuses a URL or a method that the router cannot read: the framework runs no hook for it. */
  async function refuseUnrouted(
    request: FastifyRequest,
    reply: FastifyReply,
    reason: () => Refusal,
  ): Promise<void> {
    const refusal = await Promise.try(arrive, request, reply).then(reason, asRefusal)
    const isRedirected = reply.sent
    if (isRedirected) return
    sendRefusal(reply, refusal, reporting)
    const { address } = request.requestState
    answeredBelow(parts, { requestId: request.id, address, refusal })
  }
  app.decorateRequest('requestState', null as never)
  acceptJsonAndForms(app)
  app.setErrorHandler((thrown, request, reply) => {
    // The framework does not know the method, which only HTTP/2 lets through.
    const isUnrouted = (thrown as Partial<FastifyError>).code === 'FST_ERR_NOT_FOUND'
    if (isUnrouted) return void refuseUnrouted(request, reply, () => notFound(request, offered))
    sendRefusal(reply, toRefusal(thrown), reporting)
  })
  app.setNotFoundHandler((request, reply) => {
    sendRefusal(reply, notFound(request, offered), reporting)
  })
  // Not an async function: limits that are counted in this process answer without a promise.
  app.addHook('onRequest', (request, reply, done) => {
    const proceed = () => void (reply.sent || done())
    let arrival: unknown
    try {
      arrival = arrive(request, reply)
    } catch (thrown) {
      return done(thrown as Error)
    }
    // oxlint-disable-next-line promise/no-callback-in-promise -- the framework's hooks take one
    if (arrival instanceof Promise) arrival.then(proceed, done)
    else proceed()
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(parts, request, reply)
    done()
  })
  if (config.corsOrigins.length > 0) {
    await app.register(cors, {
      delegator({ originalUrl }, answer) {
        const origin = portalPath.test(originalUrl) ? false : [...config.corsOrigins]
        answer(null, { ...corsOptions, origin })
      },
    })
  }
  // Before the body is read, and behind the fields of CORS.
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? notFound(request, offered) : undefined)
  })
  mountListedOnly(app, parts.routes, offered)
  for (const plugin of parts.plugins) await plugin(app)
  await mountAll(app, parts)
  return app
}

const corsOptions = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: ['authorization', 'confirmation', 'content-type', 'idempotency-key'],
  exposedHeaders: [
    'content-disposition',
    'idempotency-replayed',
    'location',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
    'x-request-id',
  ],
  maxAge: 600,
}

/** The first hook of every request, with or without a route: header fields, address, its limit. */
function createArrival(parts: ServerParts) {
  const { config, publicUrl, isTrustedProxy } = parts
  return function arrive(request: FastifyRequest, reply: FastifyReply): unknown {
    const { headers, socket } = request.raw
    reply.headers(securityHeaders)
    reply.header('x-request-id', request.id)
    const peer = socket.remoteAddress ?? ''
    const forwardedFor = headers['x-forwarded-for'] as string | undefined
    const address = clientAddress(peer, forwardedFor, isTrustedProxy)
    const { url: route, config: settings } = request.routeOptions
    const { limit, chargesMore, whenUncounted, portal, guardedLimit } = settings
    const isOnMount = config.portal && portalMount.test(request.originalUrl)
    const isPortal = isOnMount || portal === 'only'
    // A request can give up to count as activity, and never gain by it.
    const isUnattended = isPortal && headers['unattended'] === '?1'
    request.requestState = { address, isPortal, isUnattended, route, scope: currentScope() }
    const isPlain = headers['x-forwarded-proto'] === 'http' && isTrustedProxy(peer)
    const isForeign = isPortal && !isSameOrigin(headers, publicUrl)
    const toHttps = () => reply.redirect(publicUrl + readPath(request.originalUrl), 301)
    const admit = (charge: Arrived): void => {
      if (chargesMore && !isPlain) request.requestState.arrival = charge
      else reply.headers(charge.headers())
      if (isPlain) return void toHttps()
      if (isForeign) refuse('forbidden', { because: 'another site asks' })
    }
    const { authorization, cookie } = headers
    // A request that any caller is refused is charged to none.
    const expected = !isPlain &&
      chargesMore &&
      guardedLimit &&
      !isForeign &&
      !(isPortal && portal === 'never') && {
        limit: guardedLimit,
        credential: isPortal ? { cookie } : { authorization },
      }
    const charge = parts.gate.admitAddress(address, limit, expected || undefined)
    if (!(charge instanceof Promise)) return admit(charge)
    return charge.then(admit).catch((thrown: unknown) => {
      const isUncounted = thrown instanceof Refusal && thrown.code === 'unavailable'
      if (isUncounted && isPlain) return toHttps()
      if (isUncounted && whenUncounted) return reply.send(whenUncounted)
      throw thrown
    })
  }
}

/**
 * Whether a page of this service sent the request, as the browser says. A browser that does not
 * know Sec-Fetch-Site still names the origin of a request that changes something.
 */
const isSameOrigin = (headers: IncomingHttpHeaders, publicUrl: string): boolean =>
  (headers['sec-fetch-site'] ?? (headers.origin === publicUrl && 'same-origin')) === 'same-origin'

/** Each refusal is measured and, where the audit trail has to know of it, recorded. */
const createOnRefused =
  (metrics: Metrics): Reporting['onRefused'] =>
  (request, refusal) => {
    const { code, options } = refusal
    if (code === 'rate_limited') metrics.limited(options.because as LimitClass)
    const { recorder } = request.requestState
    return recorder?.refused(toAuditedRequest(request), refusal) ?? refusal
  }

/** A method and the paths it is answered on; `isHidden` from the portal. */
type Offered = { method: string; pattern: RegExp; isHidden: boolean }

/** Compiled when a route is mounted: a request compiles nothing. */
const offer = (method: string, path: string, isHidden: boolean): Offered => ({
  method,
  isHidden,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
})

function notFound(request: FastifyRequest, offered: readonly Offered[]): Refusal {
  const path = request.url.split('?', 1)[0] as string
  const { isPortal } = request.requestState
  const methods = offered
    .filter(({ pattern, isHidden }) => pattern.test(path) && !(isPortal && isHidden))
    .map(({ method }) => method)
  if (methods.length === 0) return new Refusal('not_found')
  return new Refusal('method_not_allowed', { headers: { allow: methods.toSorted().join(', ') } })
}

/** Refuses to mount what is not in the list, and notes the methods and paths that are `offered`. */
function mountListedOnly(app: FastifyInstance, routes: readonly Route[], offered: Offered[]): void {
  const known = new Set<string>()
  for (const { method, path, operation } of routes) {
    for (const name of [`${method} ${path}`, operation]) {
      if (known.has(name)) throw new Error(`Two routes are ${name}`)
      known.add(name)
    }
    if (method === 'GET') known.add(`HEAD ${path}`)
  }
  app.addHook('onRoute', ({ method: methods, url, config }) => {
    for (const method of [methods].flat()) {
      const name = `${method} ${url}`
      if (!known.has(name) && !pluginRoutes.some((pattern) => pattern.test(name))) {
        throw new Error(`${name} is mounted but is not in the list of routes`)
      }
      offered.push(offer(method, url, config?.portal === 'never'))
    }
  })
}

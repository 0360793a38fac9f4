// The only file that meets the web framework whole: it mounts the routes behind the gate, in one
// order for all, and turns whatever is thrown into the one form an error has.
import cors from '@fastify/cors'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { clientAddress } from '../domain/address.ts'
import {
  answered,
  answeredBelow,
  asThrown,
  type Listeners,
  notFound,
  offer,
  type Offered,
  saysAlive,
  send,
  sendFile,
} from './error-response.ts'
import { type Recorder, createRecorder } from '../audit/hooks.ts'
import { isBody, onlyJsonBodies, requireJson } from './body.ts'
import type { Clock } from '../domain/clock.ts'
import type { Config, LimitClass } from '../config/config.ts'
import { toAuditedRequest, createContext, namedIn } from './context.ts'
import type { Database } from '../database/connect.ts'
import { within } from './timeout.ts'
import { asRefusal, Refusal, refuse } from '../domain/errors.ts'
import type { Admission, Gate } from '../gate/gate.ts'
import { json, securityHeaders } from './headers.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { readQuery } from './query.ts'
import { Answer, FileReply, type Route } from './route.ts'
import { findIdentifiers } from './route-check.ts'
import type { Service } from './services.ts'
import { attend, type Attendant, type Listener } from './listeners.ts'
import { type Incoming, type Outgoing, readPath } from './request-checks.ts'
import { createSerializer, createValidator } from './validation.ts'

export type ServerParts = {
  routes: readonly Route[]
  gate: Gate
  db: Database
  service: Service
  config: Config
  publicUrl: string
  clock: Clock
  log: Log
  metrics: Metrics
  newRequestId: () => string
  /** Makes the listener that hands requests over. */
  listener: (handle: (request: Incoming, response: Outgoing) => void) => Listener
  /** Listeners beside it that answer by themselves, and count under the same limit. */
  redirecting?: readonly Listener[]
  /** Plugins of the API reference, mounted before the routes. */
  plugins?: (app: FastifyInstance) => Promise<void>
}

/** Routes that are not in the list: made by the framework or its plugins, each known by name. */
const guests = [/^OPTIONS \*$/, /^(GET|HEAD) \/openapi\.json$/, /^(GET|HEAD) \/docs(\/.*)?$/]

/** The spec's unprefixed shapes reach the same route objects. */
const unprefixed = /^\/(accounts|transfers|beneficiaries|cards)(?=[/?]|$)/

/** Pages may stand in folders, which are addressed with a slash at the end. */
const pages = /^\/portal(\/|$)/

/** What the router is asked for. It would take an empty segment for an empty parameter. */
function addressed(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const isEmptyWithin = path.includes('//') || (path.length > 1 && path.endsWith('/'))
  if (isEmptyWithin && path.startsWith('/') && !pages.test(path)) return '//'
  return unprefixed.test(url) ? `/api/v1${url}` : url
}

type RequestState = {
  admission?: Admission
  isGone?: boolean
  address: string
  recorder?: Recorder
}

declare module 'fastify' {
  interface FastifyRequest {
    requestState: RequestState
  }
  interface FastifyContextConfig {
    /** The class a request counts under on arrival, in place of `address`. */
    limit?: 'address' | 'docs'
  }
}

export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, log, metrics } = parts
  const listeners: Listeners = { log, refused: onRefused(metrics) }
  const arrive = onArrival(parts)
  const offered: Offered[] = []
  const attendant: Attendant = {
    addressOf: (peer, forwardedFor) => clientAddress(peer, forwardedFor, config.isTrustedProxy),
    count: async (address) => (await parts.gate.admitAddress(address)).headers(),
    answered: answeredBelow(log, metrics),
  }
  const app = fastify({
    serverFactory: (handle) => {
      const listener = parts.listener(handle as never)
      for (const each of [listener, ...(parts.redirecting ?? [])]) attend(each, attendant)
      return listener as never
    },
    logger: false,
    bodyLimit: config.maxBody,
    return503OnClosing: false,
    // The transport answers what its parser refuses; a second answer here would break T45.
    clientErrorHandler: () => {},
    genReqId: () => parts.newRequestId(),
    rewriteUrl: ({ url = '/' }) => addressed(url),
    routerOptions: { maxParamLength: 100, caseSensitive: true, querystringParser: readQuery },
    frameworkErrors: (error, request, reply) => {
      const code = error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? 'uri_too_long' : 'invalid_request'
      const refusal = new Refusal(code, { because: error })
      // No hook runs here, not even the one that records answers.
      void refuseUnseen(request, reply, refusal).then((made) => {
        if (made) attendant.answered(request.id, request.requestState.address, made)
        return made
      })
    },
  })
  /** The framework gave up before the first hook: the address is limited here. */
  async function refuseUnseen(request: FastifyRequest, reply: FastifyReply, refusal: Refusal) {
    const made = await arrive(request, reply).then(() => refusal, asRefusal)
    if (reply.sent) return undefined
    send(reply, made, listeners)
    return made
  }
  app.decorateRequest('requestState', null as never)
  app.setValidatorCompiler(({ schema, httpPart }) => createValidator(schema as object, httpPart))
  app.setSerializerCompiler(({ schema }) => createSerializer(schema as object))
  onlyJsonBodies(app)
  app.setErrorHandler((thrown, request, reply) => {
    // A request without a route may fail before it reaches the not-found handler.
    const isLost = request.is404 && !(thrown instanceof Refusal)
    const refusal = isLost ? notFound(request, offered) : asThrown(thrown)
    if (!(request.requestState as RequestState | null | undefined))
      void refuseUnseen(request, reply, refusal)
    else send(reply, refusal, listeners)
  })
  app.setNotFoundHandler((request, reply) => {
    send(reply, notFound(request, offered), listeners)
  })
  app.addHook('onRequest', arrive)
  app.addHook('onResponse', answered(log, metrics))
  await app.register(cors, {
    origin: config.corsOrigins.length === 0 ? false : [...config.corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key'],
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
  })
  refuseStrangers(app, parts.routes, offered)
  await parts.plugins?.(app)
  for (const route of parts.routes) mount(app, route, parts)
  return app
}

/** Step 0 and 1 of every request, also of those no route answers: headers, address, its limit. */
function onArrival({ gate, config, publicUrl }: ServerParts) {
  return async function arrive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { headers, socket } = request.raw
    reply.headers(securityHeaders)
    reply.header('x-request-id', request.id)
    const peer = socket.remoteAddress ?? ''
    const forwardedFor = headers['x-forwarded-for'] as string | undefined
    const address = clientAddress(peer, forwardedFor, config.isTrustedProxy)
    request.requestState = { address }
    if (headers['x-forwarded-proto'] === 'http' && config.isTrustedProxy(peer)) {
      return reply.redirect(publicUrl + readPath(request.originalUrl), 301)
    }
    try {
      const { config: own } = request.routeOptions as Partial<FastifyRequest['routeOptions']>
      const charge = await gate.admitAddress(address, own?.limit)
      reply.headers(charge.headers())
    } catch (thrown) {
      if (!saysAlive(request, thrown)) throw thrown
      return reply.header('content-type', json).send('{"status":"ok"}')
    }
  }
}

function mount(app: FastifyInstance, route: Route, parts: ServerParts): void {
  const { gate } = parts
  const identifiers = findIdentifiers(route)
  const { clock, service } = parts
  const recording = { trail: service.audit, clock }
  const recorder = createRecorder(route, identifiers, recording)
  app.route({
    method: route.method,
    url: route.path,
    schema: toFrameworkSchema(route),
    async onRequest(request, reply) {
      const { requestState, headers } = request
      requestState.recorder = recorder
      const credentials = { address: requestState.address, authorization: headers.authorization }
      requestState.admission = await gate.admit(route, credentials)
      reply.headers(requestState.admission.charge.headers())
      requireJson(request)
    },
    async preHandler(request) {
      if (!route.body && isBody(request.body)) refuse('invalid_request', { because: 'a body' })
      const { requestState } = request
      const named = namedIn(request, identifiers)
      const { caller, isGone } = await gate.admitNamed(route, requestState.admission?.caller, named)
      if (requestState.admission) requestState.admission = { ...requestState.admission, caller }
      requestState.isGone = isGone
    },
    async handler(request, reply) {
      const asked = toAuditedRequest(request)
      recorder.begin(asked)
      const handle = (request.requestState.isGone && route.whenGone) || route.handle
      const handled = handle(createContext(request, reply, route.operation, parts) as never)
      // A read is one statement or two, each with a time-out of its own.
      const result =
        route.method === 'GET'
          ? await handled
          : await within(handled, timeLeft(reply.elapsedTime), 'outcome_unknown')
      const value = result instanceof Answer ? result.value : result
      recorder.succeeded(asked)
      reply.code(route.success)
      if (value instanceof FileReply) return sendFile(reply, value, route, parts.log)
      if (result instanceof Answer) reply.headers(result.headers)
      return route.success === 204 ? reply.send() : value
    },
  })
}

/**
 * A change is answered nine seconds after its request came, whatever the database does; a body that
 * took long to arrive leaves it three. In milliseconds.
 */
const timeLeft = (elapsed: number): number => Math.max(3000, 9000 - elapsed)

const noQuery = { type: 'object', additionalProperties: false }

function toFrameworkSchema({ params, query, body, reply }: Route): object {
  const { 204: nothing, ...replies } = reply
  return {
    ...(params && { params }),
    querystring: query ?? noQuery,
    ...(body && { body }),
    response: nothing === undefined ? replies : {},
  }
}

/** Every refusal is measured and, where the trail has to know of it, recorded. */
const onRefused =
  (metrics: Metrics): Listeners['refused'] =>
  (request, refusal) => {
    const { code, options } = refusal
    if (code === 'rate_limited') metrics.limited(options.because as LimitClass)
    // A request the router could not read never met the first hook.
    return (
      (request.requestState as RequestState | null)?.recorder?.refused(
        toAuditedRequest(request),
        refusal,
      ) ?? code
    )
  }

/** Nothing is mounted that is not in the list, save the named guests; keeps what is `offered`. */
function refuseStrangers(app: FastifyInstance, routes: readonly Route[], offered: Offered[]): void {
  const known = new Set<string>()
  for (const { method, path, operation } of routes) {
    const name = `${method} ${path}`
    for (const each of [name, operation]) {
      if (known.has(each)) throw new Error(`Two routes are ${each}`)
      known.add(each)
    }
    if (method === 'GET') known.add(`HEAD ${path}`)
  }
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      const name = `${each} ${url}`
      if (!known.has(name) && !guests.some((guest) => guest.test(name))) {
        throw new Error(`${name} is mounted but is not in the list of routes`)
      }
      if (each !== 'OPTIONS') offered.push(offer(each, url))
    }
  })
}

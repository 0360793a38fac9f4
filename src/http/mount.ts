// A route behind the gate, in order: admission, body, identifiers and owners, handler, reply.
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createRecorder, type Recorder } from '../audit/hooks.ts'
import { describeRequest } from '../audit/kept-reasons.ts'
import type { AuditEvent } from '../audit/sql.ts'
import type { Config, LimitClass } from '../config/config.ts'
import type { ServiceDatabase } from '../database/connections/connect.ts'
import type { RequestReads } from '../database/connections/read-standby.ts'
import { type Clock, rfc3339 } from '../domain/clock.ts'
import { type Code, refuse } from '../domain/errors.ts'
import { isIdentifier } from '../domain/ids.ts'
import type { Scope } from '../domain/trace.ts'
import { waitWithin } from '../domain/bounded-wait.ts'
import type { Arrived } from '../gate/combined-limits.ts'
import type { Admission, Gate } from '../gate/gate.ts'
import type { Named } from '../gate/ownership.ts'
import type { Log } from '../telemetry/log.ts'
import { hasContent, keepKnown, requireContent } from './body.ts'
import { createChange } from './change.ts'
import { createContext, namedIn, toAuditedRequest } from './context.ts'
import { json } from './error-response.ts'
import { sendFile } from './file-response.ts'
import { Answer, type Context, FileReply, type Route } from './route.ts'
import { approvalsPath, WaitingApproval } from '../gate/waiting-approval.ts'
import { takesKey } from './repeats.ts'
import { findIdentifiers } from './route-check.ts'
import type { Service } from './services.ts'
import { createSerializer } from './validation.ts'

type RequestState = {
  admission?: Admission
  /** In place of the primary's. */
  reads?: RequestReads | undefined
  address: string
  /** The pattern of the route that was met; undefined if none was. */
  route: string | undefined
  /** The page of the portal asks: its cookie is the credential. */
  isPortal: boolean
  /** The page does so by itself, without its person. */
  isUnattended: boolean
  recorder?: Recorder
  /** What was charged on arrival, until the route has charged more; for the fields of a refusal. */
  arrival?: Arrived | undefined
  /** The scope of the request's own span, if it is traced. */
  scope: Scope | undefined
  /** The code of the refusal it was answered with. */
  code?: Code
  window?: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    requestState: RequestState
  }
  interface FastifyContextConfig {
    /** The class a request counts under on arrival, in place of `address`. */
    limit?: 'address' | 'docs' | 'files'
    /** The route sends the RateLimit fields of a class of its own. */
    chargesMore?: boolean
    /** The class of the caller's limits, if requests are admitted by a credential. */
    guardedLimit?: LimitClass
    /** It reads an Idempotency-Key. */
    takesKey?: boolean
    portal?: Route['portal']
    whenUncounted?: Route['whenUncounted']
    /** The document of a refusal for want of room, in place of the one form: a person reads it. */
    whenLimited?: (
      request: FastifyRequest,
      waitSeconds: string,
    ) => { fields: Readonly<Record<string, string>>; body: string } | undefined
  }
}

/** What requests are answered with. */
export type Answering = { gate: Gate; db: ServiceDatabase; service: Service }

/** A route is mounted before there is what answers it, which is read with each request. */
export type MountParts = Readonly<Answering> & {
  config: Pick<Config, 'maxBody'>
  clock: Clock
  log: Log
}

const recordingOf = (parts: MountParts) => ({
  clock: parts.clock,
  get trail() {
    return parts.service.audit
  },
})

const toRouteConfig = (route: Route): FastifyContextConfig => ({
  whenUncounted: route.whenUncounted,
  chargesMore: route.limit !== 'address',
  takesKey: takesKey(route),
  ...(route.access !== 'public' && { guardedLimit: route.limit }),
  ...(route.portal && { portal: route.portal }),
})

export function mount(app: FastifyInstance, route: Route, parts: MountParts): void {
  const identifiers = findIdentifiers(route)
  const recorder = createRecorder(route, identifiers, recordingOf(parts))

  /** Nothing is looked up for a malformed identifier: the schema refuses the request. */
  function namedAhead(request: FastifyRequest): Named[] | undefined {
    if (route.method !== 'GET') return undefined
    const named = namedIn(request, identifiers)
    return named.every(({ id }) => isIdentifier(id)) ? named : undefined
  }

  app.route({
    method: route.method,
    url: route.path,
    ...toContentOptions(route, parts.config.maxBody),
    config: toRouteConfig(route),
    async onRequest(request, reply) {
      const { requestState, headers } = request
      const { address, isPortal } = requestState
      if (isPortal && route.portal === 'never') refuse('not_found')
      requestState.recorder = recorder
      const { authorization, cookie } = headers
      const credential = isPortal ? { cookie } : { authorization }
      // If the body is complete before the session is looked up, no second look-up is needed.
      let isComplete = false
      if (route.method !== 'GET') parts.db.beforeSending(() => (isComplete = request.raw.complete))
      const named = namedAhead(request)
      const ahead = requestState.arrival?.ahead
      const reads = route.atStandby && parts.db.readStandby?.openRequest()
      requestState.reads = reads
      const credentials = { address, credential, named, lookup: reads?.lookup, ahead }
      const admission = await parts.gate.admit(route, credentials)
      admission.isCurrent &&= isComplete
      requestState.admission = admission
      const fields = admission.charge.headers()
      // A class whose keys only the body names is not charged yet.
      reply.headers(fields['ratelimit'] ? fields : (requestState.arrival?.headers() ?? {}))
      requestState.arrival = undefined
      requireContent(request, route)
    },
    async handler(request, reply) {
      if (!route.body && hasContent(request.body)) refuse('invalid_request', { because: 'a body' })
      const { gate } = parts
      const { admission, isUnattended, reads } = request.requestState
      const named = namedIn(request, identifiers)
      const { caller, isGone, row } = await gate.admitNamed(route, admission, named, isUnattended)
      if (admission) admission.caller = caller
      const audited = toAuditedRequest(request)
      recorder.begin(audited)
      const handle = (isGone && route.whenGone) || route.handle
      // Nothing changes what is gone: an earlier answer is given again, without a confirmation.
      const isToConfirm = handle === route.handle && route.confirm !== undefined
      const toEvent = (about: Partial<AuditEvent>) => recorder.event(audited, about)
      const { params, address } = audited
      const isToApprove = await mustWait(route, request, parts)
      const makeEvent = recorder.makeEvent(audited)
      const judged = { caller, address, params, named, reads, isToConfirm, isToApprove }
      const asked = { ...judged, makeEvent, toEvent }
      const { run, changing } = createChange(route, asked, parts)
      const context = createContext(request, reply, { route, audited, row, ...changing }, parts)
      if (isToApprove) {
        return run(context, (own) => answerLater(own, reply, { route, toEvent }, parts))
      }
      const handled = run(context, handle as never)
      // A read is one statement or two, each with a time-out of its own.
      const result =
        route.method === 'GET'
          ? await handled
          : await waitWithin(handled, timeLeft(reply.elapsedTime), 'outcome_unknown')
      const value = result instanceof Answer ? result.value : result
      recorder.succeeded(audited, value)
      reply.code(route.success)
      if (value instanceof FileReply) return sendFile(reply, value, route, parts.log)
      if (result instanceof Answer) reply.headers(result.headers)
      return route.success === 204 ? reply.send() : value
    },
  })
}

/** Whether the change waits for a second person. One that was made already does not. */
async function mustWait(
  route: Route,
  { requestState: { admission }, body }: FastifyRequest,
  { db, service: { fourEyes } }: MountParts,
): Promise<boolean> {
  const caller = admission?.caller
  if (caller) route.admits?.({ caller, body: body as never })
  if (!fourEyes.isNeeded(route, caller) || !caller) return false
  const { operation } = route
  return !(await fourEyes.isMade({ operation, caller, body, db: db.onBehalfOf(caller.userId) }))
}

/** Stores the change for a second person in place of making it, and answers 202. */
async function answerLater(
  context: Context,
  reply: FastifyReply,
  { route, toEvent }: { route: Route; toEvent(about: Partial<AuditEvent>): AuditEvent },
  { clock, service }: MountParts,
): Promise<FastifyReply> {
  const { operation } = route
  const detail = describeRequest(operation, context.params)
  const waiting = service.fourEyes.storeRequest({
    ...context,
    operation,
    now: clock.now(),
    makeEvent: (target) => toEvent({ action: 'requestApproval', target, detail }),
  })
  const { id, status, expiresAt, isReplayed } = await waitWithin(
    waiting,
    timeLeft(reply.elapsedTime),
    'outcome_unknown',
  )
  if (isReplayed) reply.header('idempotency-replayed', 'true')
  return reply
    .code(202)
    .type(json)
    .header('location', `${approvalsPath}/${id}`)
    .serializer(createSerializer(WaitingApproval))
    .send({ approvalId: id, status, expiresAt: rfc3339(expiresAt.getTime()) })
}

/**
 * In milliseconds: a change is answered nine seconds after its request came, whatever the database
 * does. A body that took long to arrive leaves it three.
 */
const timeLeft = (elapsed: number): number => Math.max(3000, 9000 - elapsed)

/** @param most of the body of any route, in bytes */
const toContentOptions = (route: Route, most: number) => ({
  schema: toFrameworkSchema(route),
  bodyLimit: Math.max(most, route.bodyMax ?? 0),
  ...(route.form && {
    preValidation: async (request: FastifyRequest) =>
      keepKnown(request, Object.keys(route.body?.properties ?? {})),
  }),
  ...(route.xml && {
    preValidation: async (request: FastifyRequest) => {
      if (Buffer.isBuffer(request.body)) request.body = route.xml?.read(request.body)
    },
  }),
  ...(route.bodyIsOptional && {
    // JSON's null is a body, and a wrong one.
    preValidation: async (request: FastifyRequest) => {
      if (request.body === undefined) request.body = {}
    },
  }),
})

const noQuery = { type: 'object', additionalProperties: false }

function toFrameworkSchema({ params, query, body, reply }: Route): object {
  const { 204: _, ...replies } = reply
  return {
    ...(params && { params }),
    querystring: query ?? noQuery,
    ...(body && { body }),
    response: replies,
  }
}

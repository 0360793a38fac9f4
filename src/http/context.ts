// A request of Fastify in the forms that handlers, the gate and the audit trail take.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AuditedRequest, withOwner } from '../audit/hooks.ts'
import { addEvents } from '../audit/sql.ts'
import type { Clock } from '../domain/clock.ts'
import type { Gate } from '../gate/gate.ts'
import type { Named } from '../gate/ownership.ts'
import type { Log } from '../telemetry/log.ts'
import { logRefusal } from './answer-log.ts'
import type { Change } from './change.ts'
import type { Context, Route } from './route.ts'
import type { Identifier } from '../domain/ids.ts'
import { type PageQuery, pageQuery } from './pagination.ts'
import { LoggedError } from '../domain/logged-error.ts'

type RequestInHand = Change['changing'] & { route: Route; audited: AuditedRequest; row: unknown }
type ContextParts = { gate: Gate; clock: Clock; log: Log }

/** The context of a handler, with the database and the service that it changes with. */
export function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, audited, row, recordedIn, db, service, requireConfirmed }: RequestInHand,
  parts: ContextParts,
): Context {
  const { admission, address, isPortal, recorder } = request.requestState
  return {
    params: request.params,
    query: request.query,
    body: request.body,
    headers: request.headers as Record<string, string | undefined>,
    caller: admission?.caller as never,
    address,
    requestId: request.id,
    isPortal,
    row,
    db,
    now: parts.clock.now(),
    service,
    requireConfirmed,
    async record(tx, about = {}) {
      if (!recorder) throw new LoggedError('The request met no route')
      if (about.action !== undefined) return addEvents(tx, [recorder.event(audited, about)])
      recordedIn.add(tx)
      const detail = withOwner(audited.caller, about.detail ?? null)
      return addEvents(tx, [recorder.event(audited, { ...about, detail })])
    },
    toEvent(about) {
      if (!recorder) throw new LoggedError('The request met no route')
      return recorder.event(audited, about)
    },
    requireStill: async () => admission?.caller && parts.gate.recheck(route, admission.caller),
    gone() {
      const ending = new AbortController()
      reply.raw.once('close', () => ending.abort())
      return ending.signal
    },
    page: (listing) =>
      service.cursors.page(request.query as PageQuery, nameList(request, route.operation), listing),
    report: (failure) => logRefusal(parts.log, failure, { requestId: request.id }),
    async chargeMore(keys, name) {
      if (!admission) throw new LoggedError('Nothing was admitted')
      const charge = await admission.chargeMore(keys, name)
      reply.headers(charge.headers())
      return charge
    },
  }
}

/** Names a list by everything that decides what it holds; its cursors are bound to the name. */
function nameList({ params, query, requestState }: FastifyRequest, operation: string): string[] {
  const { userId = '', grant = '' } = requestState.admission?.caller ?? {}
  const subject = { ...(params as object), ...(query as object) } as Record<string, string>
  const names = Object.keys(subject).filter((name) => !(name in pageQuery))
  const ordered = names.toSorted((one, other) => (one < other ? -1 : 1))
  return [operation, userId, grant, ...ordered.flatMap((name) => [name, subject[name] as string])]
}

export const toAuditedRequest = ({
  requestState,
  params,
  query,
  body,
  id: requestId,
}: FastifyRequest): AuditedRequest => ({
  params,
  query,
  body,
  requestId,
  address: requestState.address,
  caller: requestState.admission?.caller,
})

/** The identifiers a request names, in the order path, query, body. */
export function namedIn(request: FastifyRequest, identifiers: readonly Identifier[]): Named[] {
  const named: Named[] = []
  for (const { part, keys, resource } of identifiers) {
    let value: unknown = request[part]
    for (const key of keys) value = (value as Record<string, unknown> | null | undefined)?.[key]
    if (typeof value === 'string') named.push({ resource, id: value })
  }
  return named
}

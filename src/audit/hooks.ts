// Which requests are recorded, decided by data the route has anyway, so no route can forget to be:
// whoever passed the gate with the grant `any` is staff at work on what is not his own. All he
// reads is recorded, and all he changes; so is every 403, and every login that is refused. Logins
// that succeed, other changes of a person's own access, and new beneficiaries are recorded by their
// handlers, in the transaction of the change.
import { addressKey } from '../domain/address.ts'
import type { LimitClass } from '../config/config.ts'
import type { Clock } from '../domain/clock.ts'
import type { Code, Refusal } from '../domain/errors.ts'
import type { Caller } from '../gate/roles.ts'
import { type Identifier, newId, uuidPattern } from '../domain/ids.ts'
import { Recent } from './recent.ts'
import type { AuditEvent, Outcome } from './sql.ts'
import type { Trail } from './writer.ts'
import type { MakeEvent } from './audited-transaction.ts'

/** What the trail needs to know of a request. */
export type AuditedRequest = {
  caller: Caller | undefined
  params: unknown
  query: unknown
  body: unknown
  requestId: string
  address: string
}

export type Recorder = {
  /** Before the handler: refuses with `unavailable` what could not be recorded afterwards. */
  begin(request: AuditedRequest): void
  /** Given for a change by staff: what its transaction has to write. */
  makeEvent(request: AuditedRequest): MakeEvent | undefined
  /** The event of a success, for the transaction that it tells of. */
  event(request: AuditedRequest, about: Partial<AuditEvent>): AuditEvent
  /** After the handler, before the answer. */
  succeeded(request: AuditedRequest): void
  /** Gives the code to answer with: the refusal's own, or `unavailable` when it has no room. */
  refused(request: AuditedRequest, refusal: Refusal): Code
}

/** What of a route decides whether a request is recorded, and as what. */
type Definition = { method: string; limit: LimitClass; operation: string }

/** What the codes of a refusal are recorded as; any other is no concern of the trail. */
const loginOutcomes: Partial<Record<Code, Outcome>> = {
  invalid_credentials: 'failure',
  rate_limited: 'limited',
}

export function createRecorder(
  { method, limit, operation: action }: Definition,
  identifiers: readonly Identifier[],
  { trail, clock }: { trail: Trail; clock: Clock },
): Recorder {
  const isLogin = limit === 'login'
  const isReading = method === 'GET'
  const limitedNetworks = new Recent(limitedPeriodMs, clock.monotonic)
  const isByStaff = ({ caller }: AuditedRequest): boolean => caller?.grant === 'any'

  function event(
    request: AuditedRequest,
    outcome: Outcome,
    about: Partial<AuditEvent>,
  ): AuditEvent {
    const at = clock.now()
    return {
      id: newId(at),
      at,
      actorId: request.caller?.userId ?? null,
      action,
      target: named(request, identifiers, ['params', 'query']) ?? null,
      outcome,
      requestId: request.requestId,
      address: request.address,
      detail: null,
      ...about,
    }
  }

  return {
    event: (request, about) => event(request, 'success', about),
    begin(request) {
      if (isLogin || (isReading && isByStaff(request))) trail.requireRoom()
    },
    makeEvent(request) {
      if (isReading || !isByStaff(request)) return undefined
      const detail = toDetail(request.body, method)
      return (madeId) => {
        const made = event(request, 'success', { detail })
        return { ...made, target: made.target ?? madeId ?? null }
      }
    },
    succeeded(request) {
      if (isReading && isByStaff(request)) trail.note(event(request, 'success', {}))
    },
    refused(request, { code, options }) {
      const outcome = code === 'forbidden' ? 'forbidden' : isLogin ? loginOutcomes[code] : undefined
      if (outcome === undefined) return code
      const network = addressKey(request.address)
      if (outcome === 'limited' && limitedNetworks.has(network)) return code
      if (!trail.hasRoom()) return 'unavailable'
      if (outcome === 'limited') limitedNetworks.add(network)
      const about = isLogin
        ? { target: options.userId ?? null }
        : {
            actorId: request.caller?.userId ?? options.userId ?? null,
            target:
              options.target ?? named(request, identifiers, ['params', 'query', 'body']) ?? null,
          }
      trail.note(event(request, outcome, about))
      return code
    },
  }
}

const shape = new RegExp(uuidPattern)

/**
 * What the request is about: the last identifier of the path, else the first of the other parts. A
 * refusal may come before the schema has judged them.
 */
function named(
  request: AuditedRequest,
  identifiers: readonly Identifier[],
  parts: readonly Identifier['part'][],
): string | undefined {
  const inPath = identifiers.filter(({ part }) => part === 'params').toReversed()
  for (const { part, keys } of [...inPath, ...identifiers]) {
    if (!parts.includes(part)) continue
    const value = keys.reduce<unknown>(
      (node, key) => (node as Record<string, unknown> | null | undefined)?.[key],
      request[part],
    )
    if (typeof value === 'string' && shape.test(value)) return value
  }
  return undefined
}

/** The reason that was given, or which fields were changed; their values are no concern here. */
function toDetail(body: unknown, method: string): string | null {
  const { reason } = (body ?? {}) as { reason?: unknown }
  if (typeof reason === 'string') return reason
  const isPartial = method === 'PATCH' || method === 'PUT'
  return isPartial
    ? Object.keys(body ?? {})
        .join(', ')
        .slice(0, 140)
    : null
}

/**
 * A limited attempt is recorded once in this period and network: attempts that are not even judged
 * must not fill a trail that cannot be shortened.
 */
const limitedPeriodMs = 60_000

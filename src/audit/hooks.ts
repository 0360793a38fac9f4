// Decides which requests are recorded, from data that every route has: each change, by staff, by a
// program or of what is the caller's own, but for those that the ledger keeps with their caller;
// each read by staff, who are admitted with the grant `any`; what is `forbidden`; every refused
// login, and every right password that the second factor stops. Successful logins are recorded by
// their handlers, in the transaction of the session.
import { addressKey } from '../domain/address.ts'
import type { LimitClass } from '../config/config.ts'
import type { Clock } from '../domain/clock.ts'
import { type Code, type CodeOf, Refusal } from '../domain/errors.ts'
import type { Caller } from '../gate/roles.ts'
import { type Identifier, isIdentifier, newId } from '../domain/ids.ts'
import type { Operation, WrittenDetail } from './actions.ts'
import { Recent } from './recent.ts'
import type { AuditEvent, Outcome } from './sql.ts'
import { type Trail, trailIsFull } from './writer.ts'

/** A request as the audit trail sees it. */
export type AuditedRequest = {
  caller: Caller | undefined
  params: unknown
  query: unknown
  body: unknown
  requestId: string
  address: string
}

/** Makes the event of a change, once it is known what was made by it. */
export type MakeEvent = (madeId: string | undefined) => AuditEvent

export type Recorder = {
  /** Before the handler: refuses with `unavailable` if the request could not be recorded. */
  begin(request: AuditedRequest): void
  /** The event that the transaction of a change has to write; undefined for other requests. */
  makeEvent(request: AuditedRequest): MakeEvent | undefined
  /** The event of a success, for the transaction of its change. */
  event(request: AuditedRequest, about: Partial<AuditEvent>): AuditEvent
  /** Called after the handler, before its answer is sent. */
  succeeded(request: AuditedRequest, answer: unknown): void
  /** Returns what to answer: the refusal itself, or `unavailable` if the trail is full. */
  refused(request: AuditedRequest, refusal: Refusal): Refusal
}

type Definition = {
  method: string
  limit: LimitClass
  operation: Operation
  recordedBy?: 'handler' | 'ledger'
  /** What is told of a read, in place of the names of its parameters. */
  tells?(query: never): string
}

/**
 * What is recorded of a login that began no session. Refusals with other statuses say nothing of a
 * password: they are of the form of a request, or of the state of the bank.
 */
const refusedLogins = {
  invalid_credentials: { outcome: 'failure', detail: null },
  issuer_refused: { outcome: 'failure', detail: null },
  // The password was right, and may be known to a thief.
  second_factor_required: {
    outcome: 'success',
    detail: 'The password was right; the second factor was asked for',
  },
  rate_limited: { outcome: 'limited', detail: null },
  forbidden: { outcome: 'forbidden', detail: null },
  confirmation_required: undefined,
  factor_enrolment_required: undefined,
  session_expired: undefined,
  session_revoked: undefined,
  token_expired: undefined,
  unauthenticated: undefined,
} as const satisfies Record<
  CodeOf<401 | 403 | 429>,
  { outcome: Outcome; detail: WrittenDetail | null } | undefined
>
const isOfLogin = (code: Code): code is keyof typeof refusedLogins =>
  Object.hasOwn(refusedLogins, code)

const toLoginDetail = (action: Operation, code: Code): WrittenDetail | null => {
  if (action === 'completeIssuerLogin' && code === 'second_factor_required') {
    return 'The issuer knows the person; the second factor was asked for'
  }
  return isOfLogin(code) ? (refusedLogins[code]?.detail ?? null) : null
}

/**
 * A rate-limited login is recorded once per period and network, since the trail cannot be
 * shortened.
 */
const limitedPeriodMs = 60_000

/** Characters of a detail, as the table has it. */
const detailMax = 140

export function createRecorder(
  { method, limit, operation: action, recordedBy, tells }: Definition,
  identifiers: readonly Identifier[],
  parts: { readonly trail: Trail; clock: Clock },
): Recorder {
  const { clock } = parts
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
      target: findTarget(request, identifiers, ['params', 'query']) ?? null,
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
      if (isLogin || (isReading && isByStaff(request))) parts.trail.requireRoom()
    },
    makeEvent(request) {
      const { caller } = request
      if (isReading || !caller || (recordedBy && !isByStaff(request))) return undefined
      const detail = withOwner(caller, toDetail(request.body, method))
      return (madeId) => {
        const success = event(request, 'success', { detail })
        const named = isByStaff(request)
          ? (success.target ?? madeId ?? null)
          : (madeId ?? success.target ?? caller.userId)
        return { ...success, target: named }
      }
    },
    succeeded(request, answer) {
      if (!isReading || !isByStaff(request)) return
      const detail = tells ? tells(request.query as never) : nameFields(request.query) || null
      const read = event(request, 'success', { detail })
      parts.trail.note({ ...read, target: read.target ?? findOnly(answer) })
    },
    refused(request, refusal) {
      const { code, options } = refusal
      const ofLogin = isLogin && isOfLogin(code) ? refusedLogins[code] : undefined
      const outcome = isForbidden(refusal) ? 'forbidden' : ofLogin?.outcome
      // The want of room would tell what is there and another's from what is not there.
      const isAlike = code === 'archived' && options.target !== undefined
      if (outcome === undefined) return isAlike && !parts.trail.hasRoom() ? trailIsFull() : refusal
      const network = addressKey(request.address)
      if (outcome === 'limited' && limitedNetworks.has(network)) return refusal
      if (!parts.trail.hasRoom()) return trailIsFull()
      if (outcome === 'limited') limitedNetworks.add(network)
      const about = isLogin
        ? { target: options.userId ?? null, detail: toLoginDetail(action, code) }
        : {
            actorId: request.caller?.userId ?? options.userId ?? null,
            target:
              options.target ??
              findTarget(request, identifiers, ['params', 'query', 'body']) ??
              null,
          }
      parts.trail.note(event(request, outcome, about))
      return refusal
    },
  }
}

/** Also where the caller is told of an archive: a transfer of another stays when entries leave. */
function isForbidden({ code, options: { because } }: Refusal): boolean {
  if (code === 'forbidden') return true
  return code === 'archived' && because instanceof Refusal && because.code === 'forbidden'
}

/**
 * The target of the request: the last identifier of the path, else the first of the other parts.
 * They may not be validated yet.
 */
function findTarget(
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
    if (isIdentifier(value)) return value
  }
  return undefined
}

/** The one item of a list that shows no other: it is looked at as if it were read by itself. */
function findOnly(answer: unknown): string | null {
  const { items } = (answer ?? {}) as { items?: unknown }
  const [only, ...more] = Array.isArray(items) ? (items as { id?: unknown }[]) : []
  return isIdentifier(only?.id) && more.length === 0 ? only.id : null
}

/** The detail, which names the owner for whom a member acts: `<detail>; for <id>`. */
export function withOwner(caller: Caller | undefined, detail: string | null): string | null {
  const { actingMember } = caller ?? {}
  if (!actingMember) return detail
  const owner = `for ${actingMember.ownerId}`
  return detail === null ? owner : `${detail.slice(0, detailMax - owner.length - 2)}; ${owner}`
}

/** The reason in the request, or the names of the changed fields, never their values. */
function toDetail(body: unknown, method: string): string | null {
  const { reason } = (body ?? {}) as { reason?: unknown }
  if (typeof reason === 'string') return reason
  const isPartial = method === 'PATCH' || method === 'PUT'
  return isPartial ? nameFields(body) : null
}

const nameFields = (part: unknown): string =>
  Object.keys(part ?? {})
    .join(', ')
    .slice(0, detailMax)

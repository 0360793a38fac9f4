// What happened in a storm, as its clients saw it: every request with its answer or the lack of
// one. The judge compares this with the books.
import type { Reply } from '../support/client.ts'

/** Cents in EUR; the storm knows one currency. */
export type Cents = bigint

export type Session = {
  id: string
  token: string
  username: string
  /** Its end was requested, whatever the answer. Until then the session has to live. */
  isEndAsked?: true
  /** When the answer arrived that says that it is over. No later request may succeed. */
  overAt?: number
}

/** One request of a payment. Times are milliseconds of the monotonic clock. */
export type Attempt = {
  sentAt: number
  endedAt: number
  /** Undefined when no answer came. */
  status: number | undefined
  code: string | undefined
  /** The transfer that the answer names. */
  id: string | undefined
  isReplayed: boolean
  /** The request cannot have arrived, so it had no effect. */
  isUnsent: boolean
}

/** One payment that is to be made once, with all requests for it. */
export type Payment = {
  /** The reference of the transfer: it finds the payment in the books. */
  reference: string
  key: string | undefined
  username: string
  from: string
  to: string
  cents: Cents
  body: Record<string, string>
  attempts: Attempt[]
  /** The transfer, once its cancellation was acknowledged. */
  cancelled?: string
  /** The transfer, once its cancellation was refused for good. */
  kept?: string
}

/** A payment list, and what its client was told of it. */
export type StormList = {
  /** Begins the reference of each line: it finds the payments in the books. */
  name: string
  username: string
  from: string
  lines: { reference: string; cents: Cents; to: string; beneficiaryId: string }[]
  /** Once it was answered that it is checked. */
  id?: string
  isOrderSent?: true
  /** The key of the order that was acknowledged. */
  orderedBy?: string
  isCancelSent?: true
  /** Its cancellation was acknowledged. */
  isCancelled?: true
}

/** A time in which an account was certainly frozen. */
export type Freeze = {
  accountId: string
  from: number
  until: number
  /** The same by the wall clock. */
  fromTime: number
  untilTime: number
}

/** While a service was stopped it could not answer. */
export type Pause = { from: number; until: number }

/** A slow answer, or a request without one. */
export type Slow = { what: string; sentAt: number; endedAt: number }

/** A request of a caller with a narrow limit. Unknown: it may have been counted. */
export type Charge = {
  sentAt: number
  endedAt: number
  result: 'admitted' | 'limited' | 'unknown'
}

export type History = {
  payments: Payment[]
  lists: StormList[]
  sessions: Session[]
  freezes: Freeze[]
  pauses: Pause[]
  slow: Slow[]
  /** Requests that the proxy before the instances answered with 5xx or not at all. */
  failed: Slow[]
  charges: Charge[]
  /** The highest load of a processor as the system reports it; 1 is all it has. */
  load: number
  /** Requests by kind and answer, such as `pay 201`. */
  counts: Map<string, number>
  /** Violations in words, the first ones first. */
  violations: string[]
}

export const newHistory = (): History => ({
  payments: [],
  lists: [],
  sessions: [],
  freezes: [],
  pauses: [],
  slow: [],
  failed: [],
  charges: [],
  load: 0,
  counts: new Map(),
  violations: [],
})

export const now = (): number => performance.now()

/** A time that holds of a machine with a processor to spare; longer on a loaded one. */
export const underLoad = ({ load }: History, ms: number): number => ms * Math.max(1, load)

export function count({ counts }: History, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

export function violate({ violations }: History, what: string): void {
  if (violations.length < 1000) violations.push(what)
}

/** What an answer says about its own request. */
export type Verdict = 'ok' | 'refused' | 'unknown'

/** Codes about this request alone, not about others with the same key. */
const passing = new Set(['request_in_progress', 'unavailable', 'rate_limited'])

export function toVerdict({ status, code, isUnsent }: Attempt): Verdict {
  if (isUnsent) return 'refused'
  if (status === 201) return 'ok'
  if (status === undefined || code === 'outcome_unknown') return 'unknown'
  return status < 500 || code === 'unavailable' ? 'refused' : 'unknown'
}

/** The outcome is final: no later request with its key gets another one. */
export const isFinal = (attempt: Attempt): boolean =>
  attempt.status === 201 ||
  (attempt.status === 409 && !passing.has(attempt.code ?? '') && !attempt.isUnsent)

/** The state of a payment by all its answers. */
export function toState({ key, attempts }: Payment): Verdict {
  const verdicts = attempts.map(toVerdict)
  if (verdicts.includes('ok')) return 'ok'
  if (key !== undefined && attempts.some(isFinal)) return 'refused'
  return verdicts.includes('unknown') ? 'unknown' : 'refused'
}

export const toAttempt = (
  sentAt: number,
  reply: Reply | undefined,
  isUnsent: boolean,
): Attempt => ({
  sentAt,
  endedAt: now(),
  status: reply?.status,
  code: reply?.body?.code as string | undefined,
  id: reply?.status === 201 ? (reply.body.id as string) : undefined,
  isReplayed: reply?.headers['idempotency-replayed'] === 'true',
  isUnsent,
})

// When a request is sent again. A read is repeated until it is answered, and a payment, under its
// one key, until its outcome is known; another change only while it surely had no effect.
import { ApiError, NotReachedError, OutcomeUnknownError } from './errors.ts'
import type { Clock } from './types.ts'

/** What sending once came to. */
export type Attempt<T> =
  | { value: T }
  | { refused: ApiError<string> }
  /** `certain`: it was not sent, or did not reach the bank. `pointless`: a repeat ends the same. */
  | { lost: NotReachedError; isCertain: boolean; isPointless: boolean }

export type Limits = {
  clock: Clock
  deadlineMs: number
  retryAfterMsMax: number
  attemptMs: number
}

export type Kind = 'read' | 'payment' | 'change'

export type Repeated = {
  kind: Kind
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
}

const firstPauseMs = 250
const pauseMsMax = 5000

/** Doubles each time, less a random part, so that many clients do not come back at once. */
const pauseMs = (repeats: number): number =>
  Math.round(Math.min(firstPauseMs * 2 ** repeats, pauseMsMax) * (0.5 + Math.random() / 2))

/** Statuses that a payment is answered with only when no attempt under its key took effect. */
const settlingStatuses: readonly number[] = [202, 400, 404, 409, 422]

/**
 * `final`: a refusal without effect. `again`: no effect so far. `open`: it may have taken effect,
 * now or in an earlier attempt that is still running.
 */
function judge<T>(attempt: Exclude<Attempt<T>, { value: T }>, kind: Kind) {
  if ('lost' in attempt) {
    if (attempt.isPointless) return 'final'
    return attempt.isCertain || kind === 'read' ? 'again' : 'open'
  }
  const { code } = attempt.refused
  if (code === 'rate_limited' || code === 'unavailable') return 'again'
  if (code === 'outcome_unknown') return kind === 'read' ? 'again' : 'open'
  if (code === 'internal_error') return kind === 'read' ? 'final' : 'open'
  return code === 'request_in_progress' ? 'open' : 'final'
}

/**
 * Sends until there is an answer, for as long as the limits allow. Throws the refusal; if the
 * request may have taken effect, `OutcomeUnknownError`; the signal's reason when it is aborted.
 */
export async function repeatUntilKnown<T>(
  send: (timeoutMs: number) => Promise<Attempt<T>>,
  { kind, idempotencyKey, signal }: Repeated,
  { clock, deadlineMs, retryAfterMsMax, attemptMs }: Limits,
): Promise<T> {
  const end = clock.now() + deadlineMs
  let isOpen = false
  const toError = (cause: unknown): unknown =>
    isOpen ? new OutcomeUnknownError(idempotencyKey, cause) : cause
  for (let repeats = 0; ; repeats++) {
    if (signal?.aborted) throw toError(signal.reason)
    const timeoutMs = Math.max(1, Math.ceil(Math.min(attemptMs, end - clock.now())))
    const attempt = await send(timeoutMs).catch((thrown: unknown) => {
      throw toError(thrown)
    })
    if ('value' in attempt) return attempt.value
    const error = 'lost' in attempt ? attempt.lost : attempt.refused
    const verdict = judge(attempt, kind)
    if (verdict === 'final') {
      const isSettled = error instanceof ApiError && settlingStatuses.includes(error.status)
      throw isSettled ? error : toError(error)
    }
    isOpen ||= verdict === 'open'
    if (isOpen && kind !== 'payment') throw toError(error)
    const retryAfterMs = 1000 * ((error as Partial<ApiError<string>>).retryAfterSeconds ?? 0)
    const waitMs = retryAfterMs || pauseMs(repeats)
    if (retryAfterMs > retryAfterMsMax || clock.now() + waitMs > end) throw toError(error)
    try {
      await clock.wait(waitMs, signal)
    } catch (thrown) {
      throw toError(thrown)
    }
  }
}

// What a call can end with: a refusal of the bank, no answer, or an outcome that is not known. They
// are one union, told apart by `code`.
import type { Challenge as AnsweredChallenge, Code } from './generated.ts'

/** One problem of a request: its place, such as `/body/amount`, and what is wrong there. */
export type Detail = { path: string; message: string }

/** What a person has to answer with a second factor; `terms` are what a confirmation is about. */
export type Challenge = AnsweredChallenge & { terms?: Readonly<Record<string, unknown>> }

type Challenging = 'second_factor_required' | 'confirmation_required'
type Waiting = 'rate_limited' | 'unavailable'
type RefusalCode = Exclude<Code, 'outcome_unknown'>

/** The limit that a request would exceed: money beside its currency, else a number of things. */
export type ExceededLimit = {
  name: string
  amount: string
  used: string
  currency?: string
  /** RFC 3339: when nothing of it is used any more. */
  resetsAt?: string
}

type RefusalBody = Partial<
  Record<'message', string> & Record<'details' | 'challenge' | 'limit', unknown>
>

/** The bank refused the request. Nothing was changed by it. */
export class ApiError<C extends string = RefusalCode> extends Error {
  override readonly name = 'ApiError'
  readonly code: C
  readonly status: number
  readonly details: C extends 'invalid_request' ? readonly Detail[] : undefined
  readonly challenge: C extends Challenging ? Challenge : undefined
  /** Absent where the bank does not tell it. */
  readonly limit: C extends 'limit_exceeded' ? ExceededLimit | undefined : undefined
  /** From Retry-After: an earlier repeat is refused as well. */
  readonly retryAfterSeconds: C extends Waiting ? number : undefined
  /** Path of the resource that the refusal is about, such as the first of two equal transfers. */
  readonly location: string | undefined
  /** Names the request in the bank's log. */
  readonly requestId: string | undefined

  constructor(code: C, response: Response, body: RefusalBody) {
    super(body.message ?? code)
    this.code = code
    this.status = response.status
    this.details = body.details as ApiError<C>['details']
    this.challenge = body.challenge as ApiError<C>['challenge']
    this.limit = body.limit as ApiError<C>['limit']
    this.retryAfterSeconds = readRetryAfter(response) as ApiError<C>['retryAfterSeconds']
    this.location = response.headers.get('location') ?? undefined
    this.requestId = response.headers.get('x-request-id') ?? undefined
  }
}

/**
 * The bank holds the request until a second administrator approves it: nothing was changed so far.
 * `location` is the path of the approval, which tells what became of it.
 */
export class ApprovalPendingError extends ApiError<'approval_pending'> {
  readonly approvalId: string
  constructor(response: Response, body: { approvalId: string }) {
    super('approval_pending', response, { message: 'A second person has to approve the request.' })
    this.approvalId = body.approvalId
  }
}

/** No answer of the bank came. Nothing was changed, unless the call was a read anyway. */
export class NotReachedError extends Error {
  override readonly name = 'NotReachedError'
  readonly code = 'not_reached'
}

/**
 * The request may have taken effect, and the client has not learned it in time. A payment is called
 * again with the same body and this key: it happens once all the same. So is what has an
 * `externalId`, which takes no key. Without either, read whether the change is there. `cause` is
 * what the last attempt ended with.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError'
  readonly code = 'outcome_unknown'
  readonly idempotencyKey: string | undefined

  constructor(idempotencyKey: string | undefined, cause: unknown) {
    super('The outcome of the request is not known.', { cause })
    this.idempotencyKey = idempotencyKey
  }
}

/** By `code`, the error and all that it has. A newer bank can send a code that is not listed. */
export type BankError =
  | { [C in RefusalCode]: ApiError<C> }[RefusalCode]
  | ApprovalPendingError
  | NotReachedError
  | OutcomeUnknownError

/** Whether a call ended with it; anything else is an error of the program or an aborted signal. */
export const isBankError = (thrown: unknown): thrown is BankError =>
  thrown instanceof ApiError ||
  thrown instanceof NotReachedError ||
  thrown instanceof OutcomeUnknownError

/** Whole seconds (RFC 9110 section 10.2.3); the bank sends no date. */
function readRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

const approvals = '/api/v1/admin/approvals/'

/** Whether the answer is an approval in place of the change that was asked for. */
export const isHeld = ({ status, headers }: Response): boolean =>
  status === 202 && (headers.get('location') ?? '').startsWith(approvals)

/** The refusal that an answer is; undefined when it is not one of the bank, but of a proxy. */
export async function readRefusal(response: Response): Promise<ApiError<string> | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  const refusal = body as (RefusalBody & { code?: unknown }) | null | undefined
  return typeof refusal?.code === 'string'
    ? new ApiError(refusal.code, response, refusal)
    : undefined
}

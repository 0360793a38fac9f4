// Every refusal the service can make, in one table: status, code and sentence never drift apart.

/**
 * `code → [HTTP status, message for people]`. The messages are constants: nothing a client sent,
 * and nothing the database said, can reach a response through them.
 */
const table = {
  invalid_request: [400, 'The request is not valid; see details.'],
  malformed_json: [400, 'The body is not one well-formed JSON value.'],
  invalid_credentials: [401, 'The user name or the password is not right.'],
  session_expired: [401, 'The session has ended; log in again.'],
  session_revoked: [401, 'The session was revoked; log in again.'],
  token_expired: [401, 'The access token has expired; refresh it.'],
  unauthenticated: [401, 'A valid access token is required.'],
  forbidden: [403, 'You are not permitted to do this.'],
  not_found: [404, 'There is nothing here.'],
  method_not_allowed: [405, 'This path does not offer that method; see Allow.'],
  not_acceptable: [406, 'None of the accepted media types is offered here.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  account_closed: [409, 'The account is closed.'],
  account_frozen: [409, 'The account is frozen.'],
  account_not_empty: [409, 'The account still holds a balance.'],
  already_exists: [409, 'This already exists.'],
  already_reversed: [409, 'The transfer has already been reversed.'],
  beneficiary_inactive: [409, 'The beneficiary is deactivated.'],
  card_cancelled: [409, 'The card is cancelled.'],
  currency_mismatch: [409, 'The currencies do not match.'],
  duplicate_transfer: [409, 'The same transfer was made moments ago; see Location.'],
  illegal_transition: [409, 'The present state does not allow this change.'],
  insufficient_funds: [409, 'The account does not hold enough.'],
  limit_exceeded: [409, 'This would exceed a limit.'],
  request_in_progress: [409, 'A request with this Idempotency-Key is still running.'],
  payload_too_large: [413, 'The body is too large.'],
  uri_too_long: [414, 'The address is too long.'],
  unsupported_media_type: [415, 'The body has to be plain application/json.'],
  expectation_failed: [417, 'This expectation cannot be met.'],
  idempotency_key_reused: [422, 'This Idempotency-Key belongs to a different request.'],
  rate_limited: [429, 'Too many requests; wait as Retry-After says.'],
  headers_too_large: [431, 'The header fields are too large.'],
  internal_error: [500, 'Something went wrong on our side.'],
  not_implemented: [501, 'This transfer coding is not offered.'],
  outcome_unknown: [503, 'The outcome is not known; repeat with the same Idempotency-Key.'],
  unavailable: [503, 'The service is not available for the moment; try again.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type Code = keyof typeof table
export const codes = Object.keys(table) as Code[]
export const errorStatus = (code: Code): number => table[code][0]
export const errorMessage = (code: Code): string => table[code][1]

/** One line of what is wrong with a request: where (a path such as `/amount`), and what. */
export type Detail = { path: string; message: string }

export type RefusalOptions = {
  /** For the log only; never sent. */
  because?: unknown
  /** For `invalid_request` only. */
  details?: Detail[]
  /** Header fields of this answer, such as `Location` or `Allow`. */
  headers?: Record<string, string>
  /** Who was refused and what it was about, where the request does not tell; for the trail. */
  userId?: string | undefined
  target?: string
  /** Whole seconds; sent as `Retry-After` (RFC 9110 section 10.2.3). */
  retryAfter?: number
}

/** The one error class the service throws on purpose. Anything else that is thrown is a 500. */
export class Refusal extends Error {
  readonly code: Code
  readonly options: RefusalOptions
  constructor(code: Code, options: RefusalOptions = {}) {
    // A refusal is an answer, not a defect: nobody reads its stack, and taking one costs more than
    // the rest of a refused request.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(table[code][1], { cause: options.because })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.options = options
  }
}

/** Ends the request with the answer of `code`. Throws {@link Refusal}; never returns. */
export function refuse(code: Code, options?: RefusalOptions): never {
  throw new Refusal(code, options)
}

/** Refuses with `invalid_request`, naming one place and what is wrong there; never its value. */
export function invalid(path: string, message: string): never {
  throw new Refusal('invalid_request', { details: [{ path, message }] })
}

/** What was thrown, as a refusal: unknown errors become `internal_error`, kept for the log. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  return new Refusal('internal_error', { because: thrown })
}

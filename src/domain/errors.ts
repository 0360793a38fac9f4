// Every refusal of the service, in one table of code, status and message.
import type { Currency } from './money.ts'

/** The messages are constants, so no text of a client or of the database reaches a response. */
const table = {
  invalid_request: [400, 'The request is invalid; see details.'],
  malformed_json: [400, 'The request content is not well-formed JSON.'],
  invalid_credentials: [401, 'Invalid user name or password.'],
  issuer_refused: [401, 'The sign-in at the identity provider opens nothing here.'],
  second_factor_required: [401, 'A second factor is required; answer the challenge.'],
  session_expired: [401, 'The session has expired; log in again.'],
  session_revoked: [401, 'The session was revoked; log in again.'],
  token_expired: [401, 'The access token has expired; refresh it.'],
  unauthenticated: [401, 'A valid access token is required.'],
  confirmation_required: [403, 'This request has to be confirmed; answer the challenge.'],
  factor_enrolment_required: [403, 'A second factor has to be enrolled first.'],
  forbidden: [403, 'You are not permitted to do this.'],
  archived: [404, 'What was booked then is in an archive outside of the service; ask the bank.'],
  not_found: [404, 'The requested resource does not exist.'],
  method_not_allowed: [405, 'The method is not allowed for this resource; see Allow.'],
  not_acceptable: [406, 'None of the accepted media types is available.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  account_closed: [409, 'The account is closed.'],
  account_frozen: [409, 'The account is frozen.'],
  account_not_empty: [409, 'A balance, a hold or a payment on its way keeps the account open.'],
  already_exists: [409, 'The resource already exists.'],
  already_reversed: [409, 'The transfer has already been reversed.'],
  beneficiary_cooling: [409, 'The beneficiary was added after a recovery; pay it a day later.'],
  beneficiary_inactive: [409, 'The beneficiary is deactivated.'],
  card_cancelled: [409, 'The card is cancelled.'],
  credits_blocked: [409, 'The account takes no money at present.'],
  currency_mismatch: [409, 'The currencies do not match.'],
  debits_blocked: [409, 'Payments from the account are blocked at present.'],
  duplicate_transfer: [409, 'The same transfer was made moments ago; see Location.'],
  illegal_transition: [409, 'The current state of the resource does not allow this change.'],
  insufficient_funds: [409, 'The account has insufficient funds.'],
  limit_exceeded: [409, 'The request would exceed a limit.'],
  payee_check_required: [409, "Check the payee's name first; a check holds for 15 minutes."],
  payee_not_accepted: [409, "The payee's name does not match; send acceptPayee to go on."],
  request_in_progress: [409, 'A request with this Idempotency-Key is still running.'],
  signature_required: [409, 'A second person has to sign this payment: make a draft of it.'],
  payload_too_large: [413, 'The request content is too large.'],
  uri_too_long: [414, 'The request target is too long.'],
  unsupported_media_type: [
    415,
    'This resource does not take the media type or the content coding of the request.',
  ],
  expectation_failed: [417, 'The expectation in Expect cannot be met.'],
  idempotency_key_reused: [
    422,
    'This Idempotency-Key or externalId was used for a different request.',
  ],
  rate_limited: [429, 'Too many requests; retry after the time in Retry-After.'],
  headers_too_large: [431, 'The request header fields are too large.'],
  internal_error: [500, 'The service failed to process the request.'],
  not_implemented: [501, 'The transfer coding is not implemented.'],
  issuer_unavailable: [503, 'The identity provider does not answer; sign in later.'],
  outcome_unknown: [
    503,
    'The outcome is unknown; look whether it took effect before you send it again.',
  ],
  unavailable: [503, 'The service is temporarily unavailable; try again.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type Code = keyof typeof table
/** The codes with one of these statuses. */
export type CodeOf<S extends number> = {
  [C in Code]: (typeof table)[C][0] extends S ? C : never
}[Code]
export const codes = Object.keys(table) as Code[]
export const errorStatus = (code: Code): number => table[code][0]
export const errorMessage = (code: Code): string => table[code][1]
/** The message of `outcome_unknown` where the request had a key that its route reads. */
export const keyedOutcomeMessage =
  'The outcome is unknown; repeat the request with the same Idempotency-Key.'

/**
 * Why a request is answered `unavailable`. The words are labels of a metric, fields of log lines
 * and what `/readyz` names; `telemetry/outages.ts` says of each what the operator is told.
 */
export const outageCauses = [
  'audit',
  'capacity',
  'clock',
  'closing',
  'database',
  'disk',
  'ibans',
  'limit-store',
  'lock',
  'pool',
  'queue',
  'read-only',
  'reads',
  'schema',
  'standby',
  'timeout',
] as const
export type OutageCause = (typeof outageCauses)[number]

/** One problem of a request: its place (a path such as `/amount`), and what is wrong there. */
export type Detail = { path: string; message: string }

/** The most details that are told of one request. */
export const detailsMax = 100

/** What proves that a person is there, beside the password. */
export const challengeMethods = ['passkey', 'totp', 'recovery-code', 'issuer'] as const

/** What a person is shown of what is confirmed, beside the operation: the page knows each. */
export type TermName =
  | 'acceptPayee'
  | 'amount'
  | 'approves'
  | 'card'
  | 'channels'
  | 'count'
  | 'currency'
  | 'executeOn'
  | 'email'
  | 'firstOn'
  | 'from'
  | 'fromAccountId'
  | 'iban'
  | 'kind'
  | 'largest'
  | 'lastOn'
  | 'linesHash'
  | 'makerId'
  | 'member'
  | 'onHoliday'
  | 'payee'
  | 'payeeHolder'
  | 'payeeResult'
  | 'payer'
  | 'payments'
  | 'perDay'
  | 'perPayment'
  | 'reference'
  | 'retryDays'
  | 'rhythm'
  | 'rights'
  | 'secondLargest'
  | 'signaturesFrom'
  | 'thirdLargest'
  | 'to'
  | 'toAccountId'
  | 'total'
  | 'until'

/** A challenge as a client is told of it. */
export type Challenge = {
  id: string
  /** RFC 3339. */
  expiresAt: string
  /** What it can be answered with. */
  methods: (typeof challengeMethods)[number][]
  /** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3, if a passkey can answer it. */
  passkey?: PasskeyRequest
  /** What is confirmed, to be shown to the person. */
  terms?: Readonly<Record<string, unknown>>
}

export type PasskeyRequest = {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required'
  allowCredentials: { type: 'public-key'; id: string; transports: string[] }[]
}

/** The limits that a customer can meet. */
export const limitNames = [
  'dailyTransfers',
  'perPayment',
  'openAccounts',
  'orders',
  'paymentLists',
  'drafts',
  'cards',
  'secondFactors',
  'activeHolds',
  'members',
] as const

/** The limit that `limit_exceeded` is about. The figures of an account are its owner's alone. */
export type ExceededLimit = {
  name: (typeof limitNames)[number]
  /** The limit, and how much of it is used: decimal strings of money, else a number of things. */
  amount: string
  used: string
  /** The currency of an amount of money. */
  currency?: Currency
  /** RFC 3339: when nothing of it is used any more. */
  resetsAt?: string
}

/** The archive that `archived` is about. */
export type ArchiveName = {
  /** Its folder's; callers that are not of staff do not get it. */
  name: string
  /** RFC 3339: what was booked before is in it, or in an earlier one. */
  until: string
}

/** A limit on the number of things: all of them are there. */
export const countLimit = (name: ExceededLimit['name'], most: number): ExceededLimit => ({
  name,
  amount: String(most),
  used: String(most),
})

export type RefusalOptions = {
  /** For the log only; never sent. */
  because?: unknown
  /** For `second_factor_required` and `confirmation_required`, which always have one. */
  challenge?: Challenge
  /** For `invalid_request` only. */
  details?: Detail[]
  /** For `limit_exceeded`. */
  limit?: ExceededLimit
  /** For `archived`. */
  archive?: ArchiveName
  /** Header fields of this answer, such as `Location` or `Allow`. */
  headers?: Record<string, string>
  /** User and target for the audit trail, where the request does not name them. */
  userId?: string | undefined
  target?: string
  /** The window that is full, as `class.window`, of `rate_limited`. For the log only. */
  window?: string
  /** Whole seconds; sent as `Retry-After` (RFC 9110 section 10.2.3). */
  retryAfter?: number
  /** The cause of `unavailable`, which always has one. For the operator only; never sent. */
  outage?: OutageCause
}

/** A code that needs no cause. What may be `unavailable` as well is given with one. */
export type PlainCode = Exclude<Code, 'unavailable'>
type OutageOptions = RefusalOptions & { outage: OutageCause }

/** The one error class that the service throws on purpose. Any other error is a 500. */
export class Refusal extends Error {
  readonly code: Code
  readonly options: RefusalOptions
  constructor(code: Code, options: OutageOptions)
  constructor(code: PlainCode, options?: RefusalOptions)
  constructor(code: Code, options: RefusalOptions = {}) {
    // Without a stack: a refusal is an expected answer, and capturing a stack costs more than the
    // rest of a refused request.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(table[code][1], { cause: options.because })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.options = options
  }
}

/** Ends the request with the answer of `code`. Throws {@link Refusal}; never returns. */
export function refuse(code: Code, options: OutageOptions): never
export function refuse(code: PlainCode, options?: RefusalOptions): never
export function refuse(code: Code, options?: RefusalOptions): never {
  throw new Refusal(code as PlainCode, options)
}

/** Refuses with `invalid_request` and one detail, which never contains the value. */
export function invalid(path: string, message: string): never {
  throw new Refusal('invalid_request', { details: [{ path, message }] })
}

/** The error as a refusal: unknown errors become `internal_error`, with the cause for the log. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  return new Refusal('internal_error', { because: thrown })
}

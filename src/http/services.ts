// The parts of one running service that handlers use. Types only: features implement two of them.
import type { AuditEvent } from '../audit/sql.ts'
import type { Trail } from '../audit/writer.ts'
import type { Clock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import type { ApprovalStatus } from '../gate/waiting-approval.ts'
import type { Code } from '../domain/errors.ts'
import type { Currency } from '../domain/money.ts'
import type { CheckResult } from '../domain/payee-name.ts'
import type { Cursors } from './pagination.ts'
import type { Clocks } from '../database/background/clocks.ts'
import type { QueueWorker } from '../database/background/queue-worker.ts'
import type { Database } from '../database/connections/connect.ts'
import type { Fit } from '../database/schema/judge-schema.ts'
import type { Db } from '../database/statements/statement.ts'
import type { Named } from '../gate/ownership.ts'
import type { Members } from '../gate/members.ts'
import type { Caller } from '../gate/roles.ts'
import type { ServiceKeys } from '../gate/service-keys.ts'
import type { Sessions } from '../gate/sessions.ts'
import type { Tokens } from '../gate/token.ts'
import type { Ledger } from '../ledger/batch/batch.ts'
import type { ToldCause } from '../telemetry/outages.ts'

export type Passwords = {
  /** Refuses a new password that has a `passwordProblem`: `invalid_request` at `path`. */
  check(password: string, username: string, path: string): void
  /** argon2id in PHC string form. */
  hash(password: string): Promise<string>
  /**
   * argon2id of each text, 32 bytes, with a salt of 16. They are hashed one after the other in one
   * place, so a set waits once.
   */
  hashRaw(texts: readonly string[], salt: Buffer): Promise<readonly Buffer[]>
  /** Takes as long for a user without a password, or for none at all (`stored` null). */
  verify(stored: string | null, password: string): Promise<boolean>
  /**
   * A new hash of a verified password whose stored hash has lower parameters than today's.
   * Undefined also while all places for hashing are taken: a later login renews it.
   */
  renewed(stored: string, password: string): Promise<string | undefined>
}

export type Feed = {
  /** Numbers what is committed, and gives the number of the newest event; 0 if there is none. */
  last(): Promise<bigint>
  /**
   * Resolves once an event of these types has a greater number, the time is over, the signal is
   * aborted or the service ends. Refuses with `unavailable` when too many wait already.
   */
  waitForNewer(
    callerId: string,
    wait: { types: readonly string[]; after: bigint; waitMs: number; signal: AbortSignal },
  ): Promise<void>
  /** The service ends: a request is answered at once, and does not wait. */
  isEnding(): boolean
}

/** A request that waits for a second person, as its maker is answered. */
export type WaitingRequest = {
  id: string
  status: ApprovalStatus
  expiresAt: Date
  /** It was stored by an earlier request with the same Idempotency-Key. */
  isReplayed: boolean
}

export type FourEyes = {
  /**
   * Whether this change by staff waits for a second person. Refuses with `forbidden` many at once
   * of what waits.
   */
  isNeeded(route: { operation: string; each?: string }, caller: Caller | undefined): boolean
  /**
   * Whether a numbered request was made already and no approval of it is stored, or none any more:
   * it has no effect again, and is answered as the first time.
   */
  isMade(asked: { operation: string; caller: Caller; body: unknown; db: Db }): Promise<boolean>
  /**
   * Stores a validated request in place of executing it. Refuses with `invalid_request` when it
   * holds a secret, and with `idempotency_key_reused`.
   */
  storeRequest(asked: {
    operation: string
    params: unknown
    query: unknown
    body: unknown
    headers: Readonly<Record<string, string | undefined>>
    caller: Caller
    /** Each of its transactions uses up the confirmation, where one is needed. */
    db: Database
    now: number
    makeEvent: (approvalId: string) => AuditEvent
  }): Promise<WaitingRequest>
  /** Its maker, and what the stored request names. */
  about(db: Db, id: string): Promise<Named[]>
  /**
   * Refuses unless this person may decide about the request: `not_found`, `forbidden`, or
   * `illegal_transition` when no route takes it any more.
   */
  requireChecker(checker: Caller, db: Db, id: string): Promise<unknown>
  /** Executes the request as its maker; the context is that of the checker. */
  execute(
    context: {
      caller: Caller
      db: Database
      requestId: string
      address: string
      now: number
      service: Service
    },
    id: string,
  ): Promise<void>
  /** The route of an operation; undefined if it is none that can be held. */
  describe(operation: string): { method: string; path: string } | undefined
}

/** A payment of a customer as it was asked for, when it was refused. */
export type RefusedAttempt = {
  accountId: string
  reason: Code
  /** In minor units. */
  amount: bigint
  currency: Currency
  /** Whom it was for, if that is known. */
  beneficiaryId: string | null
  toAccountId: string | null
  /** It came from another bank, by that IBAN if it told one: for the account above. */
  cameFrom?: { iban: string | null }
  at: number
}

/** So that staff can say why a payment was refused. */
export type RefusedPayments = {
  /** Takes an attempt to be written soon, if there is room. Never fails. */
  note(attempt: RefusedAttempt): void
}

/** What a bank tells of the name of a payee. */
export type PayeeAnswer = {
  result: CheckResult
  /** The holder's, with `close_match` alone. */
  name?: string
}

export type PayeeResponder = {
  /** Asks for an account at another bank. Never rejects, and takes three seconds at most. */
  ask(asked: { name: string; iban: string }): Promise<PayeeAnswer>
}

/** A way of a browser to the issuer and back: what is asked there, and expected of the answer. */
export type IssuerVisit = { state: string; nonce: string; verifier: string }

/** Who signed in at the issuer, by an ID token that was checked. Times in milliseconds. */
export type Identity = {
  issuer: string
  subject: string
  /** The session at the issuer, if it names one. */
  sid: string | undefined
  /** The issuer has asked for a second factor, by the claims of the setting. */
  hasFactor: boolean
  issuedAt: number
  /** When the person signed in there; undefined where the issuer does not tell. */
  authenticatedAt: number | undefined
}

/** A logout token that was checked, but for its replay. */
export type IssuerLogout = {
  issuer: string
  jti: string
  sid: string | undefined
  subject: string | undefined
  issuedAt: number
}

/**
 * The OpenID Connect issuer by which staff sign in. Each question refuses with `issuer_unavailable`
 * while it is away, and with `issuer_refused` what it answers and cannot be believed.
 */
export type Issuer = {
  /** As in `iss`. */
  name: string
  isReachable(): boolean
  /** Sign-ins and logout tokens that were refused. */
  refusedCount(): number
  /** Sessions of staff that began with a password or a passkey of this bank. */
  byPasswordCount(): number
  noteRefused(): void
  noteByPassword(): void
  /** Where to send the browser. `isFresh`: the person has to sign in there anew. */
  addressOf(visit: IssuerVisit, asked: { isFresh: boolean }): Promise<string>
  /** Exchanges the code that the browser brought back. */
  redeem(
    visit: IssuerVisit,
    answer: { code: string; state: string; iss?: string | undefined },
  ): Promise<Identity>
  readLogout(token: string): Promise<IssuerLogout>
  close(): void
}

export type Service = {
  /** Aborted when the service is about to close. */
  ending: AbortSignal
  config: Config
  /** The origin under which clients reach the service. */
  publicUrl: string
  clock: Clock
  clocks: Clocks
  fit: Fit
  /** The causes for which requests were refused within the last minute. */
  outages(): ToldCause[]
  tokens: Tokens
  sessions: Sessions
  serviceKeys: Pick<ServiceKeys, 'flush'>
  /** The staff operations that a service account can be granted. */
  operations: ReadonlySet<string>
  passwords: Passwords
  cursors: Cursors
  ledger: Ledger
  feed: Feed
  /** The worker that pays lists which are ordered. */
  paymentLists: Pick<QueueWorker, 'wake'>
  payeeResponder: PayeeResponder
  refusedPayments: RefusedPayments
  fourEyes: FourEyes
  audit: Trail
  /** Undefined where none is set. */
  issuer: Issuer | undefined
  /** Who may act on accounts of others. Undefined where the setting is off: only owners act. */
  members: Members | undefined
}

// The parts of one running service that handlers use. Types only: features implement two of them.
import type { Trail } from '../audit/writer.ts'
import type { Clock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import type { Cursors } from './pagination.ts'
import type { Clocks } from '../database/clocks.ts'
import type { ServiceKeys } from '../gate/service-keys.ts'
import type { Sessions } from '../gate/sessions.ts'
import type { Tokens } from '../gate/token.ts'
import type { Ledger } from '../ledger/batch.ts'

export type Passwords = {
  /** Refuses a new password that has a `passwordProblem`: `invalid_request` at `path`. */
  check(password: string, username: string, path: string): void
  /** argon2id in PHC string form. */
  hash(password: string): Promise<string>
  /** Takes as long for a user without a password, or for none at all (`stored` null). */
  verify(stored: string | null, password: string): Promise<boolean>
  /**
   * A new hash of a verified password whose stored hash has lower parameters than today's.
   * Undefined also while all places for hashing are taken: a later login renews it.
   */
  renewed(stored: string, password: string): Promise<string | undefined>
}

export type Outbox = {
  /** Sends the mails that are due, as a timer does each second. Never rejects. */
  work(): Promise<void>
  /** Starts no more mails and waits a moment for those under way; the others stay queued. */
  close(): Promise<void>
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
  /** How many requests wait. */
  waiting(): number
  /** The service ends: answers all that wait, and from now on none does. */
  endWaits(): void
  isEnding(): boolean
  close(): Promise<void>
}

export type Webhooks = {
  /** Sends what is due of the events with a number, as a timer does each second. Never rejects. */
  work(): Promise<void>
  /** Starts no more attempts and waits a moment for those under way. */
  close(): Promise<void>
}

export type Service = {
  /** Aborted when the service is about to close. */
  ending: AbortSignal
  config: Config
  clock: Clock
  clocks: Clocks
  tokens: Tokens
  sessions: Sessions
  serviceKeys: Pick<ServiceKeys, 'flush'>
  /** The staff operations that a service account can be granted. */
  operations: ReadonlySet<string>
  passwords: Passwords
  cursors: Cursors
  ledger: Ledger
  outbox: Outbox
  feed: Feed
  webhooks: Webhooks
  audit: Trail
}

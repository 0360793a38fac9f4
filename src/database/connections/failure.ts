// What a failed statement means. SQLSTATE decides, never the text of a message.
import pg from 'pg'
import { type OutageCause, Refusal } from '../../domain/errors.ts'
import { LoggedError } from '../../domain/logged-error.ts'
import { NotPrimary } from './client.ts'

/** The state of a notice; that of a warning is another. */
export const successfulCompletion = '00000'
const readOnlySqlTransaction = '25006'
const queryCanceled = '57014'
const invalidStatementName = '26000'
const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'
const diskFullState = '53100'
const conflicts = [
  '40001', // serialization_failure
  deadlockDetected,
]

/**
 * SQLSTATEs (PostgreSQL Appendix A), and classes of them, after which the same request may succeed
 * later: what the operator is told of each.
 */
const outages = new Map<string, OutageCause>([
  ['08', 'database'], // connection
  ['25P03', 'timeout'], // idle_in_transaction_session_timeout
  [readOnlySqlTransaction, 'read-only'], // connected to a standby after a failover
  [invalidStatementName, 'timeout'], // pipelined behind one that was cut off while it was prepared
  ['40001', 'lock'], // serialization_failure
  [deadlockDetected, 'lock'],
  ['53', 'database'], // resources, such as memory or connections
  [diskFullState, 'disk'],
  [lockNotAvailable, 'lock'],
  [queryCanceled, 'timeout'], // by statement_timeout
  ['57P01', 'database'], // admin_shutdown
  ['57P02', 'database'], // crash_shutdown
  ['57P03', 'database'], // cannot_connect_now
  ['58', 'database'], // errors of the system, such as of reading a file
])

/** The SQLSTATE of an error of the server, translated or not; empty for any other. */
function readState(thrown: unknown): string {
  if (thrown instanceof Refusal) return readState(thrown.options.because)
  return isAnswer(thrown) ? (thrown.code ?? '') : ''
}

/** The transaction as a whole can be done over: it had no effect. */
export const isConflict = (thrown: unknown): boolean => conflicts.includes(readState(thrown))

/** Other sessions kept it from a lock. */
export const isLockedOut = (thrown: unknown): boolean =>
  [lockNotAvailable, deadlockDetected].includes(readState(thrown))

/** The server itself answered: the statement failed for certain. A lost connection is not this. */
export const isAnswer = (thrown: unknown): thrown is pg.DatabaseError =>
  thrown instanceof pg.DatabaseError

/**
 * The server said that COMMIT itself failed: a violated constraint or a conflict. Any other error
 * at that moment, such as the end of the backend, leaves open whether it had already committed.
 */
export const isRefusedCommit = (thrown: unknown): boolean =>
  isConflict(thrown) || readState(thrown).startsWith('23')

/**
 * A page of a table or an index is damaged: its checksum or its content is wrong (`data_corrupted`,
 * `index_corrupted`).
 */
export const isDamage = (thrown: unknown): boolean => ['XX001', 'XX002'].includes(readState(thrown))

/** It would write or lock where that is not possible: a connection for reads, or a standby. */
export const isReadOnly = (thrown: unknown): boolean => readState(thrown) === readOnlySqlTransaction

/** The server cut it off at its statement_timeout: while it ran, or before it was prepared. */
export const isCutOff = (thrown: unknown): boolean =>
  [queryCanceled, invalidStatementName].includes(readState(thrown))

/** A parameter has a value that the server does not know, such as the name of a time zone. */
export const isInvalidParameter = (thrown: unknown): boolean => readState(thrown) === '22023'

/** True when the statement failed on that constraint of the schema. */
export const violates = (thrown: unknown, constraint: string): boolean =>
  isAnswer(thrown) && thrown.constraint === constraint

/** Random values that are taken ten times in a row are a defect, not bad luck. */
const attemptsMax = 10

/**
 * Repeats `attempt`, which makes a new random value each time, while that value violates the
 * constraint. A violation fails its transaction, so each attempt is a transaction of its own.
 */
export async function untilUnique<R>(constraint: string, attempt: () => Promise<R>): Promise<R> {
  for (let count = 0; count < attemptsMax; count++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (!violates(thrown, constraint)) throw thrown
    }
  }
  throw new LoggedError(`${attemptsMax} values in a row violate ${constraint}`)
}

/**
 * What a caller sees of a failed statement: `unavailable` when the database is out of reach or
 * overloaded; else the error itself, for a feature that knows its constraint, or as a defect.
 */
export function translate(thrown: unknown): unknown {
  if (thrown instanceof Refusal) return thrown
  const outage = isAnswer(thrown) ? outageOf(readState(thrown)) : outageWithoutAnswer(thrown)
  return outage === undefined ? thrown : new Refusal('unavailable', { outage, because: thrown })
}

const outageOf = (state: string): OutageCause | undefined =>
  outages.get(state) ?? outages.get(state.slice(0, 2))

const outageWithoutAnswer = (thrown: unknown): OutageCause =>
  thrown instanceof NotPrimary ? 'read-only' : 'database'

/** For `catch`: see {@link translate}. */
export function throwTranslated(thrown: unknown): never {
  throw translate(thrown)
}

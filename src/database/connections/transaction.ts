// The only place that opens transactions: it checks that COMMIT really committed, and never returns
// a client in doubt to the pool.
import type pg from 'pg'
import { Refusal } from '../../domain/errors.ts'
import { commit } from './commit.ts'
import { answersOf, together } from './cork.ts'
import { isAnswer, isConflict, isRefusedCommit, throwTranslated } from './failure.ts'
import { connect, toDb } from './pool.ts'
import { runCommand } from '../statements/query.ts'
import type { Standby } from './standby.ts'
import type { Db } from '../statements/statement.ts'
import { LoggedError } from '../../domain/logged-error.ts'

const attemptsMax = 4

/** Locks and reads by which a transaction is judged before its work. It writes nothing. */
export type Opening = (tx: Db) => Promise<unknown>

/** A database that changes can be made in. */
export type Transactions = {
  /** See {@link transaction}. */
  runTransaction<R>(work: (tx: Db) => Promise<R>, opening?: Opening): Promise<R>
}

/**
 * Runs `work` in one READ COMMITTED transaction. A serialization failure or deadlock runs it over
 * from the start (PostgreSQL 18, section 13.5), so `work` must have no effect outside `tx`.
 *
 * Refuses with `unavailable` when nothing was committed because the database is out of reach, and
 * with `outcome_unknown` when the answer to COMMIT was lost or no standby confirmed it.
 *
 * @param opening is sent together with BEGIN
 */
export const transaction = <R>(
  db: Transactions,
  work: (tx: Db) => Promise<R>,
  opening?: Opening,
): Promise<R> => db.runTransaction(work, opening)

export const openTransactions = (pool: pg.Pool, standby: Standby): Transactions => ({
  async runTransaction(work, opening) {
    // Ends after `attemptsMax` attempts.
    for (let attempt = 1; ; attempt++) {
      try {
        return await runOnce(pool, standby, work, opening)
      } catch (thrown) {
        if (attempt === attemptsMax || !isConflict(thrown)) throw thrown
      }
    }
  },
})

async function runOnce<R>(
  pool: pg.Pool,
  standby: Standby,
  work: (tx: Db) => Promise<R>,
  opening: Opening | undefined,
): Promise<R> {
  standby.require()
  const client = await connect(pool)
  let isClean = false
  try {
    const tx = toDb(client)
    // One round trip. Were BEGIN refused, what follows it would take effect by itself.
    await answersOf(together(client, () => [begin(client), opening?.(tx)]))
    const result = await work(tx)
    // A COMMIT that is sent now would only wait beside the one that was not confirmed.
    standby.require()
    await finish(client, standby)
    isClean = true
    return result
  } catch (thrown) {
    isClean = !isSilent(thrown) && (await rollBack(client))
    throw thrown
  } finally {
    client.release(!isClean)
  }
}

const begin = (client: pg.PoolClient): Promise<string> =>
  runCommand(client, 'begin').catch(throwTranslated)

/** COMMIT of a transaction that a failed statement aborted succeeds, with the tag ROLLBACK. */
async function finish(client: pg.PoolClient, { doubt }: Standby): Promise<void> {
  const tag = await commit(client, doubt).catch((thrown: unknown) => {
    if (isRefusedCommit(thrown)) throwTranslated(thrown)
    throw new Refusal('outcome_unknown', { because: thrown })
  })
  if (tag !== 'COMMIT') throw new LoggedError(`COMMIT answered ${tag}`)
}

/** The connection is lost or gives no answer: it would give none to ROLLBACK either. */
const isSilent = (thrown: unknown): boolean =>
  thrown instanceof Refusal &&
  thrown.options.because instanceof Error &&
  !isAnswer(thrown.options.because)

const rollBack = (client: pg.PoolClient): Promise<boolean> =>
  runCommand(client, 'rollback').then(
    () => true,
    () => false,
  )

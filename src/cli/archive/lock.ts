// One archive is written or restored at a time, and no texts are erased beside it: they would come
// back with their rows. No books are verified while rows leave or come back: these would look like
// rows that are missing.
import type pg from 'pg'
import type { Address } from '../../database/connections/connect.ts'
import { transaction, type Transactions } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import { PassingStartupError, StartupError } from '../../domain/startup-error.ts'
import { type Archive, lockState } from '../../ledger/archive/state-sql.ts'
import { connectPatiently } from '../database.ts'

/** The key of an advisory lock of a session, which ends with it. */
const key = 7871

/** A proxy between cuts a connection that is silent for long: the lock would end with it. */
const keepAliveMs = 60_000

/**
 * @param isShared any number of runs of `verify` and `erase` have it at once
 * @param work is told whether it has the lock
 */
async function withLock<R>(
  address: Address,
  isShared: boolean,
  work: (isLocked: boolean, client: pg.Client) => Promise<R>,
): Promise<R> {
  const client = await connectPatiently(address)
  // Where it fails, the connection is lost: so does the next look of `whileLocked`.
  const keepAlive = () => void client.query('select').catch(() => {})
  const timer = setInterval(keepAlive, keepAliveMs).unref()
  try {
    const { rows } = await client.query<{ is: boolean }>(
      `select case when $2 then pg_try_advisory_lock_shared($1) else pg_try_advisory_lock($1) end
         as is`,
      [key, isShared],
    )
    return await work(rows[0]?.is === true, client)
  } finally {
    clearInterval(timer)
    await client.end()
  }
}

/** The work is given the connection that has the lock. */
export const besideNoOther = <R>(
  address: Address,
  work: (client: pg.Client) => Promise<R>,
): Promise<R> =>
  withLock(address, false, (isLocked, client) => {
    if (isLocked) return work(client)
    throw new PassingStartupError(
      'Another `strongroom archive`, or `verify` or `erase`, runs: wait for it.',
    )
  })

/**
 * The login of the service can take the lock as well, and may not stop a proof by it: without the
 * lock the work sees by itself that nothing has left or come back.
 */
export const besideArchives = <R>(
  address: Address,
  work: (isLocked: boolean, isStillLocked: () => Promise<boolean>) => Promise<R>,
): Promise<R> =>
  withLock(address, true, (isLocked, client) =>
    work(isLocked, () =>
      client.query('select').then(
        () => isLocked,
        () => false,
      ),
    ),
  )

export const besideNoArchive = <R>(address: Address, work: () => Promise<R>): Promise<R> =>
  withLock(address, true, (isLocked) => {
    if (isLocked) return work()
    throw new PassingStartupError('An archive is written or restored: run this again behind it.')
  })

/**
 * The same database; each transaction looks first whether the lock is still there.
 *
 * @param look asks by the connection that has it
 */
export const whileLocked = <D extends Transactions>(
  db: D,
  client: pg.Client,
  look: (client: pg.Client) => Promise<unknown> = (asked) => asked.query('select'),
): D =>
  guarded(db, async () => {
    await look(client).catch((thrown: unknown) => {
      if (thrown instanceof StartupError) throw thrown
      throw new PassingStartupError('The connection with the lock is lost: run this again.')
    })
  })

/** The same database; each transaction begins with the check. */
const guarded = <D extends Transactions>(db: D, check: (tx: Db) => Promise<void>): D => ({
  ...db,
  runTransaction: (work, opening) =>
    transaction(
      db,
      async (tx) => {
        await check(tx)
        return work(tx)
      },
      opening,
    ),
})

/** The same database; each transaction finds the archive in that state, and keeps it there. */
export const whileInState = <D extends Transactions>(
  db: D,
  id: number,
  state: Archive['state'],
): D =>
  guarded(db, async (tx) => {
    if ((await tx.run(lockState, [id, state])).length > 0) return
    throw new StartupError(
      `The archive is not in the state ${state} any more: another run goes on.`,
    )
  })

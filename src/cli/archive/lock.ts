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
  withLock(address, false, (isLocked, client) =>
    isLocked
      ? work(client)
      : refuseBeside(
          client,
          'Another `strongroom archive`, or `verify` or `erase`, runs: wait for it.',
        ),
  )

/** Any login of the database can take the lock, also that of the service: the session is named. */
async function refuseBeside(client: pg.Client, reason: string): Promise<never> {
  const { rows } = await client.query<{ pid: number; role: string }>(
    `select a.pid, a.usename as role from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objid = $1 and l.classid = 0
       and l.objsubid = 1 and a.datname = current_database() limit 1`,
    [key],
  )
  const [holder] = rows
  const who = holder ? ` The lock is that of session ${holder.pid} of ${holder.role}.` : ''
  throw new PassingStartupError(`${reason}${who}`)
}

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

/** Each transaction of the work looks first whether the lock is still there. */
export const besideNoArchive = <D extends Transactions, R>(
  db: D,
  address: Address,
  work: (db: D) => Promise<R>,
): Promise<R> =>
  withLock(address, true, (isLocked, client) =>
    isLocked
      ? work(whileLocked(db, client))
      : refuseBeside(client, 'An archive is written or restored: run this again behind it.'),
  )

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

// Changes that an administrator alone may make, in a transaction that holds the session.
import type { Db } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { holdAdministrator } from '../gate/live-sessions.ts'
import type { Context } from './route.ts'

/**
 * Runs a change in a transaction that holds the session of its administrator: once the answer to a
 * revocation has been sent, that session changes nothing. Refuses as {@link holdAdministrator}.
 */
export const asAdministrator = <R>(
  { caller, db, service }: Pick<Context, 'caller' | 'db' | 'service'>,
  work: (tx: Db) => Promise<R>,
): Promise<R> =>
  transaction(db, async (tx) => {
    await holdAdministrator(tx, caller, service.clock.now())
    return work(tx)
  })

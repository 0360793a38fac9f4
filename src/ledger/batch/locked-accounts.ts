// Accounts whose row another transaction locks for long, such as one that an operator left open.
// Movements on them are refused; the movements beside them in a batch are not.
import { scheduler } from 'node:timers/promises'
import type { Database } from '../../database/connections/connect.ts'
import { statement } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { accountsOf, type AccountsOfMovement } from '../rules/named-by-movement.ts'

/**
 * The accounts that cannot be locked at this moment, and by which transaction. One that is itself
 * waiting for a lock is left out: it lets go as soon as it has that lock or gives up.
 */
const findHeld = statement(
  'ledger_find_held',
  ['uuid[]'],
  { id: 'uuid', holder: 'text' },
  `with free as materialized (
     select id from accounts where id = any($1) for no key update skip locked
   )
   select a.id, a.xmax::text as holder from accounts a
   where a.id = any($1) and a.id not in (select id from free)
     and not exists (
       select from pg_locks held
       join pg_locks awaited on awaited.pid = held.pid and not awaited.granted
       where held.locktype = 'transactionid' and held.transactionid = a.xmax and held.granted
     )`,
)

export type StuckAccounts = {
  /** Whether an account of the movement was found stuck and has not been seen free since. */
  isKnown(movement: AccountsOfMovement): boolean
  /** Refuses the movement with `unavailable` if the same transaction still locks its account. */
  require(movement: AccountsOfMovement): Promise<void>
  /** Looks for stuck accounts among those of the movements. Never throws. */
  find(movements: readonly AccountsOfMovement[]): Promise<void>
}

/** An account that many transactions lock in turn is locked by another one after this time. */
const secondLookMs = 200

export function stuckAccounts(db: Database): StuckAccounts {
  /** The transaction that locks each account. */
  const known = new Map<string, string>()
  let checking: Promise<void> | undefined

  /** The transaction that locks each account now, unless it waits for another one itself. */
  async function findHolders(ids: Iterable<string>): Promise<Map<string, string>> {
    const rows = await transaction(db, (tx) => tx.run(findHeld, [[...ids]]))
    return new Map(rows.map(({ id, holder }) => [id, holder]))
  }

  async function check(): Promise<void> {
    const holders = await findHolders(known.keys())
    for (const [id, holder] of known) if (holders.get(id) !== holder) known.delete(id)
  }

  const isKnown = (movement: AccountsOfMovement): boolean =>
    accountsOf(movement).some((id) => known.has(id))

  return {
    isKnown,
    async require(movement) {
      // When the check fails, the account stays known.
      checking ??= check()
        .catch(() => {})
        .finally(() => (checking = undefined))
      await checking
      if (isKnown(movement))
        refuse('unavailable', { outage: 'lock', because: 'an account is held' })
    },
    async find(movements) {
      try {
        const before = await findHolders(new Set(movements.flatMap(accountsOf)))
        if (before.size === 0) return
        await scheduler.wait(secondLookMs)
        for (const [id, holder] of await findHolders(before.keys())) {
          if (before.get(id) === holder) known.set(id, holder)
        }
      } catch {
        // Without an answer no account is known to be stuck; the movements are tried one by one.
      }
    },
  }
}

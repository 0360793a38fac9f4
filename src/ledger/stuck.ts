// Accounts whose row another transaction locks for long, such as one that an operator left open.
// Orders on them are refused; the orders beside them in a batch are not.
import { scheduler } from 'node:timers/promises'
import type { Database } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { refuse } from '../domain/errors.ts'
import type { Order } from './order.ts'
import { findHeld } from './sql.ts'

type Accounts = Pick<Order, 'fromAccountId' | 'toAccountId'>

export type StuckAccounts = {
  /** Whether an account of the order was found stuck and has not been seen free since. */
  isKnown(order: Accounts): boolean
  /** Refuses the order with `unavailable` if the same transaction still locks its account. */
  require(order: Accounts): Promise<void>
  /** Looks for stuck accounts among those of the orders. Never throws. */
  find(orders: readonly Accounts[]): Promise<void>
}

/** After this time, an account that many transactions lock in turn is locked by another one. */
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

  const isKnown = ({ fromAccountId, toAccountId }: Accounts): boolean =>
    known.has(fromAccountId) || known.has(toAccountId)

  return {
    isKnown,
    async require(order) {
      // When the check fails, the account stays known.
      checking ??= check()
        .catch(() => {})
        .finally(() => (checking = undefined))
      await checking
      if (isKnown(order)) refuse('unavailable', { because: 'an account is held' })
    },
    async find(orders) {
      try {
        const ids = orders.flatMap(({ fromAccountId, toAccountId }) => [fromAccountId, toAccountId])
        const before = await findHolders(new Set(ids))
        if (before.size === 0) return
        await scheduler.wait(secondLookMs)
        for (const [id, holder] of await findHolders(before.keys())) {
          if (before.get(id) === holder) known.set(id, holder)
        }
      } catch {
        // Without an answer no account is known to be stuck; the orders are tried one by one.
      }
    },
  }
}

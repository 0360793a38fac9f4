// Accounts whose row a transaction from outside holds for long, such as an operator's that is left
// open. Orders on them are refused; the orders beside them in a batch are not.
import { scheduler } from 'node:timers/promises'
import type { Database } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { refuse } from '../domain/errors.ts'
import type { Order } from './order.ts'
import { findHeld } from './sql.ts'

type Pair = Pick<Order, 'fromAccountId' | 'toAccountId'>

export type StuckAccounts = {
  /** Whether an account of the order was found stuck and has not been seen free since. */
  isKnown(order: Pair): boolean
  /** Refuses the order with `unavailable` if its account is still held by the same transaction. */
  require(order: Pair): Promise<void>
  /** Looks for stuck accounts among those of the orders. Never throws. */
  find(orders: readonly Pair[]): Promise<void>
}

/** An account that many transactions hold in turn has changed hands by then. */
const secondLookAfterMs = 200

export function stuckAccounts(db: Database): StuckAccounts {
  /** The transaction that holds each account. */
  const known = new Map<string, string>()
  let checking: Promise<void> | undefined

  /** The holder of each account that is held now by a transaction that waits for no other. */
  async function held(ids: Iterable<string>): Promise<Map<string, string>> {
    const rows = await transaction(db, (tx) => tx.run(findHeld, [[...ids]]))
    return new Map(rows.map(({ id, holder }) => [id, holder]))
  }

  async function check(): Promise<void> {
    const now = await held(known.keys())
    for (const [id, holder] of known) if (now.get(id) !== holder) known.delete(id)
  }

  const isKnown = ({ fromAccountId, toAccountId }: Pair): boolean =>
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
        const before = await held(new Set(ids))
        if (before.size === 0) return
        await scheduler.wait(secondLookAfterMs)
        for (const [id, holder] of await held(before.keys())) {
          if (before.get(id) === holder) known.set(id, holder)
        }
      } catch {
        // Without an answer no account is known to be stuck; the orders are tried one by one.
      }
    },
  }
}

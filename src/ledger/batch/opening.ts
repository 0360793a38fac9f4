// What the accounts of another bank begin with here: one posting of each, from the bank's account
// `opening`. They are booked in the transaction that makes the accounts, so that none is seen
// without its money.
import { Refusal } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Currency } from '../../domain/money.ts'
import type { Db } from '../../database/statements/statement.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { MovementCaller, MovementOf } from '../rules/movement.ts'
import {
  type LockedAccount,
  lockAccounts,
  type NewTransfer,
  writeBatch,
} from '../rows/transfers.ts'
import { BooksAhead, timeOf } from './facts.ts'
import { planBooking } from './plan-booking.ts'

export type OpeningBalance = {
  accountId: string
  /** Minor units; negative of an account that is overdrawn. Not zero. */
  amount: bigint
  currency: Currency
  reference: string
}

/** Who books them: the event of the audit trail that records the import. */
const callerOf = (eventId: string): MovementCaller => ({
  userId: eventId,
  sessionId: eventId,
  kid: null,
  role: 'admin',
})

function toMovement(opening: OpeningBalance, caller: MovementCaller): MovementOf<'correction'> {
  const { accountId, amount, currency, reference } = opening
  const own = bankAccount('opening', currency)
  const [fromAccountId, toAccountId] = amount > 0n ? [own, accountId] : [accountId, own]
  const terms = { amount: amount > 0n ? amount : -amount, currency, reference, caller }
  return { kind: 'correction', fromAccountId, toAccountId, ...terms }
}

/**
 * Books them in turn, by the rules of every posting. Throws the {@link Refusal} of the first one
 * that is refused: nothing of the transaction may be kept then.
 *
 * @param tx of the caller, who commits it
 * @param now by the database's clock, after the first of these batches
 */
export async function bookOpenings(
  tx: Db,
  openings: readonly OpeningBalance[],
  { now, day, eventId }: { now: number; day: string; eventId: string },
): Promise<void> {
  const caller = callerOf(eventId)
  const movements = openings.map((opening) => toMovement(opening, caller))
  const ids = new Set(movements.flatMap((each) => [each.fromAccountId, each.toAccountId]))
  const rows = await lockAccounts(tx, [...ids])
  const accounts = new Map<string, LockedAccount>(rows.map((row) => [row.id, row]))
  const transfers: NewTransfer[] = []
  for (const movement of movements) {
    const from = accounts.get(movement.fromAccountId)
    const to = accounts.get(movement.toAccountId)
    if (!from || !to) throw new Refusal('not_found')
    const at = timeOf(now, 0, from, to)
    if (at === undefined) {
      throw new Refusal('unavailable', { outage: 'clock', because: new BooksAhead() })
    }
    const planned = planBooking(movement, { from, to, at, day })
    if (typeof planned !== 'function') throw new Refusal(planned.code)
    const { accounts: after = [], transfer } = planned(newId(at))
    for (const account of after) accounts.set(account.id, account)
    if (transfer) transfers.push(transfer)
  }
  await writeBatch(tx, transfers, [...accounts.values()], false)
}

// Reads what was found by its identifiers: payments, payments by card, holds, and what was refused.
import type { Db } from '../../database/statements/statement.ts'
import { readTransfers } from '../../ledger/rows/transfers.ts'
import { readHolds } from '../../ledger/rows/holds.ts'
import { toCardPayment } from '../card-payments/schemas.ts'
import { paymentsOf } from '../card-payments/sql.ts'
import { toHold } from '../holds/schemas.ts'
import { addDetails, addPayers } from '../movements/details.ts'
import { toTransfer, type WithCalendar } from '../movements/schemas.ts'
import { refusedByIds } from './refused-sql.ts'
import { type ShownPayment, toRefusedPayment } from './schemas.ts'

/** Newest first. An authorisation that raises a payment stands for that one. */
export async function readFound(
  { db, service }: { db: Db; service: WithCalendar },
  ids: readonly string[],
): Promise<ShownPayment[]> {
  if (ids.length === 0) return []
  const [transfers, cardPayments, holds, refused] = await Promise.all([
    readTransfers(db, [...ids]).then((rows) => addDetails(db, rows)),
    paymentsOf(db, ids),
    readHolds(db, [...ids]),
    refusedByIds(db, ids),
  ])
  const paid = new Set(cardPayments.map(({ id }) => id))
  const found: ShownPayment[] = [
    ...(await addPayers(db, transfers)).map((row) => ({
      id: row.id,
      transfer: toTransfer(row, 'staff', service),
    })),
    ...cardPayments.map((row) => ({ id: row.id, cardPayment: toCardPayment(row) })),
    // A payment by card is a hold too, under its own identifier.
    ...holds.filter(({ id }) => !paid.has(id)).map((row) => ({ id: row.id, hold: toHold(row) })),
    ...refused.map((row) => ({ id: row.id, refused: toRefusedPayment(row) })),
  ]
  return found.toSorted((one, other) => (one.id < other.id ? 1 : -1))
}

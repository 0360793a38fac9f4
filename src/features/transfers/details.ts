// Transfers with the details that few of them have: those of payments from other banks, and why a
// payment came back.
import type { Db } from '../../database/statement.ts'
import { readDetails } from '../../ledger/details.ts'
import type { Transfer, TransferDetails } from '../../ledger/order.ts'

export type DetailedTransfer = Transfer & { details?: TransferDetails }

/** The transfer that has the details of this one: of a returned payment what brought it back. */
function detailedId({ id, kind, status, reversedBy }: Transfer): string | null {
  if (kind === 'incoming' || kind === 'return') return id
  return status === 'returned' ? reversedBy : null
}

/** Reads nothing for transfers that have none. */
export async function addDetails(db: Db, rows: readonly Transfer[]): Promise<DetailedTransfer[]> {
  const ids = rows.flatMap((row) => detailedId(row) ?? [])
  if (ids.length === 0) return [...rows]
  const found = new Map((await readDetails(db, ids)).map((row) => [row.transferId, row]))
  return rows.map((row) => {
    const details = found.get(detailedId(row) ?? '')
    return details ? { ...row, details } : row
  })
}

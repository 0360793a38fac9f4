// Whether a transfer agrees with its entries, with what brought it back, and with what numbers it.
import type { Db, RowOf } from '../../database/statements/statement.ts'
import { firstId } from '../../domain/ids.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import { canBeNumbered, goesElsewhere, isBack, isCaptureKind } from '../rules/movement.ts'
import { readAhead, rowsPerPage } from './verify-pages.ts'
import { readTransferPage } from './verify-sql.ts'

type Transfer = RowOf<typeof readTransferPage.gives>

/**
 * The first flaw, in words, and what was counted.
 *
 * @param before below this identifier the entries are not looked up
 */
export async function findFlawOfTransfers(db: Db, before: string) {
  const counts = { transfers: 0, erased: 0, countBefore: 0 }
  const read = (last?: { id: string }) =>
    db.run(readTransferPage, [last?.id ?? firstId, rowsPerPage, before])
  for await (const page of readAhead(read)) {
    for (const row of page) {
      const flaw = findTransferFlaw(row)
      if (flaw !== undefined) return { ...counts, flaw: `Transfer ${row.id}: ${flaw}` }
      if (row.isErased) counts.erased++
      if (row.id < before) counts.countBefore++
    }
    counts.transfers += page.length
  }
  return { ...counts, flaw: undefined }
}

/** What is wrong with a transfer; undefined: nothing. */
function findTransferFlaw(row: Transfer): string | undefined {
  if (!row.isDebited || !row.isCredited) return 'one of its two entries is missing'
  if (row.status !== computeStatus(row) || !row.hasItsMarks) return 'its status is wrong'
  if (row.isOfHold !== isCaptureKind(row.kind)) return 'it captures no hold'
  if (row.isOfCard !== (row.kind === 'refund')) return 'it refunds no card payment'
  if (row.isChargeback !== (row.kind === 'chargeback')) return 'it charges no card payment back'
  if (row.isTakeback !== (row.kind === 'takeback')) return 'it ends no chargeback'
  if (!isRightlyNumbered(row)) return 'its external identifier is missing or wrong'
  if (row.backKind !== null && !(row.isBackWhole && isBackWhereItBelongs(row))) {
    return 'what came back is something else'
  }
  if (!row.isErasedWhole) return 'its texts are erased in part'
  const isRecorded = !row.isErased || row.isErasureRecorded
  return isRecorded ? undefined : 'its texts were erased without a record'
}

/**
 * A payment has the number of the caller that sent it, and of the one that settled it. A booking
 * has the number of its caller.
 */
function isRightlyNumbered(row: Transfer): boolean {
  const { kind, isSent, isSettled, numberedBy, callerId, isSettlementNumbered } = row
  if (isSettlementNumbered && !isSettled) return false
  if (kind === 'transfer' || goesElsewhere(row)) return isSent === (numberedBy !== null)
  if (numberedBy === null) return kind !== 'incoming'
  return canBeNumbered(kind) && numberedBy === callerId
}

/** A return for a closed account is in suspense. */
const isBackWhereItBelongs = ({ backKind, backToId, fromAccountId, currency }: Transfer): boolean =>
  backToId === fromAccountId ||
  (backKind === 'return' && backToId === bankAccount('suspense', currency))

/** The status that follows from all that is in the books; undefined when that cannot be. */
function computeStatus(row: Transfer): string | undefined {
  const { kind, backKind, isSent, isSettled, toAccountId, currency } = row
  if (!goesElsewhere(row)) {
    // Out of suspense, money from another bank is sent back there.
    const isSentBack =
      kind === 'incoming' &&
      backKind === 'return' &&
      toAccountId === bankAccount('suspense', currency)
    const isRight =
      backKind === null ||
      isSentBack ||
      (backKind === 'takeback' ? kind === 'chargeback' : backKind === 'reversal' && !isBack(kind))
    return isRight && !isSent && !isSettled ? 'completed' : undefined
  }
  if (backKind === 'return') return 'returned'
  if (backKind === 'cancellation') return isSent || isSettled ? undefined : 'cancelled'
  if (isSettled) return 'completed'
  // Only what has arrived is reversed.
  if (backKind !== null) return undefined
  return isSent ? 'sent' : 'pending'
}

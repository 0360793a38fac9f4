// What holds, authorisations and cards say of each other, of the books and of the trail.
import { readDays } from '../../database/background/bank-days.ts'
import type { Db, RowOf } from '../../database/statements/statement.ts'
import type { Days } from '../../domain/days.ts'
import { isMadeAt } from '../../domain/ids.ts'
import { type Hold as HoldRow, tellHoldTerms } from '../rules/holds.ts'
import {
  readAuthorizationPage,
  readCardPage,
  readChargebackEndPage,
  readHoldPage,
} from './verify-holds-sql.ts'
import { findFirstFlaw, newOf, rowsPerPage } from './verify-pages.ts'
import type { Since } from './verify-since.ts'
import type { HasEventsOf } from './verify-trail.ts'

type Hold = RowOf<typeof readHoldPage.gives>
type Authorization = RowOf<typeof readAuthorizationPage.gives>
type Card = RowOf<typeof readCardPage.gives>

/** The first thing that is not as it has to be, in words, or undefined. */
export async function findMismatchOfHolds(
  db: Db,
  hasEventsOf: HasEventsOf,
  since: Since,
): Promise<string | undefined> {
  const days = await readDays(db)
  const mismatchOfHold = (hold: Hold): string | undefined => {
    const flaw =
      findFlawOfAmounts(hold) ?? findFlawOfOrder(hold, hasEventsOf) ?? findFlawOfDay(hold, days)
    return flaw && `Hold ${hold.id}: ${flaw}`
  }
  const authorizationsBehind = (after: string) =>
    db.run(readAuthorizationPage, [after > since.id ? after : since.id, rowsPerPage])
  const cardsBehind = (after: string) => db.run(readCardPage, [after, rowsPerPage, since.at])
  return (
    (await findFirstFlaw(newOf(db, readHoldPage, since), mismatchOfHold)) ??
    (await findFirstFlaw(authorizationsBehind, mismatchOfAuthorization)) ??
    (await findFirstFlaw(cardsBehind, mismatchOfCard)) ??
    (await findFirstFlaw(newOf(db, readChargebackEndPage, since), (row) =>
      mismatchOfEnd(row, hasEventsOf),
    ))
  )
}

/** The amounts of a hold agree with its transfers. */
function findFlawOfAmounts(hold: Hold): string | undefined {
  const { captured, capturedByTransfers, isRightlyCaptured, isOfAccount } = hold
  if (captured !== capturedByTransfers) {
    return `${captured} were captured, its transfers say ${capturedByTransfers}`
  }
  const back = hold.refundedByTransfers + hold.chargedBack
  if (!hold.isRightlyRefunded || !hold.isRightlyChargedBack || back > captured) {
    return 'what came back of it is not what was captured'
  }
  if (!hold.isRightlyAuthorized) return 'it is another card payment than was approved'
  if (!isRightlyCaptured || !isOfAccount) return 'it is of another account or kind'
  const left = hold.status === 'active' ? hold.amount - captured : 0n
  return hold.remaining === left ? undefined : `${hold.remaining} of it remain, not ${left}`
}

/** A hold was ordered and has ended as its authorisations, its captures and the trail say. */
function findFlawOfOrder(hold: Hold, hasEventsOf: HasEventsOf): string | undefined {
  if (!isMadeAt(hold.id, hold.createdAt)) return 'it was not placed at that time'
  if (!hasRightTerms(hold, hasEventsOf)) return 'its terms are not those that were ordered'
  return hasRightEnd(hold, hasEventsOf) ? undefined : 'it has not ended in that way, or then'
}

/**
 * A card payment has what was authorised; another hold, and a card payment that was changed later,
 * what its last event says. An event of 0.3.0 tells no terms.
 */
function hasRightTerms(hold: Hold, hasEventsOf: HasEventsOf): boolean {
  const { isOfCard, amount, expiresAt, authorized, authorizedUntil, changes, placing } = hold
  if (isOfCard && amount === authorized && expiresAt?.getTime() === authorizedUntil?.getTime()) {
    return true
  }
  const isPlaced = isOfCard || (placing !== null && hold.placedBy === hold.callerId)
  const isKnown = isPlaced && (changes !== null || !isOfCard)
  if (!isKnown) return !hasEventsOf(hold.createdAt)
  const told = changes?.split('\n') ?? [placing?.slice(`hold ${hold.id}: `.length) ?? '']
  const terms = tellHoldTerms(hold as typeof hold & HoldRow)
  return told.some((each) => each === terms || !tellsTerms(each))
}

/** See {@link tellHoldTerms}. */
const tellsTerms = (detail: string): boolean => detail.includes(' of ')

function hasRightEnd(hold: Hold, hasEventsOf: HasEventsOf): boolean {
  const { status, endedAt, expiresAt, lastCapturedAt } = hold
  if (endedAt === null) return status === 'active'
  if (status === 'expired') return endedAt.getTime() === expiresAt?.getTime()
  if (status === 'captured') return endedAt.getTime() === lastCapturedAt?.getTime()
  return status === 'released' && (hold.isReleaseRecorded || !hasEventsOf(endedAt))
}

/** What of a card payment counts to the limit of a day agrees with what was authorised. */
function findFlawOfDay(hold: Hold, days: Days): string | undefined {
  const counts = countsOf(hold, days)
  const { counted, countedOn } = hold
  if (counted !== counts.amount || countedOn !== counts.day) {
    return `it counts ${counted} on ${countedOn}, not ${counts.amount} on ${counts.day}`
  }
  return hold.isCounted ? undefined : 'its card does not count it'
}

/** What was authorised on the last day of a payment, as far as it is held or was taken. */
function countsOf({ approvals, captured, unheld, remaining }: Hold, days: Days) {
  const made = (approvals?.split(',') ?? []).map((approval) => {
    const [amount = '', at = ''] = approval.split(' ')
    return { amount: BigInt(amount), day: days.dayOf(Number.parseInt(at, 10)) }
  })
  const day = made.reduce((last, one) => (one.day > last ? one.day : last), '')
  const authorized = made.reduce((sum, one) => (one.day === day ? sum + one.amount : sum), 0n)
  const kept = captured - unheld + remaining
  return { day: day === '' ? null : day, amount: authorized < kept ? authorized : kept }
}

function mismatchOfAuthorization(row: Authorization): string | undefined {
  const { id, createdAt, isNumbered, isOfCard, isOfPayment } = row
  const where = `Authorization ${id}`
  if (!isOfCard || !isOfPayment) return `${where}: it is of another card, account or payment`
  if (!row.isErasedWhole) return `${where}: its merchant is erased in part`
  if (!isNumbered) return `${where}: its external identifier is missing`
  return isMadeAt(id, createdAt) ? undefined : `${where}: it was not asked for at that time`
}

function mismatchOfEnd(
  { id, endedAt, isTakenBack, isRecorded }: RowOf<typeof readChargebackEndPage.gives>,
  hasEventsOf: HasEventsOf,
): string | undefined {
  const isRight = isTakenBack && (isRecorded || !hasEventsOf(endedAt))
  return isRight ? undefined : `Chargeback ${id}: it has not ended in that way, or then`
}

const mismatchOfCard = ({ id, spentAmount, spentByHolds }: Card) =>
  spentAmount === spentByHolds
    ? undefined
    : `Card ${id}: ${spentAmount} count to the limit of its day, its payments say ${spentByHolds}`

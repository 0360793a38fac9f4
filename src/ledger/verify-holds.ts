// What holds, authorisations and cards say of each other and of the books, read in pages by key.
import { readDays } from '../database/bank-days.ts'
import { type Columns, type Db, type RowOf, type Statement } from '../database/statement.ts'
import type { Days } from '../domain/days.ts'
import { firstId } from '../domain/ids.ts'
import { readAuthorizationPage, readCardPage, readHoldPage } from './verify-sql.ts'

const rowsPerPage = 5000n

type Hold = RowOf<typeof readHoldPage.gives>
type Authorization = RowOf<typeof readAuthorizationPage.gives>
type Card = RowOf<typeof readCardPage.gives>

/** The first thing that is not as it has to be, in words, or undefined. */
export async function findMismatchOfHolds(db: Db): Promise<string | undefined> {
  const days = await readDays(db)
  return (
    (await findIn(db, readHoldPage, (row) => mismatchOfHold(row, days))) ??
    (await findIn(db, readAuthorizationPage, mismatchOfAuthorization)) ??
    (await findIn(db, readCardPage, mismatchOfCard))
  )
}

type Pages<G extends Columns> = Statement<readonly ['uuid', 'int8'], G & { id: 'uuid' }>

async function findIn<G extends Columns>(
  db: Db,
  read: Pages<G>,
  mismatchOf: (row: RowOf<G & { id: 'uuid' }>) => string | undefined,
): Promise<string | undefined> {
  for (let after: string | undefined = firstId; after !== undefined;) {
    const page: RowOf<G & { id: 'uuid' }>[] = await db.run(read, [after, rowsPerPage])
    for (const row of page) {
      const mismatch = mismatchOf(row)
      if (mismatch !== undefined) return mismatch
    }
    after = page.at(-1)?.id
  }
  return undefined
}

/** The amounts of a hold agree with its transfers and with what was authorised. */
function mismatchOfHold(row: Hold, days: Days): string | undefined {
  const { captured, capturedByTransfers, isRightlyCaptured, isOfAccount } = row
  const where = `Hold ${row.id}`
  if (captured !== capturedByTransfers) {
    return `${where}: ${captured} were captured, its transfers say ${capturedByTransfers}`
  }
  if (!row.isRightlyRefunded || row.refundedByTransfers > captured) {
    return `${where}: what came back of it is not what was captured`
  }
  if (!row.isRightlyAuthorized) return `${where}: it is another card payment than was approved`
  if (!isRightlyCaptured || !isOfAccount) return `${where}: it is of another account or kind`
  const left = row.status === 'active' ? row.amount - captured : 0n
  if (row.remaining !== left) return `${where}: ${row.remaining} of it remain, not ${left}`
  const counts = countsOf(row, days)
  const { counted, countedOn } = row
  if (counted !== counts.amount || countedOn !== counts.day) {
    return `${where}: it counts ${counted} on ${countedOn}, not ${counts.amount} on ${counts.day}`
  }
  return row.isCounted ? undefined : `${where}: its card does not count it`
}

/** What was authorised on the last day of a payment, as far as it is held or was taken. */
function countsOf({ approvals, captured, remaining }: Hold, days: Days) {
  const made = (approvals?.split(',') ?? []).map((approval) => {
    const [amount = '', at = ''] = approval.split(' ')
    return { amount: BigInt(amount), day: days.dayOf(Number.parseInt(at, 10)) }
  })
  const day = made.reduce((last, one) => (one.day > last ? one.day : last), '')
  const authorized = made.reduce((sum, one) => (one.day === day ? sum + one.amount : sum), 0n)
  const kept = captured + remaining
  return { day: day === '' ? null : day, amount: authorized < kept ? authorized : kept }
}

const mismatchOfAuthorization = ({ id, isOfCard, isOfPayment }: Authorization) =>
  isOfCard && isOfPayment
    ? undefined
    : `Authorization ${id}: it is of another card, account or payment`

const mismatchOfCard = ({ id, spentAmount, spentByHolds }: Card) =>
  spentAmount === spentByHolds
    ? undefined
    : `Card ${id}: ${spentAmount} count to the limit of its day, its payments say ${spentByHolds}`

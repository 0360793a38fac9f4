// A statement as pages of JSON.
import type { Days } from '../../domain/days.ts'
import { type Db, one } from '../../database/statements/statement.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { formatAmount } from '../../domain/money.ts'
import { requireStillInBooks } from '../../gate/archived.ts'
import type { Cursors } from '../../http/pagination.ts'
import { toTransaction } from '../movements/schemas.ts'
import { type PeriodQuery, toPeriod } from './period.ts'
import { findSpan, isOlderElsewhere, type Period, readEntriesPage, type Span } from './rows.ts'
import { readHeading } from './sql.ts'

export const entriesPerPageMax = 1000

/** A position in a statement: the next entry, in a period whose bounds the first page has found. */
type Place = Period & Span & { next: bigint }

async function firstPlace(db: Db, accountId: string, period: Period): Promise<Place> {
  const span = await findSpan(db, accountId, period)
  return { ...period, ...span, next: span.first }
}

/**
 * Cursors carry the bounds that the first page has found, so that all pages show the same entries
 * and balances, whatever is posted meanwhile.
 */
const formatPlace = ({ from, end, first, endSeq, next }: Place): string =>
  [from, end, first, endSeq, next].join(' ')

function parsePlace(text: string): Place {
  const parts = text.split(' ')
  const [from = 0, end = 0] = parts.slice(0, 2).map((part) => Number.parseInt(part, 10))
  const [first = 1n, endSeq = 1n, next = 1n] = parts.slice(2).map(BigInt)
  return { from, end, first, endSeq, next }
}

type PageRequest = {
  accountId: string
  isOfBank: boolean
  query: PeriodQuery & { cursor?: string }
  now: number
  days: Days
  cursors: Cursors
}

/** The first page of a period, or the page of a cursor, without the account. */
export async function readStatementPage(db: Db, request: PageRequest) {
  const { accountId, isOfBank, query, now, days, cursors } = request
  const list = ['statement', accountId, query.from, query.to]
  const place =
    query.cursor === undefined
      ? await firstPlace(db, accountId, await toPeriod(db, accountId, query, { now, days }))
      : parsePlace(cursors.read(list, query.cursor))
  const { from, end, first, endSeq, next } = place
  const [account, { rows, next: following }] = await Promise.all([
    one(db, readHeading, [accountId, first, endSeq, new Date(end - 1), isOfBank]),
    readEntriesPage(db, accountId, { first: next, endSeq }, BigInt(entriesPerPageMax)),
  ])
  await requireStillInBooks(db, accountId, from)
  const { iban, currency, opening, closing, createdAt } = account ?? refuse('not_found')
  const older = { ...place, days, openedAt: createdAt }
  const rest = { ...place, next: following }
  return {
    iban,
    currency,
    from: rfc3339(from),
    to: rfc3339(end - 1),
    openingBalance: formatAmount(opening, currency),
    closingBalance: formatAmount(closing, currency),
    entries: rows.map((row) => toTransaction(row, currency)),
    nextCursor: following < endSeq ? cursors.write(list, formatPlace(rest)) : null,
    ...((await isOlderElsewhere(db, accountId, older)) && {
      formerEntries: `/api/v1/accounts/${accountId}/former-entries`,
    }),
  }
}

// The content of a statement file: a heading and entries of one snapshot, checked to add up.
import type { Static } from '../../domain/type.ts'
import { type Db, one, type RowOf } from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import type { Days } from '../../domain/days.ts'
import { addDays } from '../../domain/calendar/rhythm.ts'
import { refuse } from '../../domain/errors.ts'
import { requireInBooks } from '../../gate/archived.ts'
import { defaultLanguage, isLanguage, type Language } from '../../domain/languages.ts'
import type { Currency } from '../../domain/money.ts'
import type { Channel } from '../../ledger/rules/authorizations.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { toEndToEndId, toTransaction, type Transaction } from '../movements/schemas.ts'
import { LoggedError } from '../../domain/logged-error.ts'
import {
  hasFormerEntries,
  listDetails,
  listStatementEntries,
  readHeading,
  readSpan,
  readTotals,
} from './sql.ts'

/** Milliseconds since the epoch; `end` is the first moment after the period. */
export type Period = { from: number; end: number }

/** What tells an account from the others of its holder: the end of its IBAN, or its code. */
export const endingOf = ({ iban, isOfBank }: Pick<Heading, 'iban' | 'isOfBank'>): string =>
  isOfBank ? iban : iban.slice(-4)

/** Amounts in `units` are minor units of the currency. */
export type Total = { count: number; units: bigint }

export type StatementRequest = Period & {
  accountId: string
  /** One of the bank's own accounts: its code and currency stand in place of an IBAN. */
  isOfBank: boolean
  callerId: string
  bankName: string
  bic: string | undefined
  now: number
  requestId: string
  /** Whether the entries have to say what their transfers are of: a look-up of each. */
  tellsDetails: boolean
  /** Those of the bank. */
  days: Days
  /** A program gets the names of columns that it knows. */
  isProgram: boolean
  /** The language of a CSV file that a spreadsheet opens; undefined: a program reads it. */
  spreadsheet: Language | undefined
}

type Named = 'from' | 'end' | 'isOfBank' | 'bankName' | 'bic' | 'requestId' | 'days' | 'spreadsheet'

export type Heading = Pick<StatementRequest, Named> & {
  /** The language of the words of a file. */
  language: Language
  holder: string
  iban: string
  currency: Currency
  opening: bigint
  closing: bigint
  credits: Total
  debits: Total
  /**
   * Milliseconds since the epoch. A closed statement was issued when it was closed: each later
   * request gets the same bytes.
   */
  issuedAt: number
  /** Its period is over for an hour: no entry of it is still to come. */
  isClosed: boolean
  /** `2026-10` for a calendar month, else the first and the last day of the period. */
  label: string
  /** 1 for the month in which the account was opened; null unless its month is over for an hour. */
  number: number | null
  /** The former bank of the account booked something in the period: no part of this statement. */
  isOlderElsewhere: boolean
}

export type Entry = Static<typeof Transaction> & {
  seq: bigint
  /** Milliseconds since the epoch. */
  bookedAt: number
  units: bigint
  balanceUnits: bigint
  /** False when it went to an account at another bank, if the request asks for that. */
  isInternal: boolean
  /** What a payment from or to another bank has, and what brought one back, if it is asked for. */
  endToEndId?: string | undefined
  bic?: string | undefined
  reasonCode?: string | undefined
  /** Likewise the standing order of a run, for the account that pays, and how a card was used. */
  orderId?: string | undefined
  channel?: Channel | undefined
}

export type StatementFile = {
  heading: Heading
  batches: AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>
}

/** Sequence numbers of the period's entries: from `first` to before `endSeq`. */
export type Span = { first: bigint; endSeq: bigint }

/** Refuses with `not_found` an account that does not exist, and with `archived` an old period. */
export async function findSpan(db: Db, accountId: string, { from, end }: Period): Promise<Span> {
  const span = await one(db, readSpan, [accountId, new Date(from), new Date(end)])
  const first = span?.first ?? refuse('not_found')
  await requireInBooks(db, from, span?.archivedAt)
  return { first, endSeq: span?.end ?? first }
}

/**
 * Whether the former bank of an account booked something in the period. All of it is older than the
 * account, so statements of other periods do not ask.
 */
export async function isOlderElsewhere(
  db: Db,
  accountId: string,
  { from, end, days, openedAt }: Period & { days: Days; openedAt: Date },
): Promise<boolean> {
  // None is before 1970, and PostgreSQL has no day of the year 0, which zones show at first times.
  if (from >= openedAt.getTime() || end <= -dayMs) return false
  const bounds = [days.dayOf(Math.max(from, -dayMs)), days.dayOf(end - 1)] as const
  return (await one(db, hasFormerEntries, [accountId, ...bounds]))?.found ?? false
}

/**
 * A page of the entries that move money from `first` to before `endSeq`, and where the next one
 * begins: `endSeq` after the last. An entry that is left out has a sequence number too, so a page
 * goes on at the first entry that it does not have, and not after as many as it has.
 */
export async function readEntriesPage(
  db: Db,
  accountId: string,
  { first, endSeq }: Span,
  countMax: bigint,
): Promise<{ rows: RowOf<typeof listStatementEntries.gives>[]; next: bigint }> {
  const rows = await db.run(listStatementEntries, [accountId, first, endSeq, countMax + 1n])
  const following = BigInt(rows.length) > countMax ? rows.pop() : undefined
  return { rows, next: following?.seq ?? endSeq }
}

/** Reads the heading and prepares the entries. Refuses an account that does not exist. */
export async function readStatementFile(
  db: Db,
  { accountId, now, tellsDetails, ...request }: StatementRequest,
): Promise<StatementFile> {
  const closedAt = request.end + settleMs
  const isClosed = closedAt <= now
  const { first, endSeq } = await findSpan(db, accountId, request)
  const bounds: [string, bigint, bigint] = [accountId, first, endSeq]
  const lastAt = new Date(request.end - 1)
  const row =
    (await one(db, readHeading, [...bounds, lastAt, request.isOfBank])) ?? refuse('not_found')
  const totals = (await one(db, readTotals, bounds)) ?? refuse('not_found')
  const credits = { count: totals.creditCount, units: BigInt(totals.creditSum) }
  const debits = { count: totals.debitCount, units: BigInt(totals.debitSum) }
  if (row.opening + credits.units - debits.units !== row.closing) refuseToIssue(accountId)
  const heading: Heading = {
    ...request,
    language: toLanguage(row.language, request.isProgram),
    holder: row.holder,
    iban: row.iban,
    currency: row.currency,
    opening: row.opening,
    closing: row.closing,
    credits,
    debits,
    issuedAt: isClosed ? closedAt : now,
    isClosed,
    ...identifyPeriod(request, row.createdAt.getTime(), isClosed),
    isOlderElsewhere: await isOlderElsewhere(db, accountId, {
      ...request,
      openedAt: row.createdAt,
    }),
  }
  const span = { first, endSeq }
  return { heading, batches: readEntries(db, accountId, heading, { ...span, tellsDetails }) }
}

/**
 * That of the holder, whoever asks: a file of a period that is over is the same for all people. A
 * program reads the default.
 */
export const toLanguage = (chosen: string | null, isProgram: boolean): Language =>
  chosen !== null && isLanguage(chosen) && !isProgram ? chosen : defaultLanguage

/** The service holds at most this many entries of a statement in memory. */
const batchSize = 500n

/**
 * Reads the entries of a snapshot in pages by primary key. PostgreSQL would plan one long query as
 * a scan of all transfers.
 */
async function* readEntries(
  db: Db,
  accountId: string,
  { opening, closing, currency }: Heading,
  { first, endSeq, tellsDetails }: Span & { tellsDetails: boolean },
): AsyncGenerator<readonly Entry[]> {
  const clearing = bankAccount('clearing', currency)
  let balance = opening
  for (let next = first; next < endSeq;) {
    const page = await readEntriesPage(db, accountId, { first: next, endSeq }, batchSize)
    const { rows } = page
    next = page.next
    const ids = tellsDetails ? rows.map(({ transferId }) => transferId) : []
    const found = ids.length === 0 ? [] : await db.run(listDetails, [ids, clearing])
    const details = new Map(found.map((row) => [row.id, row]))
    yield rows.map((row): Entry => {
      balance += row.amount
      if (row.balanceAfter !== balance) refuseToIssue(accountId)
      return {
        ...toTransaction(row, currency),
        seq: row.seq,
        bookedAt: row.createdAt.getTime(),
        units: row.amount,
        balanceUnits: balance,
        isInternal: !details.get(row.transferId)?.isElsewhere,
        ...toReferences(row, details.get(row.transferId)),
      }
    })
  }
  if (balance !== closing) refuseToIssue(accountId)
}

/** What the transfer of an entry refers to: of other banks, of an order, of a card. */
function toReferences(
  { kind, amount }: RowOf<typeof listStatementEntries.gives>,
  row: RowOf<typeof listDetails.gives> | undefined,
): Pick<Entry, 'endToEndId' | 'bic' | 'reasonCode' | 'orderId' | 'channel'> {
  if (!row) return {}
  const { id, isElsewhere, reversalOf, endToEndId, bic, reasonCode, orderId, channel } = row
  const isSentBack = kind === 'return' || kind === 'cancellation'
  const paidId = kind === 'transfer' && isElsewhere ? id : isSentBack ? reversalOf : null
  const own = paidId === null ? undefined : toEndToEndId(paidId)
  return {
    endToEndId: endToEndId ?? own,
    bic: bic ?? undefined,
    reasonCode: reasonCode ?? undefined,
    orderId: amount < 0n && orderId !== null ? orderId : undefined,
    channel: channel ?? undefined,
  }
}

/** No statement is issued whose figures do not add up; `strongroom verify` finds the entry. */
function refuseToIssue(accountId: string): never {
  throw new LoggedError(`The entries of account ${accountId} do not add up to its balances`)
}

/**
 * Entries are dated before they are committed, and the COMMIT may wait for a standby. A statement
 * with a number never changes, so it is given this long after the end of its month.
 */
export const settleMs = 3_600_000

function identifyPeriod(
  { from, end, days }: Period & { days: Days },
  openedAt: number,
  isClosed: boolean,
): Pick<Heading, 'label' | 'number'> {
  const [first, last] = [days.dayOf(from), days.dayOf(end - 1)]
  const month = first.slice(0, 7)
  // The first day of the next month is at most 31 days after that of this one.
  const next = `${addDays(`${month}-01`, 31).slice(0, 7)}-01`
  const isMonth = from === days.startOf(`${month}-01`) && end === days.startOf(next)
  if (!isMonth) return { label: `${first}-${last}`, number: null }
  const number = toMonthNumber(first) - toMonthNumber(days.dayOf(openedAt)) + 1
  return { label: month, number: isClosed && number > 0 ? number : null }
}

function toMonthNumber(day: string): number {
  const [year = 0, month = 0] = day.split('-').map((part) => Number.parseInt(part, 10))
  return year * 12 + month
}

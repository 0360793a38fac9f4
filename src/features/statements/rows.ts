// What a statement file holds: its heading and its entries, read from one snapshot and checked to
// add up. Every form is written from these alone.
import type { Static } from 'typebox'
import { type Db, one } from '../../database/statement.ts'
import { refuse } from '../../domain/errors.ts'
import type { Currency } from '../../domain/money.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { toTransaction, type Transaction } from '../transfers/schemas.ts'
import { listStatementEntries, readHeading, readSpan } from './sql.ts'

export type Period = {
  /** Milliseconds since the epoch; `end` is the first moment after it. */
  from: number
  end: number
}

export type Total = { count: number; units: bigint }

/** Amounts in `units` are minor units of the currency. */
export type Heading = Period & {
  bankName: string
  holder: string
  iban: string
  currency: Currency
  accountName: string | null
  opening: bigint
  closing: bigint
  credits: Total
  debits: Total
  /** Milliseconds since the epoch. */
  issuedAt: number
  /** The request that asked for it; a statement is found in the log by it. */
  requestId: string
  /** `2026-10` when the period is that calendar month, else its first and last day. */
  label: string
  /** 1 for the month in which the account was opened; null unless for a month that is over. */
  number: number | null
}

export type Entry = {
  seq: bigint
  id: string
  kind: Static<typeof Transaction>['kind']
  bookedAt: string
  name: string
  iban: string
  reference: string
  units: bigint
  balanceUnits: bigint
  amount: string
  balance: string
  /** Within this bank; false when it went to or came from another one. */
  isInternal: boolean
}

export type StatementFile = { heading: Heading; batches: AsyncIterable<readonly Entry[]> }

type StatementRequest = Period & {
  accountId: string
  bankName: string
  now: number
  requestId: string
}

/** Rows read at once; they are all that is held of a statement. */
const batchSize = 500n

/** Reads the heading and prepares the entries. Refuses an account that does not exist. */
export async function readStatementFile(db: Db, asked: StatementRequest): Promise<StatementFile> {
  const { accountId, from, end, bankName, now, requestId } = asked
  const span = await one(db, readSpan, [accountId, new Date(from), new Date(end)])
  const first = span?.first ?? refuse('not_found')
  const endSeq = span?.end ?? first
  const row = (await one(db, readHeading, [accountId, first, endSeq])) ?? refuse('not_found')
  const credits = {
    count: Number.parseInt(`${row.credit_count}`, 10),
    units: BigInt(row.credit_sum),
  }
  const debits = { count: Number.parseInt(`${row.debit_count}`, 10), units: BigInt(row.debit_sum) }
  if (row.opening + credits.units - debits.units !== row.closing) refuseToIssue(accountId)
  const heading: Heading = {
    from,
    end,
    bankName,
    holder: `${row.given_name} ${row.family_name}`,
    iban: row.iban,
    currency: row.currency as Currency,
    accountName: row.name,
    opening: row.opening,
    closing: row.closing,
    credits,
    debits,
    issuedAt: now,
    requestId,
    label: periodLabel({ from, end }),
    number: monthNumber({ from, end }, row.created_at, now),
  }
  return { heading, batches: entriesOf(db, accountId, heading, first, endSeq) }
}

/**
 * The entries by pages of the primary key, all of one snapshot: each page is a plan by index, where
 * one long query would be planned to read all transfers.
 */
async function* entriesOf(
  db: Db,
  accountId: string,
  { opening, closing, currency }: Heading,
  first: bigint,
  endSeq: bigint,
): AsyncGenerator<readonly Entry[]> {
  let balance = opening
  for (let next = first; next < endSeq; next += batchSize) {
    const rows = await db.run(listStatementEntries, [accountId, next, endSeq, batchSize])
    const batch = rows.map((row) => toEntry(row, currency))
    for (const { units, balanceUnits } of batch) {
      balance += units
      if (balanceUnits !== balance) refuseToIssue(accountId)
    }
    yield batch
  }
  if (balance !== closing) refuseToIssue(accountId)
}

/** No statement leaves whose figures do not add up; `strongroom verify` finds the entry. */
function refuseToIssue(accountId: string): never {
  throw new Error(`The entries of account ${accountId} do not add up to its balances`)
}

function toEntry(row: Parameters<typeof toTransaction>[0], currency: Currency): Entry {
  const { id, kind, createdAt, counterparty, reference, amount, balanceAfter } = toTransaction(
    row,
    currency,
  )
  return {
    seq: row.seq,
    id,
    kind,
    bookedAt: createdAt,
    name: counterparty?.name ?? '',
    iban: counterparty?.iban ?? '',
    reference: reference ?? '',
    units: row.amount,
    balanceUnits: row.balanceAfter,
    amount,
    balance: balanceAfter,
    isInternal: row.otherKind !== 'clearing',
  }
}

const day = (time: number): string => rfc3339(time).slice(0, 10)
const month = (time: number): string => rfc3339(time).slice(0, 7)

/** Whether a period is one whole calendar month in UTC. */
const isMonth = ({ from, end }: Period): boolean =>
  day(from) === `${month(from)}-01` &&
  month(from) === month(end - 1) &&
  rfc3339(from).endsWith('T00:00:00.000Z') &&
  rfc3339(end).endsWith('-01T00:00:00.000Z')

const periodLabel = (period: Period): string =>
  isMonth(period) ? month(period.from) : `${day(period.from)}-${day(period.end - 1)}`

function monthNumber(period: Period, openedAt: Date, now: number): number | null {
  if (!isMonth(period) || period.end > now) return null
  const begin = new Date(period.from)
  const years = begin.getUTCFullYear() - openedAt.getUTCFullYear()
  const number = years * 12 + begin.getUTCMonth() - openedAt.getUTCMonth() + 1
  return number > 0 ? number : null
}

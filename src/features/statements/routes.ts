// The endpoint of statements: balances and entries of a period, as pages of JSON or as one file.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { exampleIban } from '../../domain/iban.ts'
import { exampleCursor, pageQuery } from '../../http/pagination.ts'
import { type Db, one } from '../../database/statement.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import { When } from '../../domain/date-range.ts'
import { route } from '../../http/route.ts'
import {
  closed,
  Currency,
  named,
  nullable,
  oneOf,
  SignedAmount,
  Time,
} from '../../domain/schema.ts'
import { toTransaction, Transaction } from '../transfers/schemas.ts'
import { chooseMediaType } from './accept.ts'
import { balanceRoutes } from './balance-routes.ts'
import { fileFormats, statementFile } from './file.ts'
import { toPeriod } from './period.ts'
import { findSpan, type Period, type Span } from './rows.ts'
import { listStatementEntries, readHeading } from './sql.ts'

const entriesPerPageMax = 1000

/** The media types of the values of `format`; the first is the default. */
const mediaTypes = {
  json: 'application/json',
  csv: 'text/csv',
  pdf: 'application/pdf',
  camt053: 'application/xml',
} as const
const formats = Object.keys(mediaTypes) as (keyof typeof mediaTypes)[]

const Statement = named('AccountStatement', {
  account: closed({
    id: AccountId,
    iban: Type.String({ maxLength: 34, examples: [exampleIban] }),
    currency: Currency,
  }),
  from: Time,
  to: Time,
  openingBalance: SignedAmount,
  closingBalance: SignedAmount,
  entries: Type.Array(Transaction, { maxItems: entriesPerPageMax }),
  nextCursor: nullable(Type.String({ maxLength: 400, examples: [exampleCursor] })),
})

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/statement',
  operation: 'getStatement',
  summary:
    'Read the statement of an account: balances and entries, oldest first, of at most a year; by ' +
    'default of this month. Every page has the balances of the whole period. A CSV, PDF or ' +
    'camt.053 file has all entries of the period. `format` takes precedence over `Accept`.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  limit: 'export',
  params: closed({ accountId: AccountId }),
  query: closed({
    from: Type.Optional(When),
    to: Type.Optional(When),
    format: Type.Optional(oneOf(formats)),
    cursor: pageQuery.cursor,
  }),
  reply: { 200: Statement },
  files: Object.values(fileFormats).map(({ mediaType }) => mediaType),
  refusals: ['not_acceptable', 'not_found'],
  async handle({ params: { accountId }, query, headers, db, now, caller, requestId, service }) {
    const { cursors, config } = service
    const format =
      query.format ?? chooseMediaType(headers['accept'], mediaTypes) ?? refuse('not_acceptable')
    if (format !== 'json') {
      if (query.cursor !== undefined) invalid('/query/cursor', 'is for JSON: a file has no pages')
      const { bankName, bic } = config
      const about = { accountId, callerId: caller.userId, bankName, bic, requestId }
      return statementFile(db, format, {
        ...about,
        now,
        ...(await toPeriod(db, accountId, query, now)),
      })
    }
    const list = ['statement', accountId, query.from, query.to]
    const place =
      query.cursor === undefined
        ? await firstPlace(db, accountId, await toPeriod(db, accountId, query, now))
        : parsePlace(cursors.read(list, query.cursor))
    return readPage(db, accountId, place, (next) => cursors.write(list, formatPlace(next)))
  },
})

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

async function readPage(
  db: Db,
  accountId: string,
  place: Place,
  writeCursor: (next: Place) => string,
): Promise<Static<typeof Statement>> {
  const { from, end, first, endSeq, next } = place
  const [account, rows] = await Promise.all([
    one(db, readHeading, [accountId, first, endSeq, new Date(end - 1)]),
    db.run(listStatementEntries, [accountId, next, endSeq, BigInt(entriesPerPageMax)]),
  ])
  if (!account) refuse('not_found')
  const currency = account.currency as CurrencyCode
  const following = next + BigInt(rows.length)
  return {
    account: { id: accountId, iban: account.iban, currency },
    from: rfc3339(from),
    to: rfc3339(end - 1),
    openingBalance: formatAmount(account.opening, currency),
    closingBalance: formatAmount(account.closing, currency),
    entries: rows.map((row) => toTransaction(row, currency)),
    nextCursor: following < endSeq ? writeCursor({ ...place, next: following }) : null,
  }
}

export const statementRoutes = [read, ...balanceRoutes]

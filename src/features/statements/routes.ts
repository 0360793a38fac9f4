// The endpoint of statements: what an account held, what came and went, what it held then; as pages
// of JSON, or whole as a file.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { type Cursors, pageQuery } from '../../http/pagination.ts'
import { type Db, one } from '../../database/statement.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import { periodStart, dayLength, periodEnd, When } from '../../domain/date-range.ts'
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
import { forms, statementFile } from './file.ts'
import type { Period } from './rows.ts'
import { listStatementEntries, readBalances, readSpan } from './sql.ts'

/** How many entries one answer holds at most; `nextCursor` leads to the others. */
const entriesPerPageMax = 1000
const periodMsMax = 366 * dayLength

const formats = ['json', 'csv', 'pdf', 'camt053'] as const
type Format = (typeof formats)[number]

/** Media types a statement is written as; without a preference of the client the first is taken. */
const mediaTypes = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/pdf': 'pdf',
  'application/xml': 'camt053',
} as const satisfies Record<string, Format>
const offered = Object.keys(mediaTypes) as (keyof typeof mediaTypes)[]

const Statement = named('AccountStatement', {
  account: closed({ id: AccountId, iban: Type.String({ maxLength: 34 }), currency: Currency }),
  from: Time,
  to: Time,
  openingBalance: SignedAmount,
  closingBalance: SignedAmount,
  entries: Type.Array(Transaction, { maxItems: entriesPerPageMax }),
  nextCursor: nullable(Type.String({ maxLength: 400 })),
})

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/statement',
  operation: 'getAccountStatement',
  summary:
    'Read the statement of an account: balances and entries, oldest first, of at most a year; of ' +
    'this month when nothing else is said. Balances are those of the whole period on every page. ' +
    'CSV, PDF and camt.053 hold the whole period in one file; `format` goes before `Accept`.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  limit: 'export',
  params: closed({ accountId: AccountId }),
  query: closed({
    from: Type.Optional(When),
    to: Type.Optional(When),
    format: Type.Optional(oneOf(formats)),
    cursor: pageQuery.cursor,
  }),
  reply: { 200: Statement },
  files: Object.values(forms).map(({ mediaType }) => mediaType),
  refusals: ['not_acceptable', 'not_found'],
  async handle({ params: { accountId }, query, headers, db, now, caller, requestId, service }) {
    const { cursors, config } = service
    const format = query.format ?? formatFor(headers['accept'])
    if (format !== 'json') {
      if (query.cursor !== undefined) invalid('/query/cursor', 'is for JSON: a file has no pages')
      const { bankName } = config
      const about = { accountId, callerId: caller.userId, bankName, now, requestId }
      return statementFile(db, format, { ...about, ...toPeriod(query, now) })
    }
    const list = ['statement', accountId, query.from, query.to]
    const place =
      query.cursor === undefined
        ? await findPlace(db, accountId, toPeriod(query, now))
        : placeIn(cursors.read(list, query.cursor))
    return pageAt(db, accountId, place, (next) => cursors.write(list, toCursorText(next)))
  },
})

function formatFor(accept: string | undefined): Format {
  const type = chooseMediaType(accept, offered)
  return type ? mediaTypes[type] : refuse('not_acceptable')
}

/** What is left of a statement from `first` on: the sequence from `next` to before `endSeq`. */
type Place = Period & { first: bigint; endSeq: bigint; next: bigint }

function toPeriod({ from, to }: { from?: string; to?: string }, now: number): Period {
  const end = to === undefined ? now + 1 : periodEnd(to, '/query/to')
  const begin = from === undefined ? monthStart(end - 1) : periodStart(from, '/query/from')
  if (begin >= end) invalid('/query/to', 'is before from')
  if (end - begin > periodMsMax) invalid('/query/to', 'is more than a year after from')
  return { from: begin, end }
}

/** The beginning of the month (UTC) a moment lies in. */
const monthStart = (time: number): number => Date.parse(`${rfc3339(time).slice(0, 7)}-01T00:00:00Z`)

async function findPlace(db: Db, accountId: string, period: Period): Promise<Place> {
  const bounds = [new Date(period.from), new Date(period.end)] as const
  const span = await one(db, readSpan, [accountId, ...bounds])
  const first = span?.first ?? refuse('not_found')
  return { ...period, first, endSeq: span?.end ?? first, next: first }
}

/**
 * Later pages carry the bounds the first one found, so all of them tell of the same entries and the
 * same balances, whatever is posted meanwhile.
 */
const toCursorText = ({ from, end, first, endSeq, next }: Place): string =>
  [from, end, first, endSeq, next].join(' ')

function placeIn(cursor: string): Place {
  const parts = cursor.split(' ')
  const [from = 0, end = 0] = parts.slice(0, 2).map((part) => Number.parseInt(part, 10))
  const [first = 1n, endSeq = 1n, next = 1n] = parts.slice(2).map(BigInt)
  return { from, end, first, endSeq, next }
}

async function pageAt(
  db: Db,
  accountId: string,
  place: Place,
  cursorOf: (next: Place) => ReturnType<Cursors['write']>,
): Promise<Static<typeof Statement>> {
  const { from, end, first, endSeq, next } = place
  const [account, rows] = await Promise.all([
    one(db, readBalances, [accountId, first, endSeq]),
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
    nextCursor: following < endSeq ? cursorOf({ ...place, next: following }) : null,
  }
}

export const statementRoutes = [read]

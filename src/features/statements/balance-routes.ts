// The endpoints of balances: that of a time, and those of the days of a period.
import { Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import type { Days } from '../../domain/days.ts'
import { When } from '../../domain/date-range.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { closed, Count, Currency, Day, named, SignedAmount, Time } from '../../domain/schema.ts'
import { requireInBooks, requireStillInBooks } from '../../gate/archived.ts'
import { route } from '../../http/route.ts'
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import { one } from '../../database/statements/statement.ts'
import { endAt, periodDaysMax, readUntil, toPeriod } from './period.ts'
import { findSpan } from './rows.ts'
import { listDays, readBalanceBefore } from './sql.ts'

export const Balances = named('AccountBalances', {
  currency: Currency,
  from: Time,
  to: Time,
  openingBalance: SignedAmount,
  closingBalance: SignedAmount,
  entryCount: Count,
  days: Type.Array(
    closed({
      date: Day,
      in: SignedAmount,
      out: SignedAmount,
      entryCount: Count,
      balance: SignedAmount,
    }),
    // A period that begins and ends within a day is part of one day more.
    { maxItems: periodDaysMax + 1 },
  ),
})

const access = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const

/** The clocks of two instances may differ by twice what each may from the database's. */
const aheadMaxMs = 2 * clockDifferenceMaxMs

/** The most entries of one reading of days, which takes the database 30 ms. */
const entriesMax = 50_000n

const readAt = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/balance',
  operation: 'getBalanceAt',
  summary:
    'Read the balance of an account at a time, or at the end of a day; by default now, and for ' +
    'today as well. It is the closing balance of a statement up to then.',
  access,
  service: 'read',
  member: 'view',
  limit: 'read',
  atStandby: true,
  params: closed({ accountId: AccountId }),
  query: closed({ at: Type.Optional(When) }),
  reply: { 200: named('BalanceAt', { currency: Currency, at: Time, balance: SignedAmount }) },
  refusals: ['archived', 'not_found'],
  async handle({ params: { accountId }, query, db, now, service }) {
    const days = service.clocks.days()
    const until = await readUntil(db, accountId, now)
    const end = endAt(query.at, { until, days, aheadMaxMs })
    const row =
      (await one(db, readBalanceBefore, [accountId, new Date(end)])) ?? refuse('not_found')
    if (end <= row.openedAt.getTime()) invalid('/query/at', 'is before the account was opened')
    await requireInBooks(db, end, row.archivedAt)
    const balance = formatAmount(row.balance, row.currency)
    return { currency: row.currency, at: rfc3339(end - 1), balance }
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/balances',
  operation: 'getBalances',
  summary:
    'Read what came in and went out of an account on each day of the bank with an entry, oldest ' +
    'first, and its balance at the end of the day. The period is that of the statement, with ' +
    `${entriesMax} entries at most.`,
  access,
  service: 'read',
  member: 'view',
  limit: 'read',
  atStandby: true,
  params: closed({ accountId: AccountId }),
  query: closed({ from: Type.Optional(When), to: Type.Optional(When) }),
  reply: { 200: Balances },
  refusals: ['archived', 'not_found'],
  async handle({ params: { accountId }, query, db, now, service }) {
    const calendar = service.clocks.days()
    const { from, end } = await toPeriod(db, accountId, query, { now, days: calendar })
    const { first, endSeq } = await findSpan(db, accountId, { from, end })
    if (endSeq - first > entriesMax) {
      invalid('/query/to', `is after more than ${entriesMax} entries`)
    }
    const dates = listDates(calendar, from, end)
    const starts = dates.map((date) => new Date(Math.max(from, calendar.startOf(date))))
    const rows = await db.run(listDays, [accountId, first, endSeq, starts])
    await requireStillInBooks(db, accountId, from)
    const { currency, opening } = rows[0] ?? refuse('not_found')
    const amount = (units: string | bigint) => formatAmount(BigInt(units), currency)
    const days = rows.flatMap(({ day, in: into, out, entryCount, balance }) =>
      day === null
        ? []
        : {
            date: dates[day - 1] as string,
            in: amount(into),
            out: amount(out),
            entryCount: entryCount,
            balance: amount(balance),
          },
    )
    return {
      currency,
      from: rfc3339(from),
      to: rfc3339(end - 1),
      openingBalance: amount(opening),
      closingBalance: days.at(-1)?.balance ?? amount(opening),
      entryCount: days.reduce((sum, { entryCount }) => sum + entryCount, 0),
      days,
    }
  },
})

/** The days that have a part of the period. */
function listDates(days: Days, from: number, end: number): string[] {
  const dates: string[] = []
  for (let at = from; at < end;) {
    const date = days.dayOf(at)
    dates.push(date)
    at = days.endOf(date)
  }
  return dates
}

export const balanceRoutes = [readAt, read]

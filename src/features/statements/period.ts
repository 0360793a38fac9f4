// The period of a statement: at most a year, by default this month.
import { type Db, one } from '../../database/statements/statement.ts'
import { type Days, lastDay } from '../../domain/days.ts'
import { addDays } from '../../domain/calendar/rhythm.ts'
import { isDay, periodEnd, periodStart } from '../../domain/date-range.ts'
import { invalid } from '../../domain/errors.ts'
import type { Period } from './rows.ts'
import { readNewest } from './sql.ts'

export const periodDaysMax = 366

/**
 * The time up to which an account is read by default: now, or the time of its newest entry or of
 * its opening if that is later. The clocks of the database and of other instances may be ahead of
 * this one's, and a caller reads what it has just paid.
 */
export async function readUntil(db: Db, accountId: string, now: number): Promise<number> {
  const newest = await one(db, readNewest, [accountId])
  return Math.max(now, newest?.at.getTime() ?? now)
}

/**
 * The first millisecond after the time or day `at` of a query. A day that has begun and is not over
 * ends at `until`, as it is by default. What begins more than `aheadMaxMs` later is refused.
 */
export function endAt(
  at: string | undefined,
  { until, days, aheadMaxMs = 0 }: { until: number; days: Days; aheadMaxMs?: number },
): number {
  if (at === undefined) return until + 1
  const [begin, end] = [periodStart(at, '/query/at', days), periodEnd(at, '/query/at', days)]
  if (begin > until + aheadMaxMs) invalid('/query/at', 'is in the future')
  return isDay(at) ? Math.min(end, until + 1) : end
}

export type PeriodQuery = { from?: string; to?: string }

export async function toPeriod(
  db: Db,
  accountId: string,
  { from, to }: PeriodQuery,
  { now, days }: { now: number; days: Days },
): Promise<Period> {
  const end =
    to === undefined ? (await readUntil(db, accountId, now)) + 1 : periodEnd(to, '/query/to', days)
  const begin =
    from === undefined ? monthStart(end - 1, days) : periodStart(from, '/query/from', days)
  if (begin >= end) invalid('/query/to', 'is before from')
  const day = days.dayOf(begin)
  const yearLater = addDays(day, periodDaysMax)
  const longest = days.startOf(yearLater) + begin - days.startOf(day)
  // The calendar may end within the year.
  if (yearLater < lastDay && end > longest) invalid('/query/to', 'is more than a year after from')
  return { from: begin, end }
}

/** The beginning of the month of the bank. */
const monthStart = (time: number, days: Days): number =>
  days.startOf(`${days.dayOf(time).slice(0, 7)}-01`)

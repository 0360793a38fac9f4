// The period of a statement: at most a year, by default this month.
import { type Db, one } from '../../database/statement.ts'
import { dayMs, rfc3339 } from '../../domain/clock.ts'
import { periodEnd, periodStart } from '../../domain/date-range.ts'
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

export type PeriodQuery = { from?: string; to?: string }

export async function toPeriod(
  db: Db,
  accountId: string,
  { from, to }: PeriodQuery,
  now: number,
): Promise<Period> {
  const end =
    to === undefined ? (await readUntil(db, accountId, now)) + 1 : periodEnd(to, '/query/to')
  const begin = from === undefined ? monthStart(end - 1) : periodStart(from, '/query/from')
  if (begin >= end) invalid('/query/to', 'is before from')
  if (end - begin > periodDaysMax * dayMs) {
    invalid('/query/to', 'is more than a year after from')
  }
  return { from: begin, end }
}

/** The beginning of the month, in UTC. */
const monthStart = (time: number): number => Date.parse(`${rfc3339(time).slice(0, 7)}-01T00:00:00Z`)

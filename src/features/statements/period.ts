// The period of a statement: at most a year, by default this month.
import { rfc3339 } from '../../domain/clock.ts'
import { dayMs } from '../../domain/clock.ts'
import { periodEnd, periodStart } from '../../domain/date-range.ts'
import { invalid } from '../../domain/errors.ts'
import type { Period } from './rows.ts'

export const periodDaysMax = 366

export function toPeriod({ from, to }: { from?: string; to?: string }, now: number): Period {
  const end = to === undefined ? now + 1 : periodEnd(to, '/query/to')
  const begin = from === undefined ? monthStart(end - 1) : periodStart(from, '/query/from')
  if (begin >= end) invalid('/query/to', 'is before from')
  if (end - begin > periodDaysMax * dayMs) {
    invalid('/query/to', 'is more than a year after from')
  }
  return { from: begin, end }
}

/** The beginning of the month, in UTC. */
const monthStart = (time: number): number => Date.parse(`${rfc3339(time).slice(0, 7)}-01T00:00:00Z`)

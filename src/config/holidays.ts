// The holidays of the bank: a word, or a file of dates that is read when the service starts.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { closedDaysMax, findLongClosure, type Holidays } from '../domain/calendar/business-days.ts'
import { dayMs } from '../domain/clock.ts'
import { isDay } from '../domain/date-range.ts'
import { Unusable } from './values.ts'

const bytesMax = 64 * 1024
/** So many faults are told. */
const faultsMax = 10

/** `none`, `target2`, or the path of a file with a date on each line. Throws {@link Unusable}. */
export function holidays(text: string): Holidays {
  if (text === 'none' || text === 'target2') return Object.freeze({ kind: text, dates: [] })
  const lines = readFile(path.resolve(text))
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const first = new Map<string, number>()
  const faults = lines.flatMap((line, index) => {
    const before = first.get(line)
    if (!isDay(line)) return `line ${index + 1} of the file is no date such as 2026-12-24`
    if (before !== undefined) return `line ${index + 1} of the file has the date of line ${before}`
    first.set(line, index + 1)
    return []
  })
  if (faults.length > 0) throw new Unusable(...faults.slice(0, faultsMax))
  if (lines.length === 0) throw new Unusable('names a file without a date')
  const dates = Object.freeze(lines.toSorted())
  const closed = findLongClosure(dates)
  if (closed === undefined) return Object.freeze({ kind: 'dates', dates })
  throw new Unusable(
    `line ${first.get(closed)} of the file begins more than ${closedDaysMax} days in a row ` +
      'without a business day',
  )
}

const soonMs = 60 * dayMs

/** Whether the last date of a file comes soon: after it only weekends are holidays. */
export const holidaysEndSoon = ({ dates }: Holidays, now: number): boolean => {
  const last = dates.at(-1)
  return last !== undefined && Date.parse(last) < now + soonMs
}

function readFile(file: string): string {
  try {
    const about = statSync(file)
    if (!about.isFile()) throw new Unusable('has to be none, target2 or a file of dates')
    if (about.size > bytesMax) throw new Unusable('names a file of more than 64 KB')
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Unusable) throw thrown
    const { code } = thrown as { code?: unknown }
    const why = typeof code === 'string' ? ` (${code})` : ''
    throw new Unusable(`has to be none, target2 or a file of dates that can be read${why}`)
  }
}

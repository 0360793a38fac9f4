// The days on which a standing order is due. Each is counted from the first day of the order, never
// from the day before it: 31 January, 28 February, 31 March.
import { dayMs } from '../clock.ts'
import { lastDay } from '../days.ts'

export const rhythms = ['once', 'weekly', 'monthly', 'yearly'] as const
export type Rhythm = (typeof rhythms)[number]

/** Days are of the calendar of ISO 8601, `2026-01-31`, without a time zone. */
export type Series = {
  rhythm: Rhythm
  firstOn: string
  /** The last day that may be due, itself included. Null: without an end. */
  lastOn: string | null
}

/**
 * The day with that number, from 0. A day that its month lacks is the last of the month. Undefined
 * beyond the year 9999.
 */
function dayAt({ rhythm, firstOn }: Series, number: number): string | undefined {
  const [year, month, day] = toParts(firstOn)
  if (rhythm === 'weekly') return toDay(year, month, day + 7 * number)
  const months = month + (rhythm === 'yearly' ? 12 * number : number)
  return toDay(year, months, Math.min(day, daysIn(year, months)))
}

/** The first due day after `after`, or the first of all. Undefined when there is none any more. */
export function dueAfter(series: Series, after?: string): string | undefined {
  const { rhythm, firstOn, lastOn } = series
  if (after === undefined || after < firstOn) return within(firstOn, lastOn)
  if (rhythm === 'once') return undefined
  // Not beyond `after`, whatever the length of the months between.
  let number = Math.max(0, countBefore(series, after))
  let day = dayAt(series, number)
  while (day !== undefined && day <= after) day = dayAt(series, ++number)
  return day === undefined ? undefined : within(day, lastOn)
}

/** The due days from `from` to `to`, both included, at most `max`. */
export function dueBetween(series: Series, from: string, to: string, max: number): string[] {
  const days: string[] = []
  let day = dueAfter(series, addDays(from, -1))
  while (day !== undefined && day <= to && days.length < max) {
    days.push(day)
    day = dueAfter(series, day)
  }
  return days
}

const within = (day: string, lastOn: string | null): string | undefined =>
  day <= (lastOn ?? lastDay) ? day : undefined

/** A number whose day is at or before `after`, by few. */
function countBefore({ rhythm, firstOn }: Series, after: string): number {
  const [year, month] = toParts(firstOn)
  const [laterYear, laterMonth] = toParts(after)
  if (rhythm === 'yearly') return laterYear - year - 1
  if (rhythm === 'monthly') return 12 * (laterYear - year) + laterMonth - month - 1
  return Math.floor((Date.parse(after) - Date.parse(firstOn)) / (7 * dayMs))
}

const toParts = (day: string): [year: number, month: number, day: number] => [
  Number.parseInt(day.slice(0, 4), 10),
  Number.parseInt(day.slice(5, 7), 10),
  Number.parseInt(day.slice(8, 10), 10),
]

/** Months from 1, beyond 12 of later years. */
const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

function toDay(year: number, month: number, day: number): string | undefined {
  const date = new Date(0)
  // `Date.UTC` takes the years 0 to 99 for those of 1900.
  date.setUTCFullYear(year, month - 1, day)
  const text = date.toISOString()
  return text.startsWith('+') ? undefined : text.slice(0, 10)
}

/** The day that many days later; the last one there is beyond the year 9999. */
export function addDays(day: string, count: number): string {
  const [year, month, date] = toParts(day)
  return toDay(year, month, date + count) ?? lastDay
}

// Ranges of time in requests: days or times in UTC, both ends included.
import { Type } from 'typebox'
import { invalid } from './errors.ts'

export const When = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?Z)?$',
  minLength: 10,
  maxLength: 24,
  description: 'A day, or a time in RFC 3339 UTC. Both ends belong to the range, a day as a whole.',
})

export const dayLength = 24 * 60 * 60 * 1000

/** The first millisecond. Refuses a date that does not exist with a detail at `path`. */
export function periodStart(text: string, path: string): number {
  const time = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text)
  // Date parses 2026-02-30 as March 2.
  const isReal = Number.isFinite(time) && new Date(time).toISOString().startsWith(text.slice(0, 19))
  return isReal ? time : invalid(path, 'is not a day or time of the calendar')
}

/** The first millisecond after the end. */
export const periodEnd = (text: string, path: string): number =>
  periodStart(text, path) + (text.length === 10 ? dayLength : 1)

let lastDay = { number: -1, text: '' }

/** The day (UTC) of a time, `2026-01-31`. */
export function utcDay(time: number): string {
  const number = Math.floor(time / dayLength)
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(time).toISOString().slice(0, 10) }
  }
  return lastDay.text
}

// Times in requests, and ranges of them: days or times, both ends included.
import { Type } from './type.ts'
import type { Days } from './days.ts'
import { invalid } from './errors.ts'

const date = '\\d{4}-\\d{2}-\\d{2}'
const clock = '\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?'

/** A time in the body of a request. Answers have the one form of `Time`. */
export const AnyTime = Type.String({
  title: 'AnyTime',
  pattern: `^${date}[Tt]${clock}([Zz]|[+-]\\d{2}:\\d{2})$`,
  minLength: 20,
  maxLength: 64,
  description: 'A time in RFC 3339, which is cut to milliseconds.',
  examples: ['2026-01-31T10:30:00+01:00'],
})

export const When = Type.String({
  // The decoder of a query reads a `+` that is not percent-encoded as a space.
  pattern: `^${date}([Tt]${clock}([Zz]|[ +-]\\d{2}:\\d{2}))?$`,
  minLength: 10,
  maxLength: 64,
  description:
    'A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to ' +
    'the range, a day as a whole.',
})

const day = /^\d{4}-\d\d-\d\d$/

/** Whether the text is a day of the calendar, `2026-01-31`, of the years 1 to 9999. */
export const isDay = (text: string): boolean =>
  day.test(text) && readTime(`${text}T00:00:00Z`) !== undefined

const time =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:)(\d\d)(?:\.(\d{1,3})\d*)?(?:Z|([ +-])([01]\d|2[0-3]):([0-5]\d))$/i

/** A response can write the years 1 to 9999, and PostgreSQL has them all. */
const first = Date.parse('0001-01-01T00:00:00.000Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * A time in RFC 3339 cut to milliseconds. Undefined for another text, a time that does not exist,
 * and one that is not of the years 1 to 9999 in UTC. A leap second (RFC 3339, appendix D) is read
 * as the last millisecond before it, in the same day.
 */
export function readTime(text: string): number | undefined {
  const [, minute, second, fraction = '', sign, hours = '', minutes = ''] = time.exec(text) ?? []
  if (minute === undefined || second === undefined) return undefined
  const isLeapSecond = second === '60'
  const rest = isLeapSecond ? '59.999' : `${second}.${fraction.padEnd(3, '0')}`
  const shown = `${minute.toUpperCase()}${rest}Z`
  const local = Date.parse(shown)
  // Date parses 2026-02-30 as March 2, and 24:00 as the next day.
  if (Number.isNaN(local) || new Date(local).toISOString() !== shown) return undefined
  const offset = sign === undefined ? 0 : Date.parse(`1970-01-01T${hours}:${minutes}Z`)
  const utc = sign === '-' ? local + offset : local - offset
  if (isLeapSecond && !isMonthStart(utc + 1)) return undefined
  return utc >= first && utc <= last ? utc : undefined
}

/** Leap seconds end a month in UTC. */
const isMonthStart = (utc: number): boolean =>
  new Date(utc).toISOString().endsWith('-01T00:00:00.000Z')

/** A day, as its first millisecond and the first one after it, within those years. */
function readDay(text: string, days: Days): { start: number; end: number } | undefined {
  if (!isDay(text)) return undefined
  const [start, end] = [days.startOf(text), days.endOf(text)]
  // The clocks have left this day out.
  if (start === end) return undefined
  return { start: Math.max(start, first), end: Math.min(end, last + 1) }
}

/** East of Greenwich the last times are of the year 10000: they are read as the end of 9999. */
function readMoment(text: string, days: Days): number | undefined {
  const at = readTime(text)
  return at === undefined ? undefined : Math.min(at, days.endOf('9999-12-31') - 1)
}

const noTime = (path: string): never => invalid(path, 'is not a day or time of the calendar')

/** The first millisecond. Refuses at `path` what is neither a day nor a time: {@link readTime}. */
export const periodStart = (text: string, path: string, days: Days): number =>
  readDay(text, days)?.start ?? readMoment(text, days) ?? noTime(path)

/** The first millisecond after the end. */
export const periodEnd = (text: string, path: string, days: Days): number =>
  readDay(text, days)?.end ?? (readMoment(text, days) ?? noTime(path)) + 1

/** A time in the body of a request: {@link AnyTime}. */
export const parseInstant = (text: string, path: string): number => readTime(text) ?? noTime(path)

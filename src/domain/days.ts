// The days of the bank: which one a moment is in, and when each begins. They follow a time zone
// (IANA), whose clocks are put forward and back. Once a day has begun it does not come again.
import { dayMs } from './clock.ts'

/** The bank's clocks are those of `timeZone` from `since` on, in milliseconds since the epoch. */
export type ZoneSince = { since: number; timeZone: string }

export type Days = {
  /** The day of a moment, such as `2026-01-31`. */
  dayOf(at: number): string
  /** The first millisecond of a day. A day that the clocks leave out begins with the next one. */
  startOf(day: string): number
  /** The first millisecond after a day. */
  endOf(day: string): number
  /** The name of the time zone at a moment. */
  timeZone(at: number): string
  /** What the clocks of the bank show, such as `2026-01-31T09:30:00.000`. */
  localTime(at: number): string
}

/** From `-infinity` for all purposes: no time of the service is before the year 1. */
export const always = Date.parse('0001-01-01T00:00:00Z')

/** A response can write the years up to 9999. */
export const lastDay = '9999-12-31'

/** Whether Node knows the time zone by that name. */
export function isTimeZone(name: string): boolean {
  // Offsets such as `+01:00` are none of the database of zones, and not known to PostgreSQL so.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/.test(name)) return false
  // Known: the first formatter would make a start longer.
  if (name === 'UTC') return true
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
export function offsetsOf(timeZone: string): (at: number) => number {
  if (timeZone === 'UTC') return () => 0
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return (at) => {
    const [, sign, hours, minutes, seconds = '00'] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(at)) ?? []
    if (sign === undefined) return 0
    const size = Date.parse(`1970-01-01T${hours}:${minutes}:${seconds}Z`)
    return sign === '-' ? -size : size
  }
}

const hourMs = 3_600_000
/** A day begins at most so long before and after its midnight in UTC. */
const [earliestMs, latestMs] = [15 * hourMs, 13 * hourMs]
const startsMax = 2000

/**
 * @param zones the zones that the bank has had, by the time since which each holds; UTC before.
 *   What is past never changes by a later one.
 */
export function createDays(zones: readonly ZoneSince[]): Days {
  const all = [{ since: -Infinity, timeZone: 'UTC' }, ...zones].map((zone) => ({
    ...zone,
    offset: offsetsOf(zone.timeZone),
  }))
  const zoneAt = (at: number) => all.findLast(({ since }) => since <= at) ?? all[0]!
  const offsetAt = (at: number) => zoneAt(at).offset(at)
  const localDay = (at: number) => Math.floor((at + offsetAt(at)) / dayMs)

  /** The first moment in a window at which the clocks show the day, or one after it. */
  function search(day: number): number {
    const midnight = day * dayMs
    const [begin, end] = [midnight - earliestMs, midnight + latestMs]
    const isPlain =
      offsetAt(begin) === offsetAt(end) && all.every(({ since }) => since <= begin || since > end)
    if (isPlain) return midnight - offsetAt(begin)
    // Ends at the end of the window: each piece is behind the one before.
    for (let piece = begin; ;) {
      const offset = offsetAt(piece)
      const next = endOfOffset(piece, end)
      const start = Math.max(piece, midnight - offset)
      if (start < next || next >= end) return start
      piece = next
    }
  }

  /** When the clocks are put forward or back next, or `end`. No two changes are within an hour. */
  function endOfOffset(begin: number, end: number): number {
    const offset = offsetAt(begin)
    let same = begin
    let other = Math.min(same + hourMs, end)
    while (other < end && offsetAt(other) === offset) {
      same = other
      other = Math.min(other + hourMs, end)
    }
    if (offsetAt(other) === offset) return end
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2)
      if (offsetAt(middle) === offset) same = middle
      else other = middle
    }
    return other
  }

  /** By the number of the day. Cleared when full: it only saves computation. */
  const starts = new Map<number, number>()
  function startOf(day: number): number {
    let start = starts.get(day)
    if (start === undefined) {
      start = search(day)
      if (starts.size >= startsMax) starts.clear()
      starts.set(day, start)
    }
    return start
  }

  /** The last day that was asked for: most moments are of the same one as the one before. */
  let last = { start: 0, end: 0, text: '' }
  function dayOf(at: number): string {
    if (at >= last.start && at < last.end) return last.text
    // At a moment that the clocks show twice, the day of the later showing has begun already.
    let day = localDay(at)
    while (startOf(day + 1) <= at) day += 1
    last = { start: startOf(day), end: startOf(day + 1), text: toText(day) }
    return last.text
  }

  return {
    dayOf,
    startOf: (day) => startOf(toNumber(day)),
    endOf: (day) => startOf(toNumber(day) + 1),
    timeZone: (at) => zoneAt(at).timeZone,
    localTime: (at) => new Date(at + offsetAt(at)).toISOString().slice(0, -1),
  }
}

const toNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs
/** East of UTC the calendar of a response, which ends with 9999, ends after the last day. */
const toText = (day: number): string =>
  new Date(Math.min(day, toNumber(lastDay)) * dayMs).toISOString().slice(0, 10)

/** Days of UTC: those of a bank that has chosen no zone. */
export const utcDays = createDays([])

/** The name of the zone for people, in a language (BCP 47): `UTC`, `CET`, `MEZ`, `GMT-5`. */
export function zoneName(days: Days, at: number, tag: string): string {
  const timeZone = days.timeZone(at)
  if (timeZone === 'UTC') return timeZone
  const format = new Intl.DateTimeFormat(tag, { timeZone, timeZoneName: 'short' })
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

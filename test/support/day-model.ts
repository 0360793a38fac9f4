// A model of the days of the bank: a day has begun once the clocks have shown it or a later one.
// What the clocks show is asked each quarter of an hour, and before each change of the zone.
import type { ZoneSince } from '../../src/domain/days.ts'

const quarterMs = 900_000
/** No clock is put back by more, also not by a change of the zone. */
const backMs = 27 * 3_600_000

/** @param zones of the bank, as they are kept; UTC before the first */
export function dayModel(zones: readonly ZoneSince[]) {
  const formats = new Map<string, Intl.DateTimeFormat>()
  function shown(at: number): string {
    const timeZone = zones.findLast(({ since }) => since <= at)?.timeZone ?? 'UTC'
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone } as const
    const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', parts)
    formats.set(timeZone, format)
    return format.format(at)
  }
  const known = new Map<number, string>()
  function shownAt(quarter: number): string {
    const day = known.get(quarter) ?? shown(quarter * quarterMs)
    known.set(quarter, day)
    return day
  }
  function dayOf(at: number): string {
    let day = shown(at)
    const quarter = Math.floor(at / quarterMs)
    for (let each = quarter; each > quarter - backMs / quarterMs; each--) {
      if (shownAt(each) > day) day = shownAt(each)
    }
    for (const { since } of zones) {
      if (since <= at && since > at - backMs && shown(since - 1) > day) day = shown(since - 1)
    }
    return day
  }
  return {
    dayOf,
    /** The first millisecond of the day after that of a moment. */
    nextStart(at: number): number {
      const day = dayOf(at)
      let quarter = Math.floor(at / quarterMs) + 1
      while (shownAt(quarter) <= day) quarter++
      return quarter * quarterMs
    },
  }
}

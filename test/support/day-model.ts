// A model of the days of the bank: a day has begun once the clocks have shown it or a later one.
// What the clocks show is asked at each step of time, and before each change of the zone.
import type { ZoneSince } from '../../src/domain/days.ts'

/** No clock is put back by more, also not by a change of the zone. */
const backMs = 27 * 3_600_000

/**
 * @param zones of the bank, as they are kept; UTC before the first
 * @param stepMs a quarter of an hour, or less where the clocks are put back at another moment
 */
export function dayModel(zones: readonly ZoneSince[], stepMs = 900_000) {
  const formats = new Map<string, Intl.DateTimeFormat>()
  function shown(at: number): string {
    const timeZone = zones.findLast(({ since }) => since <= at)?.timeZone ?? 'UTC'
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone } as const
    const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', parts)
    formats.set(timeZone, format)
    return format.format(at)
  }
  const known = new Map<number, string>()
  function shownAt(step: number): string {
    const day = known.get(step) ?? shown(step * stepMs)
    known.set(step, day)
    return day
  }
  function dayOf(at: number): string {
    let day = shown(at)
    const step = Math.floor(at / stepMs)
    for (let each = step; each > step - backMs / stepMs; each--) {
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
      let step = Math.floor(at / stepMs) + 1
      while (shownAt(step) <= day) step++
      return step * stepMs
    },
  }
}

// The only reader of the system clock, so that tests can control time, and a step of the wall clock
// reaches no session, limit or token.
import { BoundedCache } from './bounded-cache.ts'

export type Clock = {
  /** Milliseconds since the epoch. Never goes back within a process. */
  now(): number
  /** Milliseconds since an arbitrary start, independent of the wall clock. For windows. */
  monotonic(): number
  /** The database's time, given a reading of its clock. A fake clock replaces the reading. */
  databaseTime(reading: number): number
  /** Takes the time of the wall clock again, even an earlier one. Only before serving requests. */
  resync(): void
}

/**
 * The clock of a running service. After the wall clock is set back, the monotonic clock counts on
 * until the wall clock catches up, so no ended session is alive again (PSD2 RTS Art. 4(3)(d)).
 */
export function systemClock(): Clock {
  let anchorWall = 0
  let anchorMonotonic = 0
  function resync(): void {
    anchorWall = Date.now()
    anchorMonotonic = performance.now()
  }
  resync()
  return {
    resync,
    databaseTime: (reading) => reading,
    now() {
      // In this order: if the wall clock were read last, a process that is paused between the two
      // would run ahead by the pause for ever.
      const wall = Date.now()
      const monotonic = performance.now()
      const steady = anchorWall + (monotonic - anchorMonotonic)
      if (wall > steady) {
        anchorWall = wall
        anchorMonotonic = monotonic
        return wall
      }
      return Math.floor(steady)
    },
    monotonic: () => performance.now(),
  }
}

const hourMs = 3_600_000
export const dayMs = 24 * hourMs
const digits = Array.from({ length: 1000 }, (_, number) => String(number))
const two = digits.slice(0, 60).map((number) => number.padStart(2, '0'))
const three = digits.map((number) => number.padStart(3, '0'))

/** `2026-01-31T` by the day since the epoch: 1000 days of 128 bytes. */
const dates = new BoundedCache<number, string>(128_000, () => 128)

function formatDate(day: number): string {
  let date = dates.get(day)
  if (date === undefined) {
    date = new Date(day * dayMs).toISOString().slice(0, -13)
    dates.set(day, date)
  }
  return date
}

/**
 * RFC 3339 UTC with milliseconds, the form of every time in a response and in the log. Equal to
 * `toISOString`, which takes three times as long.
 */
export function rfc3339(milliseconds: number): string {
  const day = Math.floor(milliseconds / dayMs)
  const time = Math.trunc(milliseconds) - day * dayMs
  const hour = Math.floor(time / hourMs)
  const minute = Math.floor((time % hourMs) / 60_000)
  const second = Math.floor((time % 60_000) / 1000)
  const clock = `${two[hour]}:${two[minute]}:${two[second]}.${three[time % 1000]}`
  return `${formatDate(day)}${clock}Z`
}

let lastWallTime = { at: Number.NaN, text: '' }

/** The wall clock in that form, for the log: its times are compared with those of other logs. */
export function wallTime(): string {
  const at = Date.now()
  if (at !== lastWallTime.at) lastWallTime = { at, text: rfc3339(at) }
  return lastWallTime.text
}

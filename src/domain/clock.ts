// The only reader of the system clock, so that tests can control time, and a step of the wall clock
// reaches no session, limit or token.

export type Clock = {
  /** Milliseconds since the epoch. Never goes back within a process. */
  now(): number
  /** Milliseconds since an arbitrary start, independent of the wall clock. For windows. */
  monotonic(): number
  /** The database's time, given a reading of its clock. A fake clock replaces the reading. */
  databaseTime(reading: number): number
  /** Takes the time of the wall clock again, even an earlier one. Only before serving requests. */
  resync(): void
  /** Of a clock of tests, for the service's other threads: see {@link clockOf}. */
  times?: Float64Array
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

/** A clock that another thread writes: `now`, `monotonic` and the database's time. */
export const clockOf = (times: Float64Array): Clock => ({
  now: () => times[0] as number,
  monotonic: () => times[1] as number,
  databaseTime: () => times[2] as number,
  resync() {},
  times,
})

/** RFC 3339 UTC with milliseconds, the form of every time in a response. */
export const rfc3339 = (milliseconds: number): string => new Date(milliseconds).toISOString()

// The only reader of the system clock, so that a test can hold time still and a step of the wall
// clock cannot reach a session, a limit or a token.

export type Clock = {
  /** Milliseconds since the epoch. Never goes back in a process, whatever the wall clock does. */
  now(): number
  /** Milliseconds since an arbitrary start; untouched by changes of the wall clock. For windows. */
  monotonic(): number
  /**
   * The database's time, given what its clock said: just that, in a running service. A clock that
   * is moved by a program stands for the database's clock as well.
   */
  databaseTime(reading: number): number
  /** Takes the time of the wall clock again, even an earlier one. Only while nothing is served. */
  resync(): void
}

/**
 * The clock of a running service. A wall clock that is set back is followed by the monotonic one
 * until it catches up: no ended session comes alive again (PSD2 RTS Art. 4(3)(d) stays true).
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
      // In this order: a process that is held up between the two would run ahead by as much, for
      // good, if the wall clock were the later one.
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

export type FakeClock = Clock & {
  advance(milliseconds: number): void
  /** The wall clock alone is set. */
  jump(milliseconds: number): void
}

/**
 * A clock that moves only when told to; for tests.
 *
 * @param database the clock that the database goes by; the same one if none is given
 */
export function fakeClock(
  start = Date.UTC(2026, 0, 2, 9),
  database?: Pick<Clock, 'now'>,
): FakeClock {
  let elapsed = 0
  let jumped = 0
  const now = () => start + elapsed + jumped
  return {
    now,
    monotonic: () => elapsed,
    databaseTime: () => (database ? database.now() : now()),
    resync() {},
    advance(milliseconds) {
      elapsed += milliseconds
    },
    jump(milliseconds) {
      jumped += milliseconds
    },
  }
}

/** RFC 3339 UTC with milliseconds, as every time in a response is written. */
export const rfc3339 = (milliseconds: number): string => new Date(milliseconds).toISOString()

// The clock of tests.
import type { Clock } from '../../src/domain/clock.ts'

export type FakeClock = Clock & {
  advance(milliseconds: number): void
  /** Sets the wall clock alone. */
  jump(milliseconds: number): void
}

/**
 * A clock that moves only by `advance` and `jump`.
 *
 * @param database the clock of the database; the same clock by default
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
      // A comparison with the database's clock that is under way would find them apart.
      if (milliseconds < 0) throw new RangeError('advance does not go back; jump does')
      elapsed += milliseconds
    },
    jump(milliseconds) {
      jumped += milliseconds
    },
  }
}

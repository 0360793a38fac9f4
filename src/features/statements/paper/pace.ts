// Long work on the thread that serves requests, in slices with other requests in between.
import { setImmediate } from 'node:timers/promises'
import { type Clock, systemClock } from '../../../domain/clock.ts'

/** Work that may pause at each step, and what it returns. */
export type Steps<T> = Generator<undefined, T>

export const sliceMs = 10

export type Pace = ReturnType<typeof createPace>

/** Works that share a pace run one slice in all in each turn of the event loop. */
export function createPace(clock: Pick<Clock, 'monotonic'>, turn: () => Promise<unknown>) {
  let startedAt = Number.NEGATIVE_INFINITY
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Runs the steps, and pauses after each one that ends a slice. */
    async run<T>(steps: Steps<T>): Promise<T> {
      // Ends with the steps.
      for (let step = steps.next(); ; step = steps.next()) {
        if (clock.monotonic() - startedAt >= sliceMs) {
          last = last.then(turn)
          await last
          startedAt = clock.monotonic()
        }
        if (step.done) return step.value
      }
    },
  }
}

/** The pace of all PDFs. The clock is real also where a test has set that of the service. */
export const pdfPace = createPace(systemClock(), () => setImmediate())

// Bounds a wait.
import { type Code, Refusal } from './errors.ts'

/** Gives what `work` gives, or refuses with `late` when the time is over; the work goes on. */
export async function within<R>(work: Promise<R>, milliseconds: number, late: Code): Promise<R> {
  const { promise, reject } = Promise.withResolvers<never>()
  const refusal = () => reject(new Refusal(late, { because: 'it took too long' }))
  const timer = setTimeout(refusal, milliseconds)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

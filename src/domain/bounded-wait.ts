// Bounds a wait.
import { type PlainCode, Refusal } from './errors.ts'

/**
 * Gives what `work` gives, or refuses with `late` when the time is over, or rejects with what it
 * makes; the work goes on.
 */
export function waitWithin<R>(
  work: Promise<R>,
  milliseconds: number,
  late: PlainCode | (() => Error),
): Promise<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>()
  const refusal = () =>
    reject(typeof late === 'string' ? new Refusal(late, { because: 'it took too long' }) : late())
  const timer = setTimeout(refusal, milliseconds)
  const end = () => clearTimeout(timer)
  // `end` twice: a failure that this promise passes on without a handler would end the process.
  work.then(end, end)
  work.then(resolve, reject)
  return promise
}

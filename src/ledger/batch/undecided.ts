// Orders of callers who are being shut out at that moment: by the end of a session or a key, or the
// loss of a role or a grant. They are judged again when that has ended, and hold up no other
// movement.
import { scheduler } from 'node:timers/promises'
import { Refusal } from '../../domain/errors.ts'
import type { Movement, Submit } from '../rules/movement.ts'

/** A caller of the movement may be shut out by a transaction that has not ended yet. */
class CallerUndecided extends Error {
  override readonly name = 'CallerUndecided'
}

/** What {@link untilDecided} waits for. The caller of the service sees it as `unavailable`. */
export const undecided = (): Refusal =>
  new Refusal('unavailable', { outage: 'lock', because: new CallerUndecided() })

const isUndecided = (thrown: unknown): boolean =>
  thrown instanceof Refusal && thrown.options.because instanceof CallerUndecided

/**
 * The order is submitted again after these pauses, each twice as long as the one before: for 1.3
 * seconds in all, about as long as a lock is waited for.
 */
const [pauseMsMin, pauseMsMax] = [10, 640]

/**
 * The same ledger. It submits a movement again until its callers are decided about, or for too
 * long.
 */
export const untilDecided = <L extends { submit: Submit }>(ledger: L): L => ({
  ...ledger,
  submit: (async (movement: Movement) => {
    // Ends after the longest pause.
    for (let pauseMs = pauseMsMin; ; pauseMs *= 2) {
      try {
        return await ledger.submit(movement)
      } catch (thrown) {
        if (!isUndecided(thrown) || pauseMs > pauseMsMax) throw thrown
        await scheduler.wait(pauseMs)
      }
    }
  }) as Submit,
})

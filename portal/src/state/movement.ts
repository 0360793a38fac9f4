// A movement of money from its review until its outcome is known: its states, and what leads from
// one to the next. What is pressed twice, lost, reloaded or taken up again after a new sign-in is
// the same movement, by its idempotency key, and happens at most once.
import type { Failure } from './failure.ts'

/**
 * - `review`: it surely had no effect so far
 * - `sending`: its first answer is awaited
 * - `unknown`: an answer was lost: only another answer tells whether it took effect
 * - `made`, `refused`: the outcome, for good
 */
export type MovementState = 'review' | 'sending' | 'unknown' | 'made' | 'refused'

export type Movement<B = unknown, R = unknown> = {
  readonly key: string
  /** Whose it is. */
  readonly ownerId: string
  /** `transfer.review` of the form whose draft is `transfer`. */
  readonly name: string
  /** Where it is posted. */
  readonly path: string
  readonly body: B
  /** The path of what was saved for it alone, and goes once it is made. */
  readonly saved?: string
  readonly state: MovementState
  /** When it was first sent, by the browser's clock; undefined while it surely has no effect. */
  readonly sentAt?: number
  /** Where it is shown, once it was sent. */
  readonly page?: string
  /** It was sent with a confirmation: until then a refusal tells that it had no effect. */
  readonly isConfirmed?: boolean
  /** An answer was lost on the way to the outcome. */
  readonly wasLost?: boolean
  readonly failure?: Failure
  readonly result?: R
}

export type MovementStep =
  | { what: 'send'; at: number; page: string }
  /** The bank asks for a confirmation, so nothing before it took effect; and the answer to that. */
  | { what: 'asked' }
  | { what: 'confirmed'; at: number }
  | { what: 'lost' }
  /** The session ended, or the person left it, before an answer came. */
  | { what: 'left' }
  | { what: 'made'; result: unknown }
  | { what: 'refused'; failure: Failure }

/** The service keeps a key for 24 hours; after that a repeat would be a second movement. */
export const repeatMsMax = 23 * 60 * 60 * 1000

/**
 * The service keeps these answers under the key: they would be its answer to every repeat. 202: it
 * waits for a second person.
 */
const finalStatuses: readonly number[] = [202, 400, 404, 409]
const isFinal = ({ status, code }: Failure): boolean =>
  finalStatuses.includes(status) && code !== 'request_in_progress'
/** With these it may have taken effect, or may still. */
const openCodes = ['offline', 'outcome_unknown', 'internal_error', 'request_in_progress']

/** Whether it was sent and what became of it is not known yet. */
export const isOpen = ({ state, sentAt }: Movement): boolean =>
  state === 'unknown' || (state === 'sending' && sentAt !== undefined)

/** Whether it is too late to find out by a repeat. */
export const isTooLate = ({ sentAt }: Movement, now: number): boolean =>
  sentAt !== undefined && (now < sentAt || now - sentAt > repeatMsMax)

function toReview(movement: Movement, failure?: Failure): Movement {
  const { key, ownerId, name, path, body, saved } = movement
  const kept = { key, ownerId, name, path, body, ...(saved && { saved }) }
  return { ...kept, state: 'review', ...(failure && { failure }) }
}

/** What a step makes of a movement; a step that its state does not know changes nothing. */
export function takeStep(movement: Movement, taken: MovementStep): Movement {
  const { state } = movement
  if (state === 'made' || state === 'refused') return movement
  if (taken.what === 'send') {
    if (state === 'sending') return movement
    const { failure: _, ...again } = movement
    if (state === 'unknown') return again
    return { ...again, state: 'sending', sentAt: taken.at, page: taken.page }
  }
  if (state === 'review') return movement
  switch (taken.what) {
    case 'asked': {
      // An earlier attempt that was confirmed may have taken effect after all.
      if (movement.isConfirmed) return movement
      const { sentAt: _, ...unsent } = movement
      return { ...unsent, state: 'sending' }
    }
    case 'confirmed':
      return { ...movement, isConfirmed: true, sentAt: movement.sentAt ?? taken.at }
    case 'lost':
      return { ...movement, state: 'unknown', wasLost: true }
    case 'left':
      return movement.sentAt === undefined
        ? toReview(movement)
        : { ...movement, state: 'unknown', wasLost: true }
    case 'made':
      return { ...movement, state: 'made', result: taken.result }
    case 'refused': {
      const { failure } = taken
      if (isFinal(failure)) return { ...movement, state: 'refused', failure }
      const isSure = state === 'sending' && !openCodes.includes(failure.code)
      return isSure || failure.code === 'unconfirmed'
        ? toReview(movement, failure)
        : { ...movement, state: 'unknown', failure }
    }
  }
}

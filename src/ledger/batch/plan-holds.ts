// What a movement does with a hold, put into the plan of its batch.
import type { BatchFacts, Plan } from './facts.ts'
import {
  captureHold,
  type CountedHold,
  type HoldTerms,
  moveHold,
  tellHoldTerms,
} from '../rules/holds.ts'
import type { HoldWord } from '../rows/holds.ts'
import type { Movement, Reserved, Transfer } from '../rules/movement.ts'
import { countInCard } from './plan-cards.ts'
import type { LockedAccount } from '../rows/transfers.ts'

/** The hold that the movement names, as the movements before in the batch left it. */
export const findHold = (
  { hold, refundOf }: Movement,
  { holds }: BatchFacts,
): CountedHold | undefined => holds.get(hold && hold.step !== 'place' ? hold.id : (refundOf ?? ''))

/** The card that the order is for. */
export const cardOf = ({ hold, authorization }: Movement): string | undefined =>
  authorization?.cardId ?? (hold?.step === 'place' ? (hold.cardId ?? undefined) : undefined)

const words: Record<HoldTerms['step'], HoldWord> = {
  place: 'created',
  change: 'changed',
  release: 'released',
  capture: 'captured',
}

type Held = { from: LockedAccount; hold: CountedHold | undefined; at: number; day: string }

/** Places, changes or releases a hold, in an order that is not refused. */
export function reserve(movement: Movement, held: Held, facts: BatchFacts, plan: Plan): Reserved {
  const terms = movement.hold as HoldTerms
  const hold = moveHold({ ...movement, hold: terms }, held)
  note(hold, movement, held, facts, plan)
  const detail = toDetail(movement, terms, hold)
  plan.events.push(
    ...(movement.events ?? []).map((event) => ({
      ...event,
      target: event.target ?? hold.id,
      ...(detail !== undefined && { detail }),
    })),
  )
  return { hold, isReplayed: false }
}

/**
 * What the trail says of a hold: which one it is, and its terms from now on, which the verification
 * compares. Those of a new card payment stand in its authorisation. No reference: it may name a
 * person, and can be erased in the hold only.
 */
function toDetail(
  { authorization }: Movement,
  { step }: HoldTerms,
  hold: CountedHold,
): string | undefined {
  if (step === 'change') return tellHoldTerms(hold)
  if (step !== 'place') return undefined
  return authorization ? `hold ${hold.id}` : `hold ${hold.id}: ${tellHoldTerms(hold)}`
}

/** Takes what a transfer has captured out of its hold. */
export function takeOut(
  movement: Movement,
  { id: transferId }: Transfer,
  held: Held,
  facts: BatchFacts,
  plan: Plan,
): void {
  const { hold: terms } = movement
  if (!terms || !held.hold) return
  const hold = captureHold({ ...movement, hold: terms }, { ...held, hold: held.hold })
  plan.captures.push({ transferId, holdId: hold.id })
  note(hold, movement, held, facts, plan)
}

function note(
  hold: CountedHold,
  { hold: terms, authorization }: Movement,
  { from, hold: before, at }: Held,
  facts: BatchFacts,
  plan: Plan,
): void {
  const { step } = terms as HoldTerms
  facts.holds.set(hold.id, hold)
  plan.accounts.add(from)
  countInCard(before, hold, facts, plan)
  // What an authorisation has placed is written with it.
  if (authorization && step === 'place') return
  plan.holds.set(hold.id, hold)
  plan.holdEvents.push({ id: hold.id, word: words[step], at: new Date(at) })
}

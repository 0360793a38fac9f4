// Holds: an amount of an account is reserved, changed, released or taken.
import { countLimit } from '../../domain/errors.ts'
import { decide, decideHold } from '../rules/decide.ts'
import {
  changeHold,
  type CountedHold,
  type Held,
  holdsMax,
  noteChanged,
  placeHold,
  releaseHold,
  tellHoldTerms,
} from '../rules/holds.ts'
import { type MovementOf, type ReserveMovement } from '../rules/movement.ts'
import { cardIdOf } from '../rules/named-by-movement.ts'
import type { LockedAccount } from '../rows/transfers.ts'
import { aboutThing, bookCapture, findHold, toHoldRows } from './book.ts'
import type { Before, Place, Planned, Rows } from './facts.ts'

export function planHold(movement: ReserveMovement, place: Place, before: Before): Planned {
  const { hold: terms, amount, reference, caller } = movement
  const { from, at } = place
  const { hold, payment } = findHold(movement, before)
  const card = before.state.cards.get(cardIdOf(movement) ?? '')
  const code = decideHold(movement, { ...place, hold, payment, card })
  const toRows = (left: Held<LockedAccount>, word: 'created' | 'changed' | 'released'): Rows => ({
    made: { hold: left.hold, isReplayed: false },
    madeId: left.hold.id,
    ...toHoldRows(left, hold, { word, at }, before),
    events: aboutThing(movement.events, left.hold.id, details[word](left.hold)),
  })
  if (terms.step === 'place') {
    const isFull = code === 'limit_exceeded'
    if (isFull) return { code, limit: countLimit('activeHolds', holdsMax[terms.kind]) }
    if (code !== undefined) return { code }
    const asked = { ...terms, amount, reference, callerId: caller.userId, countedOn: null }
    return (id) => toRows(placeHold(from, { ...asked, id }, at), 'created')
  }
  if (code !== undefined || !hold) return { code: code ?? 'not_found' }
  if (terms.step === 'release') {
    const told = payment && ({ id: hold.id, word: 'released', at: new Date(at) } as const)
    return () => ({ ...toRows(releaseHold({ hold, from }, at), 'released'), cardEvent: told })
  }
  return () => {
    const changed = changeHold({ hold, from }, terms)
    return { ...toRows(changed, 'changed'), note: noteChanged(changed.hold) }
  }
}

/**
 * What the trail says of a hold: which one it is, and its terms from now on, which the verification
 * compares. No reference: it may name a person, and can be erased in the hold only.
 */
const details = {
  created: (hold: CountedHold) => `hold ${hold.id}: ${tellHoldTerms(hold)}`,
  changed: tellHoldTerms,
  released: () => undefined,
}

export function planCapture(
  movement: MovementOf<'capture'>,
  place: Place,
  before: Before,
): Planned {
  const { hold, payment } = findHold(movement, before)
  const code = decide(movement, { ...place, hold, payment })
  if (code !== undefined || !hold) return { code: code ?? 'not_found' }
  return (id) => bookCapture(movement, hold, place, id, before)
}

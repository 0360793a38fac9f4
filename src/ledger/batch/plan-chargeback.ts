// Chargebacks of card payments: a provisional credit, and what takes it back where the shop has won
// or the chargeback was withdrawn.
import { newId } from '../../domain/ids.ts'
import { decide } from '../rules/decide.ts'
import type { MovementOf } from '../rules/movement.ts'
import type { AuthorizationMail } from '../rows/authorizations.ts'
import type { LockedAccount } from '../rows/transfers.ts'
import { bookTransfer, findHold } from './book.ts'
import type { Before, Place, Planned } from './facts.ts'
import { tellDebt } from './plan-clearing.ts'

export function planChargeback(
  movement: MovementOf<'chargeback'>,
  place: Place,
  before: Before,
): Planned {
  const { hold, payment } = findHold(movement, before)
  const code = decide(movement, { ...place, hold, payment })
  if (code !== undefined || !payment) return { code: code ?? 'not_found' }
  const { amount, reason } = movement
  return (id) => ({
    ...bookTransfer(movement, place, id),
    payment: { ...payment, chargedBack: payment.chargedBack + amount },
    chargeback: { transferId: id, paymentId: payment.id, reason },
    cardEvent: { id, word: 'chargeback.made', at: new Date(place.at) },
    cardMail: tellHolder(place.to, { step: 'made', chargebackId: id }, payment.id, place.at),
  })
}

/** It happens once to a chargeback: no trace against duplicates is needed. */
export function planTakeback(
  movement: MovementOf<'takeback'>,
  place: Place,
  before: Before,
): Planned {
  const { outcome, caller, amount } = movement
  const original = before.state.originals.get(movement.originalId)
  const { hold, payment } = findHold(movement, before)
  const code = decide(movement, { ...place, hold, payment, original })
  if (code !== undefined || !payment || !original) return { code: code ?? 'not_found' }
  // The texts may have been erased since the request read them: the movement repeats none then.
  const terms = original.isErased
    ? { ...movement, reference: '', counterparty: undefined }
    : movement
  const { from, at } = place
  const [chargebackId, endedAt] = [original.id, new Date(at)]
  return (id) => ({
    ...tellDebt(movement, place, bookTransfer(terms, place, id, from), payment.id),
    original: { ...original, reversedBy: id },
    payment: { ...payment, chargedBack: payment.chargedBack - amount },
    chargebackEnd: { chargebackId, outcome, transferId: id, endedAt, callerId: caller.userId },
    cardEvent: { id: chargebackId, word: `chargeback.${outcome}`, at: endedAt },
    cardMail: tellHolder(from, { step: outcome, chargebackId }, payment.id, at),
  })
}

/** Whatever alerts the account has switched off. Suspense has no holder. */
function tellHolder(
  { ownerId: userId }: LockedAccount,
  told: Pick<Required<AuthorizationMail>, 'step' | 'chargebackId'>,
  authorizationId: string,
  at: number,
): AuthorizationMail | undefined {
  if (userId === null) return undefined
  const createdAt = new Date(at)
  return { ...told, id: newId(at), kind: 'card-dispute', userId, authorizationId, createdAt }
}

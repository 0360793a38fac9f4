// What follows on a transfer: it is sent or settled, or its money is brought back.
import { decide, decideStep } from '../rules/decide.ts'
import { giveBackUnconfirmed } from '../rules/confirmation.ts'
import { maxBalance } from '../rules/holds.ts'
import {
  type BackMovement,
  type LockedTransfer,
  statusAfter,
  type StepMovement,
} from '../rules/movement.ts'
import type { LockedAccount } from '../rows/transfers.ts'
import { aboutThing, bookMark, bookTransfer } from './book.ts'
import type { Before, Place, Planned, Rows } from './facts.ts'

/** Notes that a transfer was sent, or has arrived, at another bank. */
export function planStep(movement: StepMovement, place: Place, { state }: Before): Planned {
  const original = state.originals.get(movement.originalId)
  const code = decideStep(movement, { ...place, original })
  if (code !== undefined || !original) return { code: code ?? 'illegal_transition' }
  const { id } = original
  return () => {
    const { clearing, mark } = bookMark(movement, place)
    const transfer = { ...original, ...stepped[movement.kind](original, movement) }
    return {
      made: { transfer, isReplayed: false },
      madeId: id,
      accounts: [clearing],
      original: transfer,
      step: { id, status: transfer.status, marks: [mark] },
      events: aboutThing(movement.events, id),
    }
  }
}

const stepped: Record<
  StepMovement['kind'],
  (original: LockedTransfer, movement: StepMovement) => Pick<LockedTransfer, 'status' | 'claimedBy'>
> = {
  sending: (_, { caller }) => ({ status: 'sent', claimedBy: caller.userId }),
  settlement: ({ claimedBy }) => ({ status: 'completed', claimedBy }),
}

/** A transfer is brought back only once: no trace against duplicates is needed. */
export function planBack(movement: BackMovement, place: Place, before: Before): Planned {
  const original = before.state.originals.get(movement.originalId)
  const code = decide(movement, { ...place, original })
  if (code !== undefined || !original) return { code: code ?? 'illegal_transition' }
  // The texts may have been erased since the request read them: the movement repeats none then.
  const terms = original.isErased
    ? { ...movement, reference: '', counterparty: undefined }
    : movement
  return (id) => {
    const { accounts, ...booked } = bookTransfer(terms, place, id)
    const [from, to] = accounts
    const isOfDay = before.facts.days.dayOf(original.createdAt.getTime()) === place.day
    const isPayment = original.kind === 'transfer' && to.id === original.fromAccountId
    const given = isPayment && isOfDay ? giveBack(original, to, place, before) : { payee: to }
    const { payee, ...unconfirmed } = given
    // Money that came from another bank is sent back by a transfer of its own, which has states.
    const status = original.kind === 'incoming' ? undefined : statusAfter(movement.kind)
    return {
      ...booked,
      ...unconfirmed,
      accounts: [from, payee],
      original: { ...original, status: status ?? original.status, reversedBy: id },
      step: status && { id: original.id, status, marks: [] },
    }
  }
}

/**
 * What the customer had paid on the same day counts to no limit any more. A sum that has reached
 * its end stays there: more may count to it than it tells.
 */
function giveBack(
  original: LockedTransfer,
  to: LockedAccount,
  { day }: Place,
  { state }: Before,
): { payee: LockedAccount } & Pick<Rows, 'unconfirmed'> {
  const isCounted = to.spentOn === day && to.spentAmount !== maxBalance
  const unconfirmed = giveBackUnconfirmed(original, state.unconfirmed.get(to.id))
  return {
    payee: isCounted ? { ...to, spentAmount: to.spentAmount - original.amount } : to,
    unconfirmed: unconfirmed && [to.id, unconfirmed],
  }
}

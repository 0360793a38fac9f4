// What staff book: cash, what the bank books itself, and what comes from another bank.
import { decide } from '../rules/decide.ts'
import { type BookingMovement, isPosting } from '../rules/movement.ts'
import { bookTransfer } from './book.ts'
import type { Place, Planned } from './facts.ts'

export function planBooking(movement: BookingMovement, place: Place): Planned {
  const code = decide(movement, place)
  if (code !== undefined) return { code }
  const { from, to } = place
  // The trail names the customer's account, where there is one.
  const isOfPayer = isPosting(movement.kind) && from.kind === 'customer'
  return (id) => bookTransfer(toBooked(movement, place), place, id, isOfPayer ? from : to)
}

/** What lies in suspense says whom it was for. */
function toBooked(movement: BookingMovement, { to }: Place): BookingMovement {
  if (!('suspenseDetails' in movement) || to.id !== movement.suspenseId) return movement
  return { ...movement, details: movement.suspenseDetails }
}

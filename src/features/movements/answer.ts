// What follows from a movement that took effect: its answer, and whether it is told as a large one.
import type { Config } from '../../config/config.ts'
import { Answer } from '../../http/route.ts'
import type { Movement } from '../../ledger/rules/movement.ts'
import type { DetailedTransfer } from './details.ts'
import { asFirstAnswered, toTransfer, type View, type WithCalendar } from './schemas.ts'

/** The answer to a movement: the same again when the request is repeated. */
export function toAnswer(
  { transfer, isReplayed }: { transfer: DetailedTransfer; isReplayed: boolean },
  view: View,
  service: WithCalendar,
) {
  const first = toTransfer(asFirstAnswered(transfer), view, service)
  return new Answer(first, {
    location: `/api/v1/transfers/${transfer.id}`,
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })
}

/** Whether the amount is above that of its currency. False if there is none. */
export const isAbove = (
  amounts: Config['alertAbove'],
  { amount, currency }: Pick<Movement, 'amount' | 'currency'>,
): boolean => amount > (amounts[currency] ?? amount)

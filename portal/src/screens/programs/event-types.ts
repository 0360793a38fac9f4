// The types of events, in the order in which they are offered.
import type { EventWord, NoneLeft } from '../../../../languages/words.ts'

export const eventTypes = [
  'account.opened',
  'account.frozen',
  'account.unfrozen',
  'account.closed',
  'beneficiary.added',
  'beneficiary.deactivated',
  'beneficiary.reactivated',
  'beneficiary.deleted',
  'card.issued',
  'card.frozen',
  'card.unfrozen',
  'card.cancelled',
  'card.payment.authorized',
  'card.payment.declined',
  'card.payment.captured',
  'card.payment.released',
  'card.payment.refunded',
  'hold.created',
  'hold.changed',
  'hold.captured',
  'hold.released',
  'hold.expired',
  'order.created',
  'order.paused',
  'order.resumed',
  'order.ended',
  'order.refused',
  'session.revoked',
  'transfer.completed',
  'transfer.pending',
  'transfer.sent',
  'transfer.settled',
  'transfer.cancelled',
  'transfer.returned',
  'transfer.reversed',
] as const satisfies readonly EventWord[]

/** Each is offered, but for the test, which no event is. */
export type Unoffered = NoneLeft<Exclude<EventWord, (typeof eventTypes)[number] | 'webhook.test'>>

// The texts in English of payments that staff have looked up.
import type { FoundKind, RefusedReason } from '../../words.ts'
import type { CardPayment, Hold, Transfer } from '../../../client/src/generated.ts'

export const texts = {
  found: {
    title: 'Payments',
    none: 'No payment was found.',
    late: 'A payment is found some seconds after it was made. What was refused is kept for 90 days.',
    kinds: {
      transfer: 'Payment',
      cardPayment: 'Payment by card',
      hold: 'Reserved amount',
      refused: 'Refused payment',
    } satisfies Record<FoundKind, string>,
    refusedRun: 'Refused run of a standing order',
    to: (target: string) => `to ${target}`,
    transfers: {
      completed: 'Completed',
      pending: 'Pending',
      returned: 'Returned',
      sent: 'Sent',
      cancelled: 'Cancelled',
    } satisfies Record<Transfer['status'], string>,
    cardPayments: {
      authorized: 'Reserved',
      captured: 'Paid',
      released: 'Released',
      expired: 'Expired',
      declined: 'Declined',
    } satisfies Record<CardPayment['status'], string>,
    holds: {
      active: 'Reserved',
      captured: 'Captured',
      released: 'Released',
      expired: 'Expired',
    } satisfies Record<Hold['status'], string>,
    reasons: {
      credits_blocked: 'account of the payee takes no money',
      debits_blocked: 'payments from the account blocked',
      insufficient_funds: 'not enough money',
      limit_exceeded: 'above a limit',
      account_frozen: 'account frozen',
      account_closed: 'account of the payee closed',
      beneficiary_inactive: 'payee deactivated',
      beneficiary_cooling: 'payee too new after a recovery',
      not_found: 'payee deleted',
      currency_mismatch: 'currencies differ',
      forbidden: 'no right to pay from the account',
      duplicate_transfer: 'same payment moments before',
      payee_not_accepted: 'name of the payee does not match',
    } satisfies Record<RefusedReason, string>,
    otherReason: 'not possible',
  },
}

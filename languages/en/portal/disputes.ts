// What a person reads of a disputed card payment, and staff of those that wait.
import type { Dispute } from '../../../client/src/generated.ts'

export const texts = {
  disputes: {
    title: 'Dispute',
    dispute: 'Dispute this payment',
    what: 'What is wrong?',
    choose: 'Please choose',
    text: 'What happened',
    missing: 'Please choose what is wrong.',
    blank: 'Please say what happened.',
    send: 'Send to the bank',
    answer: 'Answer of the bank',
    reasons: {
      not_authorized: 'I did not make this payment',
      not_received: 'What I paid for never came',
      not_as_described: 'It is not what was described',
      duplicate: 'It was charged twice',
      wrong_amount: 'The amount is wrong',
      cancelled: 'I had cancelled it',
      other: 'Something else',
    } satisfies Record<Dispute['reason'], string>,
    statuses: {
      open: 'The bank looks into it',
      charged_back: 'Credited until it is decided',
      won: 'Decided for you: the money is yours',
      lost: 'Decided for the shop: the credit was taken back',
      withdrawn: 'Withdrawn: the credit was taken back',
      closed: 'Closed by the bank',
    } satisfies Record<Dispute['status'], string>,
    staffTitle: 'Disputes',
    staffMeaning:
      'Card payments that holders dispute: to be charged back by the processor, or closed',
    none: 'No dispute waits.',
    since: 'Since',
    account: 'Account',
    close: 'Close',
    closeTitle: 'Close without a chargeback',
    closeMeaning: 'The holder reads this reason.',
    reason: 'Reason',
  },
}

// What the form and the review of a payment share.
import type { Currency } from '../../texts/money.tsx'

/** The names of the drafts: of what is typed, and of what is reviewed. */
export const transferDraft = 'transfer'
export const transferReview = 'transfer.review'

/** The draft that names the payee of one payment alone, who is not kept. */
export const oncePayee = 'transfer.once'

/** As nothing is typed yet. */
export const emptyTransfer = {
  from: '',
  /** `account:` or `beneficiary:` with the identifier. */
  to: '',
  amount: '',
  reference: '',
  /** The language of the notation in which the amount was typed: it may differ in another. */
  notation: '',
  /** `now`, or the rhythm of a standing order, which has the fields below. */
  when: 'now',
  firstOn: '',
  lastOn: '',
  retryDays: '0',
  /** Empty: as the bank has it. */
  onHoliday: '',
}
export type TransferDraft = typeof emptyTransfer

/** The payee as the API takes it. */
export function toTarget(chosen: string): { toAccountId?: string; beneficiaryId?: string } {
  const [kind, id = ''] = chosen.split(':')
  return kind === 'account' ? { toAccountId: id } : { beneficiaryId: id }
}

/** What is posted. */
export type TransferBody = {
  fromAccountId: string
  toAccountId?: string
  beneficiaryId?: string
  amount: string
  currency: Currency
  reference: string
  payeeCheckId?: string
  acceptPayee?: boolean
}

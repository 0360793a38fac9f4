// What the form and the review of a payment share.
import type { Currency } from '../../texts/money.tsx'

/** The names of the drafts: of what is typed, and of what is reviewed. */
export const transferDraft = 'transfer'
export const transferReview = 'transfer.review'

/** The draft that names the payee of one payment alone, who is not kept. */
export const oncePayee = 'transfer.once'

/** What is posted. */
export type TransferBody = {
  fromAccountId: string
  toAccountId?: string
  beneficiaryId?: string
  amount: string
  currency: Currency
  reference: string
}

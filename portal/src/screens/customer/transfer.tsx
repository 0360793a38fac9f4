// Paying: a form, its review, and the search for the outcome when an answer was lost.
import { useState } from 'preact/hooks'
import { readDraft } from '../../state/draft.ts'
import type { Review } from '../../calls/payment.ts'
import { readQuery } from '../../state/router.ts'
import { type TransferBody, transferReview } from './transfer-body.ts'
import { TransferForm } from './transfer-form.tsx'
import { TransferReview } from './transfer-review.tsx'

export function Transfer() {
  const [kept] = useState(() => readDraft(transferReview) as Review<TransferBody> | undefined)
  const isReview = kept !== undefined && readQuery().has('review')
  // A payment whose outcome is open comes before any other.
  return kept?.sentAt !== undefined || isReview ? <TransferReview /> : <TransferForm />
}

// Paying: a form, its review, and the search for the outcome when an answer was lost.
import { useState } from 'preact/hooks'
import { findMovement } from '../../calls/movements.ts'
import { isOpen } from '../../state/movement.ts'
import { readQuery } from '../../state/router.ts'
import { transferReview } from './transfer-body.ts'
import { TransferForm } from './transfer-form.tsx'
import { TransferReview } from './transfer-review.tsx'

export function Transfer() {
  const [kept] = useState(() => findMovement(transferReview))
  // A payment whose outcome is open comes before any other.
  const isReview = kept !== undefined && (isOpen(kept) || readQuery().has('review'))
  return isReview ? <TransferReview /> : <TransferForm />
}

// Paying now or by a standing order: a form, its review, and the search for a lost outcome.
import { useEffect, useState } from 'preact/hooks'
import { Later } from '../../parts/later.tsx'
import { findMovement } from '../../calls/movements.ts'
import { isOpen } from '../../state/movement.ts'
import { readQuery } from '../../state/router.ts'
import { loadTexts } from '../../texts/language.ts'
import { transferReview } from './transfer-body.ts'
import { TransferForm } from './transfer-form.tsx'

const loadReview = async () => (await import('./transfer-review.tsx')).TransferReview

async function loadOrderReview() {
  const loading = [import('./orders/order-review.tsx'), loadTexts('orders')] as const
  const [{ OrderReview }] = await Promise.all(loading)
  return OrderReview
}

export function Transfer() {
  const [kept] = useState(() => findMovement(transferReview))
  // It is there by the time that something is typed. Its page asks again, and tells of a failure.
  useEffect(() => void loadReview().catch(() => undefined), [])
  // A payment whose outcome is open comes before any other.
  const isReview = kept !== undefined && (isOpen(kept) || readQuery().has('review'))
  if (!isReview) return <TransferForm />
  const isOrder = kept.path.endsWith('/orders')
  return <Later load={isOrder ? loadOrderReview : loadReview} with={{}} />
}

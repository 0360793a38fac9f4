// The dispute of a card payment, whose parts and texts are loaded once the payment is opened.
import { UserText } from '../../../parts/accounts.tsx'
import { Later } from '../../../parts/later.tsx'
import type { CardPayment } from '../../../state/types.ts'
import { loadTexts } from '../../../texts/language.ts'

const load = async () => {
  const [{ DisputeOf }] = await Promise.all([import('./dispute.tsx'), loadTexts('disputes')])
  return DisputeOf
}

export const LateDispute = ({ payment }: { payment: CardPayment }) => (
  <Later load={load} with={{ payment, UserText }} />
)

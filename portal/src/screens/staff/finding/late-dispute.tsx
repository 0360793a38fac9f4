// The dispute of a card payment for staff, whose parts and texts are loaded once it is opened.
import { UserText } from '../../../parts/accounts.tsx'
import { Later } from '../../../parts/later.tsx'
import type { CardPayment } from '../../../state/types.ts'
import { loadTexts } from '../../../texts/language.ts'

const load = async () => {
  const [{ StaffDisputeOf }] = await Promise.all([
    import('./charge-back.tsx'),
    loadTexts('disputes'),
  ])
  return StaffDisputeOf
}

export const LateStaffDispute = ({ payment }: { payment: CardPayment }) => (
  <Later load={load} with={{ payment, UserText }} />
)

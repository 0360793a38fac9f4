// A card that is lost: it is cancelled, and a new one ordered with its nickname.
import { lastFour } from '../../../parts/cards.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { useSubmit } from '../../../calls/submit.ts'
import type { Card } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'

type Props = { of: Card; onDone: (told: string) => void; onClose: () => void }

export function CardReplacing({ of: card, onDone, onClose }: Props) {
  const t = texts().cards
  const sending = useSubmit<Card>()
  const digits = lastFour(card)
  /** The lost card is cancelled first: it stays so when the new one is refused. */
  async function replace(): Promise<void> {
    const cancelled = { path: `/cards/${card.id}`, body: { status: 'cancelled' } }
    if (!(await sending.submit({ method: 'PUT', ...cancelled, isRepeatable: true }))) return
    const ordered = {
      path: `/accounts/${card.accountId}/cards`,
      body: { nickname: card.nickname },
    }
    const done = await sending.submit({ method: 'POST', ...ordered, isRepeatable: false })
    if (done) onDone(t.replaced(digits, lastFour(done.result)))
  }
  return (
    <Question
      title={t.replaceTitle(digits)}
      confirm={t.replaceConfirm}
      keep={t.keep}
      isBusy={sending.isBusy}
      onConfirm={() => void replace()}
      onClose={onClose}
    >
      <Outcome of={sending} />
      <p>{t.replaceText}</p>
    </Question>
  )
}

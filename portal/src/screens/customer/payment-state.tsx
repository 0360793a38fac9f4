// What becomes of a payment to another bank, in words, and its cancellation by the payer.
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Outcome } from '../../parts/form.tsx'
import { useSubmit } from '../../calls/submit.ts'
import { to } from '../../state/paths.ts'
import type { Transfer } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { formatDay } from '../../texts/time.tsx'
import { formatMoney } from '../../texts/money.tsx'
import { findReturnSentence } from './return-words.ts'

function explainReason(code: string): string {
  const t = texts().paymentState
  const known = findReturnSentence(code)
  return known ? t.reasons[known] : t.otherReason(code)
}

/**
 * When the money arrives, by the days of the bank, and what the other bank has told of it; why it
 * came back, and the entry that brought it back.
 */
export function PaymentState({ transfer, accountId }: { transfer: Transfer; accountId: string }) {
  const { entry, paymentState: t } = texts()
  const { reversedBy: transactionId, status, reasonCode, endToEndId } = transfer
  const { leavesOn, arrivesBy } = transfer
  const isOnItsWay = status === 'pending' || status === 'sent'
  const days =
    isOnItsWay && leavesOn && arrivesBy && t.leaves(formatDay(leavesOn), formatDay(arrivesBy))
  // A payment within the bank is there at once, and no other bank tells of it.
  const isHere = !endToEndId && status === 'completed'
  return (
    <div>
      <p>
        <strong>{days || (isHere ? t.arrived : entry.statuses[status])}</strong>
      </p>
      {endToEndId && (
        <p class="quiet">
          {days && `${entry.statuses[status]}. `}
          {t.states[status]}
        </p>
      )}
      {reasonCode && (
        <p class="quiet">
          {t.why}: {explainReason(reasonCode)}
        </p>
      )}
      {transactionId && (
        <p>
          <a href={to('entry', { accountId, transactionId })}>{t.broughtBack}</a>
        </p>
      )}
    </div>
  )
}

/** Offered while the payment is pending. Also after a refusal `again` shows how it stands. */
export function CancelPayment({ transfer, again }: { transfer: Transfer; again: () => void }) {
  const t = texts().paymentState
  const { id, amount, currency, status } = transfer
  const [isAsked, setAsked] = useState(false)
  // A repetition is the first answer again.
  const [key] = useState(() => crypto.randomUUID())
  const cancelling = useSubmit<Transfer>()
  async function cancel(): Promise<void> {
    const path = `/transfers/${id}/cancel`
    await cancelling.submit({ method: 'POST', path, key, isRepeatable: true })
    setAsked(false)
    again()
  }
  return (
    <>
      <div role="status">
        {cancelling.state === 'done' && <Notice kind="good">{t.done}</Notice>}
      </div>
      <Outcome of={cancelling} />
      {status === 'pending' && (
        <div class="actions no-print">
          <Button onClick={() => setAsked(true)}>{t.cancel}</Button>
        </div>
      )}
      {isAsked && (
        <Question
          title={t.title(formatMoney(amount, currency))}
          confirm={t.cancel}
          keep={t.keep}
          isBusy={cancelling.isBusy}
          onConfirm={() => void cancel()}
          onClose={() => setAsked(false)}
        >
          <p>{t.text}</p>
        </Question>
      )}
    </>
  )
}

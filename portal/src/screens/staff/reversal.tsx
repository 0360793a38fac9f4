// Brings the money of a transfer back, once, with a reason and after a review of both balances.
import { useEffect, useState } from 'preact/hooks'
import { Button, Facts, groupIban, Section } from '../../parts/basic.tsx'
import { bindFields, Form } from '../../parts/form.tsx'
import { useDraft } from '../../state/draft.ts'
import { texts } from '../../texts/language.ts'
import { Money, negate } from '../../texts/money.tsx'
import { usePayment } from '../../calls/payment.ts'
import type { Transfer } from '../../state/types.ts'
import { Reason, reasonError } from './reason.tsx'
import { Balances, Confirm, type Side } from './review.tsx'
import type { ChangeNotice, SideRead } from './transfer-side.ts'

type Props = {
  transfer: Transfer
  from: SideRead
  to: SideRead
  again: (notice?: ChangeNotice) => void
}

export function Reversal({ transfer, from, to: target, again }: Props) {
  const t = texts()
  const { id, amount, currency } = transfer
  const name = `reversal.${id}`
  const [typed, change, clear] = useDraft(name, { reason: '' })
  const { reason } = typed
  const [isChecked, setChecked] = useState(false)
  const payment = usePayment<{ reason: string }, Transfer>(`${name}.review`, done)
  const errors = { reason: isChecked ? reasonError(reason) : undefined }
  function open(): void {
    setChecked(true)
    if (reasonError(reason)) return
    payment.open(`/admin/transfers/${id}/reversal`, { reason: reason.trim() })
  }
  function done(): void {
    clear()
    again({ kind: 'good', text: t.staffTransfer.reversed })
  }
  const isDoneByOthers = payment.failure?.code === 'already_reversed'
  useEffect(() => {
    if (!isDoneByOthers) return
    clear()
    again({ kind: 'info', text: t.errors.already_reversed })
  }, [isDoneByOthers])
  const side = ({ account: { data } }: SideRead, moved: string): Side[] =>
    data ? [{ account: groupIban(data.iban), before: data.balance, change: moved }] : []
  const { movement } = payment
  return (
    <Section title={t.staffTransfer.reverse}>
      {movement ? (
        <Confirm of={payment} label={t.staffTransfer.reverseConfirm}>
          <Facts
            rows={[
              [t.cash.amount, <Money amount={amount} currency={currency} />],
              [t.cash.reason, movement.body.reason],
            ]}
          />
          <Balances
            sides={[...side(target, negate(amount)), ...side(from, amount)]}
            currency={currency}
          />
        </Confirm>
      ) : (
        <Form errors={errors} onSubmit={open}>
          <p>{t.staffTransfer.reverseText}</p>
          <Reason {...bindFields(typed, change, errors)('reason')} hint={t.cash.reasonHint} />
          <Button type="submit">{t.cash.review}</Button>
        </Form>
      )}
    </Section>
  )
}

// Charges a card payment back, for an administrator: an amount up to what has not come back, and
// the reason code of the scheme. And what staff see of the dispute of a payment.
import { useState } from 'preact/hooks'
import { useRead } from '../../../calls/call.ts'
import { isAdmin } from '../../../calls/session.ts'
import { useSubmit } from '../../../calls/submit.ts'
import type { UserText } from '../../../parts/accounts.tsx'
import { Button, Loaded } from '../../../parts/basic.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  Form,
  FormActions,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import type { CardPayment } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import {
  amountError,
  formatMoney,
  negate,
  parseTyped,
  sum,
  toTyped,
} from '../../../texts/money.tsx'
import { DisputeOf } from '../../common/disputes/dispute.tsx'

/** What was captured and has not come back. */
const leftOf = ({ captured, refunded, chargedBack, currency }: CardPayment): string =>
  sum([captured, negate(refunded), negate(chargedBack)], currency)

type FormProps = { payment: CardPayment; onDone: () => void; onClose: () => void }

function ChargeBackForm({ payment, onDone, onClose }: FormProps) {
  const t = texts().disputes
  const { id, currency } = payment
  const left = leftOf(payment)
  const [typed, change] = useTyped({ amount: toTyped(left, currency), reason: '' })
  // The same for each attempt of this form: it stands for one chargeback.
  const [externalId] = useState(() => crypto.randomUUID())
  const [own, accept] = useErrors()
  const sending = useSubmit()
  const errors = errorsOf(sending, own, { reason: t.badCode })
  async function send(): Promise<void> {
    const amount = parseTyped(typed.amount, currency)
    const reason = typed.reason.trim().toUpperCase()
    const found = {
      amount: amount === undefined ? amountError(typed.amount, currency) : undefined,
      reason: /^[0-9A-Z][0-9A-Z.]{0,15}$/.test(reason) ? undefined : t.badCode,
    }
    if (!accept(found)) return
    const path = `/card-payments/${id}/chargebacks`
    const body = { amount, currency, reason, externalId }
    if (await sending.submit({ method: 'POST', path, body, isRepeatable: true })) onDone()
  }
  const bind = bindFields(typed, change, errors)
  return (
    <Form errors={errors} of={sending} onSubmit={() => void send()}>
      <p>{t.chargeBackMeaning(formatMoney(left, currency))}</p>
      <Field {...bind('amount')} label={t.amount} inputMode="decimal" maxLength={30} />
      <Field {...bind('reason')} label={t.code} hint={t.codeHint} maxLength={16} />
      <FormActions label={t.chargeBack} isBusy={sending.isBusy} cancel={onClose} />
    </Form>
  )
}

type ChargingProps = { paymentId: string; onDone: () => void; onClose: () => void }

export function ChargingBack({ paymentId, ...form }: ChargingProps) {
  const read = useRead<CardPayment>(`/card-payments/${paymentId}`)
  return (
    <Dialog title={texts().disputes.chargeBackTitle} onClose={form.onClose}>
      <Loaded of={read} lines={3}>
        {(payment) => <ChargeBackForm payment={payment} {...form} />}
      </Loaded>
    </Dialog>
  )
}

type StaffProps = { payment: CardPayment; UserText: typeof UserText }

/** The dispute of a payment as staff see it, and how it is charged back. */
export function StaffDisputeOf({ payment, ...shown }: StaffProps) {
  const [isAsked, setAsked] = useState(false)
  const [count, setCount] = useState(0)
  const end = () => setAsked(false)
  const done = () => {
    end()
    setCount(count + 1)
  }
  return (
    <>
      <DisputeOf key={count} payment={payment} {...shown} />
      {isAdmin() && count === 0 && /[1-9]/.test(leftOf(payment)) && (
        <div class="actions">
          <Button onClick={() => setAsked(true)}>{texts().disputes.chargeBack}</Button>
        </div>
      )}
      {count > 0 && <p role="status">{texts().disputes.chargedBack}</p>}
      {isAsked && <ChargingBack paymentId={payment.id} onDone={done} onClose={end} />}
    </>
  )
}

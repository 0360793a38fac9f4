// The dispute of a card payment: how it stands, and the form by which its holder begins one.
import { useState } from 'preact/hooks'
import { useRead } from '../../../calls/call.ts'
import { me } from '../../../calls/session.ts'
import { useSubmit } from '../../../calls/submit.ts'
import type { CardPayment, Dispute } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { Time } from '../../../texts/time.tsx'
import type { UserText } from '../../../parts/accounts.tsx'
import { Button, Facts, Loaded } from '../../../parts/basic.tsx'
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

type Props = { payment: CardPayment }
/** What loads this has it: a script less for each page. */
type DisputeProps = Props & { UserText: typeof UserText }

/** Minor units of amounts of one currency, which have as many digits. */
const unitsOf = (amount: string): bigint => BigInt(amount.replace('.', ''))

const isLeft = ({ captured, refunded, chargedBack }: CardPayment): boolean =>
  unitsOf(captured) > unitsOf(refunded) + unitsOf(chargedBack)

/** As long as it waits for somebody. */
const isOpen = ({ status }: Dispute): boolean => status === 'open' || status === 'charged_back'

export function DisputeOf({ payment, UserText }: DisputeProps) {
  const t = texts().disputes
  const [isAsked, setAsked] = useState(false)
  const read = useRead<{ items: Dispute[] }>(`/card-payments/${payment.id}/disputes`)
  return (
    <Loaded of={read} lines={1}>
      {({ items: [last] }) => {
        const mayBegin = me.value?.roles.includes('customer') === true && isLeft(payment)
        return (
          <>
            {last && (
              <Facts
                rows={[
                  [t.title, t.statuses[last.status]],
                  [t.what, t.reasons[last.reason]],
                  [t.text, last.text && <UserText>{last.text}</UserText>],
                  [t.answer, last.closedReason && <UserText>{last.closedReason}</UserText>],
                  [t.since, <Time at={last.createdAt} />],
                ]}
              />
            )}
            {mayBegin && !(last && isOpen(last)) && (
              <div class="actions">
                <Button onClick={() => setAsked(true)}>{t.dispute}</Button>
              </div>
            )}
            {isAsked && <DisputeForm payment={payment} onEnd={() => end(setAsked, read)} />}
          </>
        )
      }}
    </Loaded>
  )
}

function end(setAsked: (is: boolean) => void, read: { again: () => void }): void {
  setAsked(false)
  read.again()
}

function DisputeForm({ payment, onEnd }: Props & { onEnd: () => void }) {
  const t = texts().disputes
  const [typed, change] = useTyped({ reason: '', text: '' })
  const [own, accept] = useErrors()
  const sending = useSubmit()
  const errors = errorsOf(sending, own, { text: texts().form.badText })
  async function send(): Promise<void> {
    const { reason, text } = typed
    const found = {
      reason: reason === '' ? t.missing : undefined,
      text: text.trim() === '' ? t.blank : undefined,
    }
    if (!accept(found)) return
    const path = `/card-payments/${payment.id}/disputes`
    const body = { reason, text: text.trim() }
    if (await sending.submit({ method: 'POST', path, body, isRepeatable: false })) onEnd()
  }
  const bind = bindFields(typed, change, errors)
  const reasons = Object.entries(t.reasons)
  return (
    <Dialog title={t.dispute} onClose={onEnd}>
      <Form errors={errors} of={sending} onSubmit={() => void send()}>
        <Field {...bind('reason')} label={t.what} options={[['', t.choose], ...reasons]} />
        <Field {...bind('text')} label={t.text} rows={4} maxLength={1000} />
        <FormActions label={t.send} isBusy={sending.isBusy} cancel={onEnd} />
      </Form>
    </Dialog>
  )
}

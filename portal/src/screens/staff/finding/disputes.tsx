// Disputed card payments and chargebacks, each by how they stand. An administrator charges a
// payment back, or closes a dispute with a reason.
import { useState } from 'preact/hooks'
import { UserText } from '../../../parts/accounts.tsx'
import { Button, Facts, Screen, Section } from '../../../parts/basic.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  Form,
  FormActions,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import { usePages } from '../../../calls/call.ts'
import { isAdmin } from '../../../calls/session.ts'
import { useSubmit } from '../../../calls/submit.ts'
import { texts } from '../../../texts/language.ts'
import { Money } from '../../../texts/money.tsx'
import { Time, timeZoneName } from '../../../texts/time.tsx'
import type { Chargeback, Dispute } from '../../../state/types.ts'
import { ChargingBack } from './charge-back.tsx'
import { Chargebacks, chargebackState } from './chargebacks.tsx'
import { AccountOf, chosenState, Shop, StateChoice } from './dispute-parts.tsx'

const states = ['open', 'charged_back', 'won', 'lost', 'withdrawn', 'closed'] as const

type AskedAnswer = { dispute: Dispute; verb: 'close' | 'chargeBack' }

export function Disputes() {
  const t = texts().disputes
  const state = chosenState('disputes', states)
  const list = usePages<Dispute>(`/admin/disputes?limit=50&status=${state}`)
  const chargebacks = usePages<Chargeback>(
    `/admin/chargebacks?limit=50&status=${chargebackState()}`,
  )
  const [asked, setAsked] = useState<AskedAnswer>()
  const close = () => setAsked(undefined)
  const again = () => {
    close()
    list.again()
    chargebacks.again()
  }
  return (
    <Screen title={t.staffTitle}>
      <Section title={t.disputes}>
        <p class="quiet">{t.staffMeaning}</p>
        <StateChoice list="disputes" states={states} value={state} label={t.disputeState} />
        <Listed of={list} none={state === 'open' ? t.none : t.noneSo} lines={4}>
          {(disputes) => (
            <Rows of={disputes}>
              {(dispute) => (
                <div class="card-part">
                  <DisputeFacts of={dispute} />
                  {isAdmin() && dispute.status === 'open' && (
                    <div class="actions">
                      <Button onClick={() => setAsked({ dispute, verb: 'chargeBack' })}>
                        {t.chargeBack}
                      </Button>
                      <Button onClick={() => setAsked({ dispute, verb: 'close' })}>
                        {t.close}
                      </Button>
                    </div>
                  )}
                </div>
              )}
            </Rows>
          )}
        </Listed>
      </Section>
      <Chargebacks of={chargebacks} />
      {asked?.verb === 'close' && <Closing of={asked.dispute} onDone={again} onClose={close} />}
      {asked?.verb === 'chargeBack' && (
        <ChargingBack paymentId={asked.dispute.paymentId} onDone={again} onClose={close} />
      )}
      <p class="quiet small">{texts().common.timesIn(timeZoneName())}</p>
    </Screen>
  )
}

function DisputeFacts({ of: dispute }: { of: Dispute }) {
  const t = texts().disputes
  const { createdAt, merchant, captured, currency, reason, text, accountId, closedReason } = dispute
  return (
    <Facts
      rows={[
        [t.since, <Time at={createdAt} />],
        [t.shop, <Shop of={merchant} />],
        [t.paid, <Money amount={captured} currency={currency} />],
        [t.what, t.reasons[reason]],
        [t.text, text && <UserText>{text}</UserText>],
        [t.account, <AccountOf of={accountId} />],
        [t.answer, closedReason && <UserText>{closedReason}</UserText>],
      ]}
    />
  )
}

type ClosingProps = { of: Dispute; onDone: () => void; onClose: () => void }

function Closing({ of: { id }, onDone, onClose }: ClosingProps) {
  const t = texts().disputes
  const [typed, change] = useTyped({ reason: '' })
  const [own, accept] = useErrors()
  const sending = useSubmit()
  const errors = errorsOf(sending, own, { reason: texts().form.badText })
  async function send(): Promise<void> {
    if (!accept(findBlank(typed, 'reason'))) return
    const path = `/admin/disputes/${id}/close`
    if (await sending.submit({ method: 'POST', path, body: typed, isRepeatable: false })) onDone()
  }
  return (
    <Dialog title={t.closeTitle} onClose={onClose}>
      <Form errors={errors} of={sending} onSubmit={() => void send()}>
        <Field
          {...bindFields(typed, change, errors)('reason')}
          label={t.reason}
          hint={t.closeMeaning}
          maxLength={140}
        />
        <FormActions label={t.close} isBusy={sending.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}

// Disputed card payments that wait, the oldest first. An administrator closes one with a reason.
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
import { Listed } from '../../../parts/list.tsx'
import { usePages } from '../../../calls/call.ts'
import { isAdmin } from '../../../calls/session.ts'
import { useSubmit } from '../../../calls/submit.ts'
import { to } from '../../../state/paths.ts'
import { texts } from '../../../texts/language.ts'
import { Time, timeZoneName } from '../../../texts/time.tsx'
import type { Dispute } from '../../../state/types.ts'

export function Disputes() {
  const t = texts().disputes
  const list = usePages<Dispute>('/admin/disputes?limit=50')
  const [closing, setClosing] = useState<Dispute>()
  return (
    <Screen title={t.staffTitle}>
      <Section title={t.staffMeaning}>
        <Listed of={list} none={t.none} lines={4}>
          {(disputes) => (
            <ul>
              {disputes.map((dispute) => (
                <li key={dispute.id}>
                  <Facts
                    rows={[
                      [t.since, <Time at={dispute.createdAt} />],
                      [t.what, t.reasons[dispute.reason]],
                      [t.text, dispute.text && <UserText>{dispute.text}</UserText>],
                      [
                        t.account,
                        <a href={to('staffAccount', { accountId: dispute.accountId })}>
                          {dispute.accountId}
                        </a>,
                      ],
                    ]}
                  />
                  {isAdmin() && <Button onClick={() => setClosing(dispute)}>{t.close}</Button>}
                </li>
              ))}
            </ul>
          )}
        </Listed>
      </Section>
      {closing && (
        <Closing
          of={closing}
          onEnd={() => {
            setClosing(undefined)
            list.again()
          }}
        />
      )}
      <p class="quiet small">{texts().common.timesIn(timeZoneName())}</p>
    </Screen>
  )
}

function Closing({ of: { id }, onEnd }: { of: Dispute; onEnd: () => void }) {
  const t = texts().disputes
  const [typed, change] = useTyped({ reason: '' })
  const [own, accept] = useErrors()
  const sending = useSubmit()
  const errors = errorsOf(sending, own, { reason: texts().form.badText })
  async function send(): Promise<void> {
    if (!accept(findBlank(typed, 'reason'))) return
    const path = `/admin/disputes/${id}/close`
    if (await sending.submit({ method: 'POST', path, body: typed, isRepeatable: false })) onEnd()
  }
  return (
    <Dialog title={t.closeTitle} onClose={onEnd}>
      <Form errors={errors} of={sending} onSubmit={() => void send()}>
        <Field
          {...bindFields(typed, change, errors)('reason')}
          label={t.reason}
          hint={t.closeMeaning}
          maxLength={140}
        />
        <FormActions label={t.close} isBusy={sending.isBusy} cancel={onEnd} />
      </Form>
    </Dialog>
  )
}

// From which amount on two people sign, for the owner.
import { useState } from 'preact/hooks'
import { useRead } from '../../../calls/call.ts'
import { useSubmit } from '../../../calls/submit.ts'
import { Button, Facts, Loaded, Notice } from '../../../parts/basic.tsx'
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
import type { AccountSignatures } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import {
  amountError,
  type Currency,
  formatMoney,
  parseTyped,
  toTyped,
} from '../../../texts/money.tsx'
import { formatTime } from '../../../texts/time.tsx'

type FormProps = { of: AccountSignatures; path: string; onDone: () => void; onClose: () => void }

function FromForm({ of: { currency, from }, path, onDone, onClose }: FormProps) {
  const t = texts()
  const [typed, change] = useTyped({ from: from === null ? '' : toTyped(from, currency) })
  const [own, accept] = useErrors()
  const saving = useSubmit()
  const errors = errorsOf(saving, own, {})
  async function save(): Promise<void> {
    const isNone = typed.from.trim() === ''
    const amount = isNone ? null : parseTyped(typed.from, currency)
    if (!accept({ from: amount === undefined ? amountError(typed.from, currency) : undefined }))
      return
    const body = { currency, from: amount, count: 2 }
    if (await saving.submit({ method: 'PUT', path, body, isRepeatable: true })) onDone()
  }
  return (
    <Dialog title={t.drafts.twoTitle} onClose={onClose}>
      <Form errors={errors} of={saving} onSubmit={() => void save()}>
        <Field
          {...bindFields(typed, change, errors)('from')}
          isFirst
          label={t.drafts.fromIn(currency)}
          hint={t.drafts.fromHint}
          inputMode="decimal"
          maxLength={30}
        />
        <FormActions label={t.common.save} isBusy={saving.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}

const show = (from: string | null, currency: Currency): string =>
  from === null ? texts().drafts.never : formatMoney(from, currency)

export function TwoToSign({ accountId }: { accountId: string }) {
  const t = texts().drafts
  const path = `/accounts/${accountId}/signatures`
  const read = useRead<AccountSignatures>(path)
  const [isAsking, setAsking] = useState(false)
  const [isSaved, setSaved] = useState(false)
  return (
    <div class="column">
      <h3>{t.twoTitle}</h3>
      {isSaved && <Notice kind="good">{t.saved}</Notice>}
      <Loaded of={read} lines={2}>
        {(signatures) => {
          const { currency, from, next } = signatures
          return (
            <div class="column">
              <Facts
                rows={[
                  [t.twoFrom, show(from, currency)],
                  [t.later, next && `${show(next.from, currency)}, ${formatTime(next.at)}`],
                ]}
              />
              <Button onClick={() => setAsking(true)}>{t.changeTwo}</Button>
              {isAsking && (
                <FromForm
                  of={signatures}
                  path={path}
                  onDone={() => {
                    setAsking(false)
                    setSaved(true)
                    read.again()
                  }}
                  onClose={() => setAsking(false)}
                />
              )}
            </div>
          )
        }}
      </Loaded>
    </div>
  )
}

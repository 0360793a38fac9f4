// Below which balance of an account its owner is told by mail.
import { useState } from 'preact/hooks'
import { useRead } from '../../../calls/call.ts'
import { useListChanges } from '../../../calls/submit.ts'
import { Button, Facts, Loaded, Notice } from '../../../parts/basic.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  Form,
  FormActions,
  Outcome,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import type { AccountNotices } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { amountError, Money, parseTyped, toTyped } from '../../../texts/money.tsx'

type DialogProps = AccountNotices & {
  isBusy: boolean
  onSave: (amount: string | null) => void
  onClose: () => void
}

function AmountDialog({ balanceBelow, currency, isBusy, onSave, onClose }: DialogProps) {
  const t = texts()
  const shown = balanceBelow === null ? '' : toTyped(balanceBelow, currency)
  const [typed, change] = useTyped({ amount: shown })
  const [errors, accept] = useErrors()
  function save(): void {
    const text = typed.amount
    const amount = text.trim() === '' ? null : parseTyped(text, currency, 'zero')
    const error = amount === undefined ? amountError(text, currency) : undefined
    if (accept({ amount: error }) && amount !== undefined) onSave(amount)
  }
  return (
    <Dialog title={t.balanceNotice.title} onClose={onClose}>
      <Form errors={errors} onSubmit={save}>
        <Field
          {...bindFields(typed, change, errors)('amount')}
          isFirst
          label={t.balanceNotice.field(currency)}
          hint={t.balanceNotice.hint}
          inputMode="decimal"
          maxLength={30}
        />
        <FormActions label={t.common.save} isBusy={isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}

export function BalanceNotice({ accountId }: { accountId: string }) {
  const t = texts().balanceNotice
  const path = `/accounts/${accountId}/notices`
  const read = useRead<AccountNotices>(path)
  const { told, change, ...changing } = useListChanges(read)
  const [isAsking, setAsking] = useState(false)
  return (
    <div class="column">
      <h3>{t.title}</h3>
      {told && <Notice kind="good">{told}</Notice>}
      <Outcome of={changing} />
      <Loaded of={read} lines={2}>
        {({ currency, balanceBelow }) => {
          const save = (amount: string | null) =>
            change({ method: 'PUT', path, body: { currency, balanceBelow: amount } }, t.saved)
          const amount =
            balanceBelow === null ? t.none : <Money amount={balanceBelow} currency={currency} />
          return (
            <div class="column">
              <Facts rows={[[t.row, amount]]} />
              <Button onClick={() => setAsking(true)}>{t.change}</Button>
              {isAsking && (
                <AmountDialog
                  currency={currency}
                  balanceBelow={balanceBelow}
                  isBusy={changing.isBusy}
                  onSave={(wanted) => void save(wanted).then(() => setAsking(false))}
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

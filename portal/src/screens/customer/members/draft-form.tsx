// A payment that is prepared: typed in, looked at, and then signed by others.
import { useState } from 'preact/hooks'
import { useRead } from '../../../calls/call.ts'
import { useSubmit } from '../../../calls/submit.ts'
import { UserText } from '../../../parts/accounts.tsx'
import { Facts, Iban, Loaded, Notice } from '../../../parts/basic.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import type { Account, Beneficiary, List } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { amountError, formatMoney, Money, parseTyped } from '../../../texts/money.tsx'

type Props = {
  account: Pick<Account, 'id' | 'currency'>
  onDone: () => void
  onClose: () => void
}

type Prepared = { key: string; payee: Beneficiary; amount: string; reference: string }

function Review({ of: prepared, account, onDone, onClose }: Props & { of: Prepared }) {
  const t = texts()
  const { key, payee, amount, reference } = prepared
  const { id, currency } = account
  const sending = useSubmit()
  async function send(): Promise<void> {
    const body = { beneficiaryId: payee.id, amount, currency, reference }
    const path = `/accounts/${id}/drafts`
    if (await sending.submit({ method: 'POST', path, body, key, isRepeatable: true })) onDone()
  }
  return (
    <Form errors={errorsOf(sending, {}, {})} of={sending} onSubmit={() => void send()}>
      <Facts
        rows={[
          [t.drafts.amount, <Money amount={amount} currency={currency} />],
          [t.entry.to, <UserText>{payee.name}</UserText>],
          ['IBAN', <Iban iban={payee.iban} />],
          [t.entry.reference, reference === '' ? undefined : <UserText>{reference}</UserText>],
        ]}
      />
      <p class="quiet">{t.drafts.preparedText}</p>
      <FormActions
        label={t.drafts.prepareAmount(formatMoney(amount, currency))}
        isBusy={sending.isBusy}
        cancel={onClose}
      />
    </Form>
  )
}

type FieldsProps = {
  account: Props['account']
  payees: readonly Beneficiary[]
  onReview: (prepared: Prepared) => void
  onClose: () => void
}

function DraftFields({ account: { currency }, payees, onReview, onClose }: FieldsProps) {
  const t = texts()
  const [typed, change] = useTyped({ to: payees[0]?.id ?? '', amount: '', reference: '' })
  const [errors, accept] = useErrors()
  const field = bindFields(typed, change, errors)
  function review(): void {
    const amount = parseTyped(typed.amount, currency)
    const found = {
      ...findBlank(typed, 'to'),
      amount: amount === undefined ? amountError(typed.amount, currency) : undefined,
      ...findUnfit(typed, 'reference'),
    }
    const payee = payees.find(({ id }) => id === typed.to)
    if (!accept(found) || amount === undefined || !payee) return
    // Made here: a repeat after a lost answer is the same draft.
    onReview({ key: crypto.randomUUID(), payee, amount, reference: typed.reference.trim() })
  }
  return (
    <Form errors={errors} onSubmit={review}>
      <Field
        {...field('to')}
        isFirst
        label={t.entry.to}
        options={payees.map(({ id, name }) => [id, name])}
      />
      <Field
        {...field('amount')}
        label={t.drafts.amountIn(currency)}
        inputMode="decimal"
        maxLength={30}
      />
      <Field {...field('reference')} label={t.drafts.reference} maxLength={140} />
      <FormActions label={t.drafts.next} cancel={onClose} />
    </Form>
  )
}

export function DraftForm({ account, onDone, onClose }: Props) {
  const t = texts().drafts
  const path = `/accounts/${account.id}/beneficiaries?limit=100`
  const read = useRead<List<Beneficiary>>(path)
  const [prepared, setPrepared] = useState<Prepared>()
  return (
    <Dialog title={t.prepare} onClose={onClose}>
      <Loaded of={read}>
        {({ items }) => {
          const payees = items.filter(({ status }) => status === 'active')
          if (prepared) {
            return <Review of={prepared} account={account} onDone={onDone} onClose={onClose} />
          }
          return (
            <>
              {payees.length === 0 && <Notice kind="warning">{t.noPayee}</Notice>}
              <DraftFields
                account={account}
                payees={payees}
                onReview={setPrepared}
                onClose={onClose}
              />
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

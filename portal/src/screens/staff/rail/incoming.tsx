// A payment from another bank that staff book by hand: what came and for whom, a review with the
// holder, and the booking, once by its number.
import { useState } from 'preact/hooks'
import { UserText } from '../../../parts/accounts.tsx'
import {
  Button,
  ButtonLink,
  Facts,
  groupIban,
  Notice,
  Screen,
  Section,
} from '../../../parts/basic.tsx'
import { Check, Field } from '../../../parts/field.tsx'
import {
  bindFields,
  type Errors,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  hasErrors,
  signError,
} from '../../../parts/form.tsx'
import { type Payment, usePayment } from '../../../calls/payment.ts'
import { useDraft } from '../../../state/draft.ts'
import { to } from '../../../state/paths.ts'
import type { CreateIncomingPaymentBody, Transfer } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { amountError, currencies, type Currency, Money, parseTyped } from '../../../texts/money.tsx'
import { ibanSigns, toIban } from '../../../texts/typed-text.ts'
import { Confirm, Focused } from '../review.tsx'

const blank = {
  iban: '',
  amount: '',
  currency: 'EUR',
  name: '',
  debtorIban: '',
  reference: '',
  externalId: '',
  toSuspense: '',
}
type TypedIncoming = typeof blank

function toBody(typed: TypedIncoming, amount: string): CreateIncomingPaymentBody {
  const { name, debtorIban, reference, externalId, toSuspense } = typed
  return {
    iban: toIban(typed.iban),
    amount,
    currency: typed.currency as Currency,
    // The same number books the same payment once; without one the review has its own.
    externalId: externalId.trim() || crypto.randomUUID(),
    debtor: { name: name.trim(), ...(debtorIban.trim() && { iban: toIban(debtorIban) }) },
    ...(reference.trim() && { reference: reference.trim() }),
    ...(toSuspense && { onRefusal: 'suspense' }),
  }
}

function findWrong(typed: TypedIncoming): Errors {
  const { iban, amount, currency, debtorIban } = typed
  return {
    ...findUnfit(typed, 'name', 'reference', 'externalId'),
    iban: signError(toIban(iban), ibanSigns),
    debtorIban: signError(toIban(debtorIban), ibanSigns),
    amount:
      parseTyped(amount, currency as Currency) === undefined
        ? amountError(amount, currency as Currency)
        : undefined,
    ...Object.fromEntries(
      Object.entries(findBlank(typed, 'iban', 'name')).filter(([, message]) => message),
    ),
  }
}

type FormProps = {
  typed: TypedIncoming
  change: (part: Partial<TypedIncoming>) => void
  errors: Errors
  onReview: () => void
}

function IncomingForm({ typed, change, errors, onReview }: FormProps) {
  const t = texts()
  const words = t.incoming
  const field = bindFields(typed, change, errors)
  return (
    <Section title={words.details}>
      <Form errors={errors} onSubmit={onReview}>
        <Field {...field('iban')} label={words.iban} hint={words.ibanHint} maxLength={50} />
        <Field {...field('amount')} label={t.cash.amount} inputMode="decimal" />
        <Field
          {...field('currency')}
          label={words.currency}
          options={currencies.map((code) => [code, code] as const)}
        />
        <Field {...field('name')} label={words.name} maxLength={140} />
        <Field {...field('debtorIban')} label={words.debtorIban} maxLength={50} />
        <Field {...field('reference')} label={words.reference} maxLength={140} />
        <Field
          {...field('externalId')}
          label={words.externalId}
          hint={words.externalIdHint}
          maxLength={64}
        />
        <Check
          label={words.toSuspense}
          checked={typed.toSuspense !== ''}
          onChange={(isOn) => change({ toSuspense: isOn ? 'yes' : '' })}
        />
        <FormActions label={t.cash.review} cancel={to('clearing')} />
      </Form>
    </Section>
  )
}

type ReviewProps = {
  of: Payment<CreateIncomingPaymentBody, Transfer>
  body: CreateIncomingPaymentBody
}

function Review({ of: payment, body }: ReviewProps) {
  const t = texts()
  const words = t.incoming
  const { iban, amount, currency, debtor, reference, externalId, onRefusal } = body
  return (
    <Section title={t.cash.review}>
      <Confirm of={payment} label={words.confirm}>
        <Facts
          rows={[
            [t.cash.amount, <Money amount={amount} currency={currency} />],
            [words.iban, <span class="code">{groupIban(iban)}</span>],
            [words.name, <UserText>{debtor.name}</UserText>],
            [words.debtorIban, debtor.iban && <span class="code">{groupIban(debtor.iban)}</span>],
            [words.reference, reference && <UserText>{reference}</UserText>],
            [words.externalId, <span class="code">{externalId}</span>],
            [words.toSuspense, onRefusal && t.common.yes],
          ]}
        />
      </Confirm>
    </Section>
  )
}

function Result({ of: { id, amount, currency }, onAnother }: ResultProps) {
  const t = texts()
  return (
    <Section title={t.incoming.done}>
      <Focused>
        <Notice kind="good">
          <p>
            <Money amount={amount} currency={currency} />
          </p>
        </Notice>
      </Focused>
      <div class="actions">
        <ButtonLink kind="primary" href={to('staffTransfer', { transferId: id })}>
          {t.cash.toTransfer}
        </ButtonLink>
        <Button onClick={onAnother}>{t.incoming.another}</Button>
      </div>
    </Section>
  )
}
type ResultProps = { of: Transfer; onAnother: () => void }

function IncomingPayment() {
  const [typed, change, clear] = useDraft('incoming', blank)
  const [isChecked, setChecked] = useState(false)
  const payment = usePayment<CreateIncomingPaymentBody, Transfer>('incoming.review', () => {
    clear()
    setChecked(false)
  })
  const { movement } = payment
  if (movement?.state === 'made' && movement.result) {
    return <Result of={movement.result} onAnother={payment.close} />
  }
  if (movement) return <Review of={payment} body={movement.body} />
  const found = findWrong(typed)
  function review(): void {
    setChecked(true)
    const amount = parseTyped(typed.amount, typed.currency as Currency)
    if (amount === undefined || hasErrors(found)) return
    payment.open('/admin/incoming-payments', toBody(typed, amount))
  }
  return (
    <IncomingForm typed={typed} change={change} errors={isChecked ? found : {}} onReview={review} />
  )
}

export const Incoming = () => (
  <Screen title={texts().incoming.title}>
    <IncomingPayment />
  </Screen>
)

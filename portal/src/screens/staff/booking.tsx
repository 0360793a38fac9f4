// What staff book on a customer's account: an amount and a reason are typed, reviewed with the
// balances, and booked once. Cash and postings have their own fields and review.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { AccountStatus, nameOf } from '../../parts/accounts.tsx'
import {
  Button,
  ButtonLink,
  Facts,
  groupIban,
  Loaded,
  Notice,
  Screen,
  Section,
} from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, type Errors, Form, FormActions, hasErrors } from '../../parts/form.tsx'
import { useRead } from '../../calls/call.ts'
import { type Payment, usePayment } from '../../calls/payment.ts'
import { me } from '../../calls/session.ts'
import { useDraft } from '../../state/draft.ts'
import { to } from '../../state/paths.ts'
import type { Account, Transfer, User } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { amountError, type Currency, Money, negate, parseTyped, sum } from '../../texts/money.tsx'
import { Reason, reasonError } from './reason.tsx'
import { Focused } from './review.tsx'

type TypedBooking = { amount: string; reason: string }
/** What every booking is posted with. */
export type BookingBody = { amount: string; currency: Currency; reason: string }

export type Booking<T extends TypedBooking, B extends BookingBody> = {
  typed: T
  field: ReturnType<typeof bindFields<T>>
  /** Shown once a review was asked for. */
  errors: Errors
  /** Undefined where the text is no amount. */
  amount: string | undefined
  payment: Payment<B, Transfer>
  /** Opens the review, unless something is wrong with what is typed. */
  review(path: string, toBody: (body: BookingBody) => B): void
}

/** The account of a booking, and `again`, which reads it anew. */
export type Booked = { account: Account; holder: User; again: () => void }

/** @param name of the form and its draft */
export function useBooking<T extends TypedBooking, B extends BookingBody>(
  name: string,
  blank: T,
  { account: { currency }, again }: Booked,
): Booking<T, B> {
  const [typed, change, clear] = useDraft(name, blank)
  const [isChecked, setChecked] = useState(false)
  const payment = usePayment<B, Transfer>(`${name}.review`, done)
  const amount = parseTyped(typed.amount, currency)
  const found: Errors = {
    amount: amount === undefined ? amountError(typed.amount, currency) : undefined,
    reason: reasonError(typed.reason),
  }
  function done(): void {
    clear()
    setChecked(false)
    again()
  }
  const errors = isChecked ? found : {}
  return {
    typed,
    field: bindFields(typed, change, errors),
    errors,
    amount,
    payment,
    review(path, toBody) {
      setChecked(true)
      if (amount === undefined || hasErrors(found)) return
      payment.open(path, toBody({ amount, currency, reason: typed.reason.trim() }))
    },
  }
}

/** Whether an amount is more than is available in the account. */
export const isTooMuch = ({ available, currency }: Account, amount: string): boolean =>
  sum([available, negate(amount)], currency).startsWith('-')

const AccountFacts = ({ account, holder }: Omit<Booked, 'again'>) => {
  const t = texts()
  return (
    <Facts
      rows={[
        [t.cash.account, groupIban(account.iban)],
        [t.staffAccount.holder, nameOf(holder)],
        [t.staffAccount.balance, <Money amount={account.balance} currency={account.currency} />],
      ]}
    />
  )
}

type FormProps<T extends TypedBooking, B extends BookingBody> = Omit<Booked, 'again'> & {
  of: Booking<T, B>
  onReview: () => void
  /** Whether it takes money that has to be available. */
  isOut?: boolean
  /** The fields before amount and reason. */
  children?: ComponentChildren
}

export function BookingForm<T extends TypedBooking, B extends BookingBody>({
  of: booking,
  account,
  holder,
  onReview,
  isOut = false,
  children,
}: FormProps<T, B>) {
  const t = texts()
  const { field, errors, amount } = booking
  const { currency, id: accountId } = account
  return (
    <Section title={t.cash.details}>
      <AccountFacts account={account} holder={holder} />
      <Form errors={errors} onSubmit={onReview}>
        {children}
        <Field {...field('amount')} label={t.cash.amountIn(currency)} inputMode="decimal" />
        {amount !== undefined && (
          <p class="quiet" role="status">
            <Money amount={amount} currency={currency} />{' '}
            {isOut && isTooMuch(account, amount) && <strong>{t.cash.tooMuch}</strong>}
          </p>
        )}
        <Reason {...field('reason')} hint={t.cash.reasonHint} />
        <FormActions label={t.cash.review} cancel={to('staffAccount', { accountId })} />
      </Form>
    </Section>
  )
}

type ResultProps = Omit<Booked, 'again'> & {
  title: string
  result: Transfer
  /** What the button says that begins another one. */
  another: string
  onAnother: () => void
}

export function BookingResult({ title, result, another, onAnother, ...booked }: ResultProps) {
  const t = texts()
  return (
    <Section title={title}>
      <Focused>
        <Notice kind="good">
          <p>
            <Money amount={result.amount} currency={result.currency} /> · {result.reference}
          </p>
        </Notice>
      </Focused>
      <AccountFacts {...booked} />
      <div class="actions">
        <ButtonLink kind="primary" href={to('staffAccount', { accountId: booked.account.id })}>
          {t.cash.toAccount}
        </ButtonLink>
        <ButtonLink href={to('staffTransfer', { transferId: result.id })}>
          {t.cash.toTransfer}
        </ButtonLink>
        <Button onClick={onAnother}>{another}</Button>
      </div>
    </Section>
  )
}

type WithHolderProps = Omit<Booked, 'holder'> & {
  children: (booked: Booked) => ComponentChildren
}

function WithHolder({ account, again, children }: WithHolderProps) {
  const holder = useRead<User>(`/admin/users/${account.ownerId}`)
  return (
    <Loaded of={holder} lines={6}>
      {(user) => children({ account, holder: user, again })}
    </Loaded>
  )
}

type ScreenProps = {
  title: string
  accountId: string | undefined
  /** Why nothing can be booked on an account that is not closed; undefined: it can. */
  toRefusal?: (account: Account) => string | undefined
  children: (booked: Booked) => ComponentChildren
}

/** Books nothing on an own account, nor on a closed one. */
export function BookingScreen({ title, accountId, toRefusal, children }: ScreenProps) {
  const t = texts()
  const read = useRead<Account>(`/admin/accounts/${accountId}`)
  return (
    <Screen title={title}>
      <Loaded of={read} lines={6}>
        {(account) => {
          if (account.ownerId === me.value?.id)
            return <Notice kind="warning">{t.staffAccount.own}</Notice>
          const refusal =
            account.status === 'closed' ? t.errors.account_closed : toRefusal?.(account)
          if (refusal === undefined)
            return (
              <WithHolder account={account} again={read.again}>
                {children}
              </WithHolder>
            )
          return (
            <Notice kind="warning">
              <AccountStatus of={account} />
              <p>{refusal}</p>
            </Notice>
          )
        }}
      </Loaded>
    </Screen>
  )
}

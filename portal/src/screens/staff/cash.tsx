// Cash paid in or out at the counter: amount and reason, a review with the balance before and
// after, and the booking.
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
import { bind, Form } from '../../parts/form.tsx'
import { useRead } from '../../calls/call.ts'
import { useDraft } from '../../state/draft.ts'
import { texts } from '../../texts/language.ts'
import { amountError, type Currency, Money, negate, parseTyped, sum } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { usePayment } from '../../calls/payment.ts'
import { me } from '../../calls/session.ts'
import type { Account, Transfer, User } from '../../state/types.ts'
import { Reason, reasonError } from './reason.tsx'
import { Balances, Confirm, Focused } from './review.tsx'

type Kind = 'deposit' | 'withdrawal'
type Body = { amount: string; currency: Currency; reason: string }

function Cash({ kind, account, again }: { kind: Kind; account: Account; again: () => void }) {
  const t = texts()
  const { currency, id: accountId } = account
  const name = `${kind}.${accountId}`
  const [typed, change, clear] = useDraft(name, { amount: '', reason: '' })
  const [isChecked, setChecked] = useState(false)
  const payment = usePayment<Body, Transfer>(`${name}.review`, done)
  const holder = useRead<User>(`/admin/users/${account.ownerId}`)
  const amount = parseTyped(typed.amount, currency)
  const errors = isChecked
    ? {
        amount: amount === undefined ? amountError(typed.amount, currency) : undefined,
        reason: reasonError(typed.reason),
      }
    : {}
  const field = bind(typed, change, errors)
  function open(): void {
    setChecked(true)
    const reason = typed.reason.trim()
    if (amount === undefined || reasonError(reason)) return
    const path = `/admin/accounts/${accountId}/${kind}s`
    payment.open(path, { amount, currency, reason })
  }
  function done(): void {
    clear()
    setChecked(false)
    again()
  }
  const facts = (
    <Facts
      rows={[
        [t.cash.account, groupIban(account.iban)],
        [t.staffAccount.holder, holder.data && nameOf(holder.data)],
        [t.staffAccount.balance, <Money amount={account.balance} currency={currency} />],
      ]}
    />
  )
  const { movement } = payment
  if (movement?.state === 'made' && movement.result) {
    return (
      <Section title={t.cash[kind].done}>
        <Booked kind={kind} result={movement.result} accountId={accountId} again={payment.close}>
          {facts}
        </Booked>
      </Section>
    )
  }
  if (movement) {
    const { body } = movement
    const moved = kind === 'deposit' ? body.amount : negate(body.amount)
    const isTooMuch =
      kind === 'withdrawal' && sum([account.available, moved], currency).startsWith('-')
    const side = { account: groupIban(account.iban), before: account.balance, change: moved }
    return (
      <Section title={t.cash.review}>
        <Confirm of={payment} label={t.cash[kind].confirm}>
          <Facts
            rows={[
              [t.cash.amount, <Money amount={body.amount} currency={body.currency} />],
              [t.cash.reason, body.reason],
              [t.staffAccount.holder, holder.data && nameOf(holder.data)],
            ]}
          />
          <Balances sides={[side]} currency={currency} />
          {isTooMuch && <Notice kind="warning">{t.cash.tooMuch}</Notice>}
        </Confirm>
      </Section>
    )
  }
  return (
    <Section title={t.cash.details}>
      {facts}
      <Form errors={errors} onSubmit={open}>
        <Field {...field('amount')} label={t.cash.amountIn(currency)} inputMode="decimal" />
        {amount !== undefined && (
          <p class="quiet" role="status">
            <Money amount={amount} currency={currency} />
          </p>
        )}
        <Reason {...field('reason')} hint={t.cash.reasonHint} />
        <div class="actions">
          <Button kind="primary" type="submit">
            {t.cash.review}
          </Button>
          <ButtonLink href={to('staffAccount', { accountId })}>{t.common.cancel}</ButtonLink>
        </div>
      </Form>
    </Section>
  )
}

type BookedProps = {
  kind: Kind
  result: Transfer
  accountId: string
  again: () => void
  children: ComponentChildren
}

const Booked = ({ kind, result, accountId, again, children }: BookedProps) => {
  const t = texts()
  return (
    <>
      <Focused>
        <Notice kind="good">
          <p>
            <Money amount={result.amount} currency={result.currency} /> · {result.reference}
          </p>
        </Notice>
      </Focused>
      {children}
      <div class="actions">
        <ButtonLink kind="primary" href={to('staffAccount', { accountId })}>
          {t.cash.toAccount}
        </ButtonLink>
        <ButtonLink href={to('staffTransfer', { transferId: result.id })}>
          {t.cash.toTransfer}
        </ButtonLink>
        <Button onClick={again}>{t.cash[kind].another}</Button>
      </div>
    </>
  )
}

const cashScreen =
  (kind: Kind) =>
  ({ parameters }: { parameters: Record<string, string> }) => {
    const t = texts()
    const accountId = parameters['accountId'] as string
    const read = useRead<Account>(`/admin/accounts/${accountId}`)
    return (
      <Screen title={t.cash[kind].title}>
        <Loaded of={read} lines={6}>
          {(account) => {
            const isFrozenSource = kind === 'withdrawal' && account.status === 'frozen'
            if (account.ownerId === me.value?.id)
              return <Notice kind="warning">{t.staffAccount.own}</Notice>
            if (account.status === 'closed' || isFrozenSource)
              return (
                <Notice kind="warning">
                  <AccountStatus of={account} />
                  <p>{account.status === 'closed' ? t.errors.account_closed : t.cash.frozen}</p>
                </Notice>
              )
            return <Cash kind={kind} account={account} again={read.again} />
          }}
        </Loaded>
      </Screen>
    )
  }

export const Deposit = cashScreen('deposit')
export const Withdrawal = cashScreen('withdrawal')

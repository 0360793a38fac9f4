// A fee, interest or a correction of a customer's account: what, how much and why, a review with
// both balances, and the booking.
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
import { together, useRead } from '../../calls/call.ts'
import { type Payment, usePayment } from '../../calls/payment.ts'
import { me } from '../../calls/session.ts'
import { useDraft } from '../../state/draft.ts'
import { to } from '../../state/paths.ts'
import type {
  Account,
  BankAccount,
  CreatePostingBody,
  List,
  Transfer,
  User,
} from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { amountError, Money, negate, parseTyped } from '../../texts/money.tsx'
import { bankAccountName } from './bank-name.ts'
import { Reason, reasonError } from './reason.tsx'
import { Balances, Confirm, Focused } from './review.tsx'

/** What may be booked: its kind, whether money leaves the customer, and the bank's account. */
const forms = {
  fee: { kind: 'fee', isOut: true, code: 'fees' },
  interestPaid: { kind: 'interest', isOut: false, code: 'interest' },
  interestCharged: { kind: 'interest', isOut: true, code: 'interest' },
  correctionIn: { kind: 'correction', isOut: false, code: undefined },
  correctionOut: { kind: 'correction', isOut: true, code: undefined },
} as const
type FormName = keyof typeof forms
const formNames = Object.keys(forms) as FormName[]

type Props = {
  account: Account
  holder: User
  banks: readonly BankAccount[]
  again: () => void
}

function Posting({ account, holder, banks, again }: Props) {
  const t = texts()
  const { currency, id: accountId } = account
  const name = `posting.${accountId}`
  const blank = { what: 'fee', code: 'suspense', amount: '', reason: '' }
  const [typed, change, clear] = useDraft(name, blank)
  const [isChecked, setChecked] = useState(false)
  const payment = usePayment<CreatePostingBody, Transfer>(`${name}.review`, done)
  const chosen = forms[typed.what as FormName] ?? forms.fee
  const code = chosen.code ?? typed.code
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
    const sides = chosen.isOut
      ? { fromAccountId: accountId, toCode: code }
      : { fromCode: code, toAccountId: accountId }
    payment.open('/admin/postings', { ...sides, amount, currency, kind: chosen.kind, reason })
  }
  function done(): void {
    clear()
    setChecked(false)
    again()
  }
  const { movement } = payment
  if (movement?.state === 'made' && movement.result) {
    return <Booked result={movement.result} accountId={accountId} another={payment.close} />
  }
  if (movement) return <Review of={payment} body={movement.body} {...{ account, holder, banks }} />
  return (
    <Section title={t.cash.details}>
      <Facts
        rows={[
          [t.cash.account, groupIban(account.iban)],
          [t.staffAccount.holder, nameOf(holder)],
          [t.staffAccount.balance, <Money amount={account.balance} currency={currency} />],
        ]}
      />
      <Form errors={errors} onSubmit={open}>
        <Field
          {...field('what')}
          label={t.posting.what}
          options={formNames.map((each) => [each, t.posting.forms[each]] as const)}
        />
        {chosen.code === undefined && (
          <Field
            {...field('code')}
            label={t.posting.bankAccount}
            options={banks.map(
              (bank) => [bank.code, bankAccountName(bank.code, bank.name)] as const,
            )}
          />
        )}
        <Field {...field('amount')} label={t.cash.amountIn(currency)} inputMode="decimal" />
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

type ReviewProps = Omit<Props, 'again'> & {
  of: Payment<CreatePostingBody, Transfer>
  body: CreatePostingBody
}

function Review({ of: payment, body, account, holder, banks }: ReviewProps) {
  const t = texts()
  const { currency } = account
  const isOut = body.toCode !== undefined
  const bank = banks.find(({ code }) => code === (body.toCode ?? body.fromCode))
  const [customers, ofBank] = isOut
    ? [negate(body.amount), body.amount]
    : [body.amount, negate(body.amount)]
  const sides = [
    { account: groupIban(account.iban), before: account.balance, change: customers },
    ...(bank
      ? [
          {
            account: bankAccountName(bank.code, bank.name),
            before: bank.balance,
            change: ofBank,
          },
        ]
      : []),
  ]
  return (
    <Section title={t.cash.review}>
      <Confirm of={payment} label={t.posting.confirm}>
        <Facts
          rows={[
            [t.posting.what, t.entry.kinds[body.kind]],
            [t.cash.amount, <Money amount={body.amount} currency={currency} />],
            [t.cash.reason, body.reason],
            [t.staffAccount.holder, nameOf(holder)],
          ]}
        />
        <Balances sides={sides} currency={currency} />
      </Confirm>
    </Section>
  )
}

type BookedProps = { result: Transfer; accountId: string; another: () => void }

function Booked({ result, accountId, another }: BookedProps) {
  const t = texts()
  return (
    <Section title={t.posting.done}>
      <Focused>
        <Notice kind="good">
          <Money amount={result.amount} currency={result.currency} /> · {result.reference}
        </Notice>
      </Focused>
      <div class="actions">
        <ButtonLink kind="primary" href={to('staffAccount', { accountId })}>
          {t.cash.toAccount}
        </ButtonLink>
        <ButtonLink href={to('staffTransfer', { transferId: result.id })}>
          {t.cash.toTransfer}
        </ButtonLink>
        <Button onClick={another}>{t.posting.another}</Button>
      </div>
    </Section>
  )
}

/** The accounts of the bank in the currency, read with the account again after each booking. */
function WithBanks({ account, again }: Pick<Props, 'account' | 'again'>) {
  const { currency, ownerId } = account
  const banks = useRead<List<BankAccount>>(`/admin/bank-accounts?limit=100&currency=${currency}`)
  const holder = useRead<User>(`/admin/users/${ownerId}`)
  function both(): void {
    again()
    banks.again()
  }
  return (
    <Loaded of={together({ banks, holder })} lines={6}>
      {(read) => (
        <Posting account={account} holder={read.holder} banks={read.banks.items} again={both} />
      )}
    </Loaded>
  )
}

export function StaffPosting({ parameters }: { parameters: Record<string, string> }) {
  const t = texts()
  const read = useRead<Account>(`/admin/accounts/${parameters['accountId']}`)
  return (
    <Screen title={t.posting.title}>
      <Loaded of={read} lines={6}>
        {(account) => {
          if (account.ownerId === me.value?.id)
            return <Notice kind="warning">{t.staffAccount.own}</Notice>
          if (account.status !== 'closed') return <WithBanks account={account} again={read.again} />
          return (
            <Notice kind="warning">
              <AccountStatus of={account} />
              <p>{t.errors.account_closed}</p>
            </Notice>
          )
        }}
      </Loaded>
    </Screen>
  )
}

// Cash paid in or out at the counter: amount and reason, a review with the balance before and
// after, and the booking.
import { nameOf } from '../../parts/accounts.tsx'
import { Facts, groupIban, Notice, Section } from '../../parts/basic.tsx'
import type { Payment } from '../../calls/payment.ts'
import type { Transfer } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { Money, negate } from '../../texts/money.tsx'
import {
  type Booked,
  type BookingBody,
  BookingForm,
  BookingResult,
  BookingScreen,
  isTooMuch,
  useBooking,
} from './booking.tsx'
import { Balances, Confirm } from './review.tsx'

type Kind = 'deposit' | 'withdrawal'

function Cash({ kind, ...booked }: Booked & { kind: Kind }) {
  const words = texts().cash[kind]
  const { account } = booked
  const name = `${kind}.${account.id}`
  const booking = useBooking(name, { amount: '', reason: '' }, booked)
  const { payment } = booking
  const { movement } = payment
  if (movement?.state === 'made' && movement.result) {
    const after = { another: words.another, onAnother: payment.close }
    return <BookingResult title={words.done} result={movement.result} {...after} {...booked} />
  }
  if (movement) return <Review kind={kind} of={payment} body={movement.body} {...booked} />
  const path = `/admin/accounts/${account.id}/${kind}s`
  return (
    <BookingForm
      of={booking}
      isOut={kind === 'withdrawal'}
      onReview={() => booking.review(path, (body) => body)}
      {...booked}
    />
  )
}

type ReviewProps = Booked & {
  kind: Kind
  of: Payment<BookingBody, Transfer>
  body: BookingBody
}

function Review({ kind, of: payment, body, account, holder }: ReviewProps) {
  const t = texts()
  const { currency, balance } = account
  const moved = kind === 'deposit' ? body.amount : negate(body.amount)
  return (
    <Section title={t.cash.review}>
      <Confirm of={payment} label={t.cash[kind].confirm}>
        <Facts
          rows={[
            [t.cash.amount, <Money amount={body.amount} currency={body.currency} />],
            [t.cash.reason, body.reason],
            [t.staffAccount.holder, nameOf(holder)],
          ]}
        />
        <Balances
          sides={[{ account: groupIban(account.iban), before: balance, change: moved }]}
          currency={currency}
        />
        {kind === 'withdrawal' && isTooMuch(account, body.amount) && (
          <Notice kind="warning">{t.cash.tooMuch}</Notice>
        )}
      </Confirm>
    </Section>
  )
}

const cashScreen =
  (kind: Kind) =>
  ({ parameters }: { parameters: Record<string, string> }) => {
    const t = texts().cash
    return (
      <BookingScreen
        title={t[kind].title}
        accountId={parameters['accountId']}
        toRefusal={({ status }) =>
          kind === 'withdrawal' && status === 'frozen' ? t.frozen : undefined
        }
      >
        {(booked) => <Cash kind={kind} {...booked} />}
      </BookingScreen>
    )
  }

export const Deposit = cashScreen('deposit')
export const Withdrawal = cashScreen('withdrawal')

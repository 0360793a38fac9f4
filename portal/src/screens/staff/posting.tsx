// A fee, interest or a correction of a customer's account: what, how much and why, a review with
// both balances, and the booking.
import type { BankCode, NoneLeft } from '../../../../languages/words.ts'
import { nameOf } from '../../parts/accounts.tsx'
import { Facts, groupIban, Loaded, Section } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { useRead } from '../../calls/call.ts'
import type { Payment } from '../../calls/payment.ts'
import type { BankAccount, CreatePostingBody, List, Transfer } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { Money, negate } from '../../texts/money.tsx'
import { bankAccountName } from './bank-name.ts'
import { type Booked, BookingForm, BookingResult, BookingScreen, useBooking } from './booking.tsx'
import { Balances, Confirm } from './review.tsx'

type PostingKind = CreatePostingBody['kind']

/** What may be booked: its kind, whether money leaves the customer, and the bank's account. */
const forms = {
  fee: { kind: 'fee', isOut: true, code: 'fees' },
  interestPaid: { kind: 'interest', isOut: false, code: 'interest' },
  interestCharged: { kind: 'interest', isOut: true, code: 'interest' },
  correctionIn: { kind: 'correction', isOut: false, code: undefined },
  correctionOut: { kind: 'correction', isOut: true, code: undefined },
} as const satisfies Record<
  string,
  { kind: PostingKind; isOut: boolean; code?: BankCode | undefined }
>
type FormName = keyof typeof forms
/** Whatever the API books here has a form. */
export type Formless = NoneLeft<Exclude<PostingKind, (typeof forms)[FormName]['kind']>>
const formNames = Object.keys(forms) as FormName[]

type Props = Booked & { banks: readonly BankAccount[] }

const blank = { what: 'fee', code: 'suspense', amount: '', reason: '' }

function Posting({ banks, ...booked }: Props) {
  const t = texts().posting
  const { id: accountId } = booked.account
  const booking = useBooking<typeof blank, CreatePostingBody>(`posting.${accountId}`, blank, booked)
  const { typed, field, payment } = booking
  const { movement } = payment
  if (movement?.state === 'made' && movement.result) {
    const after = { another: t.another, onAnother: payment.close }
    return <BookingResult title={t.done} result={movement.result} {...after} {...booked} />
  }
  if (movement) return <Review of={payment} body={movement.body} banks={banks} {...booked} />
  const { kind, isOut, code = typed.code } = forms[typed.what as FormName] ?? forms.fee
  const sides = isOut
    ? { fromAccountId: accountId, toCode: code }
    : { fromCode: code, toAccountId: accountId }
  const review = () => booking.review('/admin/postings', (body) => ({ ...sides, ...body, kind }))
  return (
    <BookingForm of={booking} onReview={review} {...booked}>
      <Field
        {...field('what')}
        label={t.what}
        options={formNames.map((each) => [each, t.forms[each]] as const)}
      />
      {kind === 'correction' && (
        <Field
          {...field('code')}
          label={t.bankAccount}
          options={banks.map((bank) => [bank.code, bankAccountName(bank.code, bank.name)] as const)}
        />
      )}
    </BookingForm>
  )
}

type ReviewProps = Props & {
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

/** The accounts of the bank in the currency, read with the account again after each booking. */
function WithBanks(booked: Booked) {
  const { currency } = booked.account
  const banks = useRead<List<BankAccount>>(`/admin/bank-accounts?limit=100&currency=${currency}`)
  function again(): void {
    booked.again()
    banks.again()
  }
  return (
    <Loaded of={banks} lines={6}>
      {({ items }) => <Posting {...booked} banks={items} again={again} />}
    </Loaded>
  )
}

export const StaffPosting = ({ parameters }: { parameters: Record<string, string> }) => (
  <BookingScreen title={texts().posting.title} accountId={parameters['accountId']}>
    {(booked) => <WithBanks {...booked} />}
  </BookingScreen>
)

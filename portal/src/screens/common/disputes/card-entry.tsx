// What an entry tells of its card payment: what was authorised where it was cleared, and its
// dispute.
import { useRead } from '../../../calls/call.ts'
import type { UserText } from '../../../parts/accounts.tsx'
import { Facts } from '../../../parts/basic.tsx'
import type { CardPayment, Transaction, Transfer } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { Money } from '../../../texts/money.tsx'
import { Time } from '../../../texts/time.tsx'
import { DisputeOf } from './dispute.tsx'

type Props = { entry: Transaction; UserText: typeof UserText }

export function CardEntry({ entry: { id, kind }, ...shown }: Props) {
  const { asked, notAsked } = texts().disputes
  const transfer = useRead<Transfer>(`/transfers/${id}`)
  const paymentId = transfer.data?.cardPaymentId
  const payment = useRead<CardPayment>(paymentId && `/card-payments/${paymentId}`).data
  if (!payment) return null
  const { authorized, amount, currency, createdAt } = payment
  const authorization = authorized ? (
    <>
      <Money amount={amount} currency={currency} />, <Time at={createdAt} />
    </>
  ) : (
    notAsked
  )
  return (
    <>
      <Facts rows={[[asked, kind === 'clearing' && authorization]]} />
      <DisputeOf payment={payment} {...shown} />
    </>
  )
}

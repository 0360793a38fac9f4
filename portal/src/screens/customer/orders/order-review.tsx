// Everything about a standing order before it is made, and the search for its outcome after that.
import { accountName, UserText } from '../../../parts/accounts.tsx'
import { Facts, Loaded } from '../../../parts/basic.tsx'
import { needsAcceptance, toCarried, useCompared } from '../../../calls/payee-check.ts'
import { usePayment } from '../../../calls/payment.ts'
import { readDraft } from '../../../state/draft.ts'
import type { Failure } from '../../../state/failure.ts'
import { to } from '../../../state/paths.ts'
import { navigate } from '../../../state/router.ts'
import type { CreateOrderBody, Order } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatMoney } from '../../../texts/money.tsx'
import { formatDay } from '../../../texts/time.tsx'
import { ComparedName } from '../payees/compared-name.tsx'
import { isChecked, PaymentReview, type Sides, SideText, useSides } from '../payment-review.tsx'
import { oncePayee, transferReview } from '../transfer-body.ts'

const toOrders = (accountId: string): string => `${to('orders')}?account=${accountId}`

/** Other refusals tell themselves. */
function explainRefusal({ code, fields }: Failure): string | undefined {
  if (code !== 'invalid_request') return undefined
  return fields.includes('firstOn') ? texts().orders.badDay : texts().form.notAccepted
}

export function OrderReview() {
  const t = texts().orders
  const payment = usePayment<CreateOrderBody, Order>(transferReview, ({ accountId }) =>
    navigate(`${toOrders(accountId)}&made`, { replace: true }),
  )
  const { movement, failure, isRefused } = payment
  const body = movement?.body as CreateOrderBody
  const fromAccountId = movement?.path.split('/')[2] as string
  const sides = useSides({ ...body, fromAccountId })
  const amount = formatMoney(body.amount, body.currency)
  const isPayee = movement?.state === 'review' && body.beneficiaryId !== undefined
  const compared = useCompared(fromAccountId, isPayee ? sides.data?.target : undefined)
  const { check } = compared
  const isAccepted = typeof check === 'object' && needsAcceptance(check)
  const isReady = sides.data && (!isPayee || compared.isAsked)
  const isChecking = isChecked(payment)
  const isOnce = body.beneficiaryId !== undefined && readDraft(oncePayee) === body.beneficiaryId
  return (
    <PaymentReview
      of={payment}
      amount={amount}
      checking={t.titleChecking}
      tooLate={t.tooLate(amount)}
      lookAt={[toOrders(fromAccountId), t.title]}
      refusal={isRefused && failure ? explainRefusal(failure) : undefined}
      send={isReady ? (isAccepted ? t.makeAnyway : t.make) : undefined}
      isUnsure={isAccepted}
      carried={toCarried(check)}
    >
      <OrderFacts of={body} sides={sides} isQuiet={isChecking} />
      {!isChecking && !isRefused && <ComparedName of={check} />}
      {isOnce && !isChecking && <p class="quiet">{t.payeeStays}</p>}
    </PaymentReview>
  )
}

type FactsProps = { of: CreateOrderBody; sides: Sides; isQuiet: boolean }

function OrderFacts({ of: body, sides, isQuiet }: FactsProps) {
  const t = texts().orders
  const words = texts().entry
  const { reference, rhythm, firstOn, lastOn, retryDays = 0, onHoliday } = body
  // While the outcome is looked for, a failure of these reads tells nothing new.
  if (isQuiet && !sides.data) return null
  return (
    <Loaded of={sides} lines={5}>
      {({ from, target }) => (
        <Facts
          rows={[
            [words.from, <SideText name={accountName(from)} iban={from.iban} />],
            [words.to, <SideText name={target.name} iban={target.iban} />],
            [words.reference, reference ? <UserText>{reference}</UserText> : undefined],
            [t.rhythm, t.rhythms[rhythm]],
            [rhythm === 'once' ? t.day : t.firstOn, formatDay(firstOn)],
            [t.lastOn, lastOn && formatDay(lastOn)],
            [t.retry, t.retries(retryDays)],
            [t.onHoliday, onHoliday && t.holidayRules[onHoliday]],
          ]}
        />
      )}
    </Loaded>
  )
}

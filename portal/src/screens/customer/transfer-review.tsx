// Everything about a payment before it is confirmed, and the search for its outcome after that.
import { useEffect, useState } from 'preact/hooks'
import { accountName, accountPage, UserText } from '../../parts/accounts.tsx'
import { Facts, Loaded, Notice } from '../../parts/basic.tsx'
import { Later } from '../../parts/later.tsx'
import { useRead } from '../../calls/call.ts'
import { needsAcceptance, toCarried, useCompared } from '../../calls/payee-check.ts'
import { usePayment } from '../../calls/payment.ts'
import { hasMembers } from '../../state/bank.ts'
import type { Failure } from '../../state/failure.ts'
import { storeDraft } from '../../state/draft.ts'
import { to } from '../../state/paths.ts'
import { navigate } from '../../state/router.ts'
import type { BankCalendar, List, Transaction, Transfer } from '../../state/types.ts'
import { loadTexts, texts } from '../../texts/language.ts'
import { formatAgo } from '../../texts/ago.ts'
import { formatDay } from '../../texts/time.tsx'
import { formatMoney, Money, negate, sum } from '../../texts/money.tsx'
import { ComparedName } from './payees/compared-name.tsx'
import { isChecked, PaymentReview, type Sides, SideText, useSides } from './payment-review.tsx'
import { type TransferBody, transferDraft, transferReview } from './transfer-body.ts'

async function loadSend() {
  const loading = [import('./members/send-for-signature.tsx'), loadTexts('members')] as const
  const [{ SendForSignature }] = await Promise.all(loading)
  return SendForSignature
}

const equalHours = 24

/** The newest equal payment of the last day: same account, payee and amount. */
function useEqual({ fromAccountId, amount }: TransferBody, sides: Sides) {
  const [from] = useState(() => new Date(Date.now() - equalHours * 3_600_000).toISOString())
  const query = { from, kind: 'transfer', minAmount: amount, maxAmount: amount, limit: '100' }
  const path = `/accounts/${fromAccountId}/transactions?${new URLSearchParams(query)}`
  const { data, failure } = useRead<List<Transaction>>(path)
  const iban = sides.data?.target.iban
  const equal = data?.items.find(
    (entry) => entry.amount.startsWith('-') && entry.counterparty?.iban === iban,
  )
  // The question is a help. Where it cannot be asked, the payment does not wait for it.
  return { isRead: data !== undefined || failure !== undefined, paidAt: equal?.createdAt }
}

const showReceipt = (transferId: string, how: 'made' | 'checked' | 'duplicate'): void =>
  navigate(`${to('receipt', { transferId })}?${how}`, { replace: true })

/** A closed account is the payee's: no review is shown of a closed account of one's own. */
function explainRefusal({ code, fields }: Failure): string | undefined {
  const t = texts().form
  if (code === 'account_closed') return t.noPayee
  if (code !== 'invalid_request') return undefined
  return fields.includes('reference') ? t.badText : t.notAccepted
}

/** A second person signs it, or one with a higher limit than the member has. */
const isForOthers = (failure: Failure | undefined, { data }: Sides): boolean =>
  failure?.code === 'signature_required' ||
  (failure?.code === 'limit_exceeded' && data?.from.membership !== undefined)

export function TransferReview() {
  const t = texts().transfer
  const payment = usePayment<TransferBody, Transfer>(transferReview, ({ id }, wasLost) =>
    showReceipt(id, wasLost ? 'checked' : 'made'),
  )
  const { movement, failure, isRefused } = payment
  const body = movement?.body as TransferBody
  const sides = useSides(body)
  const equal = useEqual(body, sides)
  const total = formatMoney(body.amount, body.currency)
  const isPayee = movement?.state === 'review' && body.beneficiaryId !== undefined
  const compared = useCompared(body.fromAccountId, isPayee ? sides.data?.target : undefined)

  useEffect(() => {
    if (!isRefused || failure?.code !== 'duplicate_transfer') return
    storeDraft(transferDraft, undefined)
    const first = failure.location?.split('/').at(-1)
    if (first) showReceipt(first, 'duplicate')
  }, [isRefused])

  const isChecking = isChecked(payment)
  const isReady = sides.data && equal.isRead && (!isPayee || compared.isAsked)
  const { check } = compared
  const isAccepted = typeof check === 'object' && needsAcceptance(check)
  const pay = isAccepted ? t.payAnyway(total) : equal.paidAt ? t.payAgain(total) : t.pay(total)
  return (
    <PaymentReview
      of={payment}
      amount={total}
      checking={t.titleChecking}
      tooLate={t.tooLate(total)}
      lookAt={[accountPage(sides.data?.from ?? { id: body.fromAccountId }), t.toAccount]}
      refusal={isRefused && failure ? explainRefusal(failure) : undefined}
      send={isReady ? pay : undefined}
      isUnsure={isAccepted}
      carried={toCarried(check)}
    >
      <BothSides of={sides} body={body} isQuiet={isChecking} />
      {!isChecking && !isRefused && <ComparedName of={check} />}
      {isPayee && <Leaving />}
      {isRefused && hasMembers && isForOthers(failure, sides) && (
        <Later load={loadSend} with={{ body }} />
      )}
      {!isChecking && !isRefused && equal.paidAt && (
        <Notice kind="warning">{t.paidBefore(formatAgo(equal.paidAt))}</Notice>
      )}
    </PaymentReview>
  )
}

/** When it arrives, if the payee is at another bank. A bank without a calendar says nothing. */
function Leaving() {
  const { data } = useRead<BankCalendar>('/calendar')
  if (!data || (data.holidays === 'none' && data.cutOff === null)) return null
  const { leavesOn, arrivesBy } = data
  const t = texts().transfer
  return <p class="quiet small">{t.elsewhere(formatDay(leavesOn), formatDay(arrivesBy))}</p>
}

type SidesProps = { of: Sides; body: TransferBody; isQuiet: boolean }

function BothSides({ of: sides, body, isQuiet }: SidesProps) {
  const t = texts().transfer
  const words = texts().entry
  const { amount, currency, reference } = body
  // While the outcome is looked for, a failure of these reads tells nothing new.
  if (isQuiet && !sides.data) return null
  return (
    <Loaded of={sides} lines={5}>
      {({ from, target }) => {
        const after = sum([from.balance, negate(amount)], currency)
        const isBeyond = sum([from.available, negate(amount)], currency).startsWith('-')
        return (
          <>
            <Facts
              rows={[
                [words.from, <SideText name={accountName(from)} iban={from.iban} />],
                [words.to, <SideText name={target.name} iban={target.iban} />],
                [
                  words.reference,
                  reference === '' ? texts().common.none : <UserText>{reference}</UserText>,
                ],
                ...(isQuiet
                  ? []
                  : ([
                      [t.balanceNow, <Money amount={from.balance} currency={currency} />],
                      [words.balanceAfter, <Money amount={after} currency={currency} />],
                    ] as const)),
              ]}
            />
            {isBeyond && !isQuiet && <Notice kind="warning">{t.beyond}</Notice>}
          </>
        )
      }}
    </Loaded>
  )
}

// Payments, payments by card, holds and refused payments that staff have looked up.
import { type RefusedReason, textOfWord } from '../../../../../languages/words.ts'
import { UserText } from '../../../parts/accounts.tsx'
import { Empty, FailureNotice, groupIban, Section, Skeleton } from '../../../parts/basic.tsx'
import { More, Rows } from '../../../parts/list.tsx'
import { type Pages, usePages } from '../../../calls/call.ts'
import { texts } from '../../../texts/language.ts'
import { Money } from '../../../texts/money.tsx'
import { Time } from '../../../texts/time.tsx'
import type { Look } from '../../../texts/payment-look.ts'
import { to } from '../../../state/paths.ts'
import type { FoundPayment } from '../../../state/types.ts'

type PaymentRow = {
  page: string
  kind: string
  /** What names it beside its kind: whom it was for, the shop, or its reference. */
  names: readonly (string | null | undefined)[]
  /** How it stands, or why it was refused. */
  state: string
  isRefused: boolean
  of: { amount: string; currency: string; createdAt: string }
}

function show({ transfer, cardPayment, hold, refused }: FoundPayment): PaymentRow | undefined {
  const t = texts().found
  const ofAccount = (accountId: string) => to('staffAccount', { accountId })
  if (transfer) {
    const { counterparty, reference, status } = transfer
    const iban = counterparty?.iban && groupIban(counterparty.iban)
    return {
      page: to('staffTransfer', { transferId: transfer.id }),
      kind: t.kinds.transfer,
      names: [counterparty?.name, iban, reference],
      state: t.transfers[status],
      isRefused: false,
      of: transfer,
    }
  }
  if (cardPayment) {
    const { reason, merchant, status } = cardPayment
    const why = reason && ` – ${texts().cardPayments.reasons[reason]}`
    return {
      page: ofAccount(cardPayment.accountId),
      kind: t.kinds.cardPayment,
      names: [merchant?.name],
      state: `${t.cardPayments[status]}${why ?? ''}`,
      isRefused: reason !== null,
      of: cardPayment,
    }
  }
  if (hold) {
    const { reference, status } = hold
    const kind = t.kinds.hold
    const page = ofAccount(hold.accountId)
    return { page, kind, names: [reference], state: t.holds[status], isRefused: false, of: hold }
  }
  if (!refused) return undefined
  const { reason, target, orderId, direction } = refused
  return {
    page: ofAccount(refused.accountId),
    kind: orderId === undefined ? t.kinds.refused : t.refusedRun,
    names: [target && (direction === 'in' ? t.from(target) : t.to(target))],
    state: textOfWord(t.reasons, reason as RefusedReason, t.otherReason),
    isRefused: true,
    of: refused,
  }
}

/** One of them as a row of a list. */
export const FoundRow = ({ of: found }: { of: FoundPayment }) => {
  const shown = show(found)
  if (!shown) return null
  const { page, kind, names, state, isRefused, of } = shown
  return (
    <>
      <div>
        <a href={page}>{kind}</a> <UserText>{names.filter((name) => name).join(' · ')}</UserText>
        <p class="quiet">
          <Time at={of.createdAt} style="exact" /> · {isRefused ? <b>{state}</b> : state}
        </p>
      </div>
      <Money amount={of.amount} currency={of.currency} />
    </>
  )
}

const pathOf = (look: Look | undefined) => look && `/admin/payments?${new URLSearchParams(look)}`

/** @param looks three at most, each one criterion */
export function PaymentsFound({ looks: [one, two, three] }: { looks: readonly Look[] }) {
  const t = texts().found
  const lists: readonly (readonly [Look | undefined, Pages<FoundPayment>])[] = [
    [one, usePages<FoundPayment>(pathOf(one))],
    [two, usePages<FoundPayment>(pathOf(two))],
    [three, usePages<FoundPayment>(pathOf(three))],
  ]
  const asked = lists.flatMap(([look, pages]) => (look ? [pages] : []))
  const failed = asked.find(({ failure }) => failure)
  const items = asked.flatMap(({ data }) => data ?? [])
  const all = [...new Map(items.map((item) => [item.id, item])).values()]
  return (
    <Section title={t.title}>
      {failed?.failure && <FailureNotice failure={failed.failure} again={failed.again} />}
      {!failed && asked.some(({ data }) => !data) && <Skeleton lines={3} />}
      {!failed && asked.every(({ data }) => data) && all.length === 0 && <Empty>{t.none}</Empty>}
      {all.length > 0 && <Rows of={all}>{(item) => <FoundRow of={item} />}</Rows>}
      {asked.map((pages, at) => (
        <More key={at} of={pages} />
      ))}
      <p class="quiet small">{t.late}</p>
    </Section>
  )
}

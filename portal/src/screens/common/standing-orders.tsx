// Standing orders as their holder and staff read them: each one, what became of its days, and what
// is coming.
import { type RunRefusal, textOfWord } from '../../../../languages/words.ts'
import { usePages, useRead } from '../../calls/call.ts'
import type { Account, Order, OrderRun, UpcomingRun, UpcomingRuns } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { formatMoney } from '../../texts/money.tsx'
import { formatDay } from '../../texts/time.tsx'
import { Badge, groupIban, type Loadable } from '../../parts/basic.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Listed } from '../../parts/list.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'

const kinds = { active: 'good', paused: 'warning', ended: 'plain' } as const

/** The due day, and the business day that it is moved to. */
const dayText = ({ dueOn, paysOn }: { dueOn: string; paysOn?: string | undefined }): string =>
  formatDay(dueOn) + (paysOn ? ` (${texts().orders.paidOn(formatDay(paysOn))})` : '')

/** The page of the payment that a day has made. */
type ToPayment = (transferId: string) => string

function Runs({ of: order, toPayment }: { of: Order; toPayment: ToPayment }) {
  const t = texts().orders
  const list = usePages<OrderRun & { id: string }>(`/orders/${order.id}/runs?limit=20`)
  return (
    <Listed of={list} none={t.noRuns}>
      {(runs) => (
        <ul>
          {runs.map(({ dueOn, paysOn, outcome, refusal, transferId }) => (
            <li key={dueOn}>
              {dayText({ dueOn, paysOn })}:{' '}
              {transferId === null ? (
                t.outcomes[outcome]
              ) : (
                <a href={toPayment(transferId)}>{t.outcomes[outcome]}</a>
              )}
              {refusal !== null &&
                ` – ${textOfWord(t.refusals, refusal as RunRefusal, t.otherRefusal)}`}
            </li>
          ))}
        </ul>
      )}
    </Listed>
  )
}

/** What active orders come to within 30 days. */
export function useComing({ id }: Account): Loadable<readonly UpcomingRun[]> {
  const read = useRead<UpcomingRuns>(`/accounts/${id}/orders/upcoming`)
  return { ...read, data: read.data?.runs }
}

type ComingProps = { of: readonly UpcomingRun[]; nameOf: (orderId: string) => string }

export function ComingTable({ of: runs, nameOf }: ComingProps) {
  const t = texts().orders
  return (
    <Table<UpcomingRun>
      caption={t.upcomingCaption}
      rows={runs}
      keyOf={({ orderId, dueOn }) => `${orderId} ${dueOn}`}
      columns={[
        { name: t.day, cell: dayText },
        { name: t.payee, cell: ({ orderId }) => nameOf(orderId), isRowHeader: true },
        moneyColumn(t.amount, ({ amount, currency }) => ({ amount, currency }), 'end'),
        moneyColumn(t.left, ({ availableAfter: amount, currency }) => ({ amount, currency })),
      ]}
    />
  )
}

type OrderProps = {
  of: Order
  /** Whom it pays. */
  name: string
  /** The owner of the account: an order by anybody else is one of a program. */
  ownerId: string
  /** Why it is paused, in words for the reader. */
  pauses: Record<NonNullable<Order['pausedBecause']>, string | undefined>
  toPayment: ToPayment
}

export function OrderText({ of: order, name, ownerId, pauses, toPayment }: OrderProps) {
  const t = texts().orders
  const { amount, currency, lastOn, nextOn, payee, pausedBecause, reference, rhythm, status } =
    order
  const pause = pausedBecause && pauses[pausedBecause]
  const days = [
    // While it is paused, no day is due.
    ...(status === 'paused' ? [] : [nextOn === null ? t.noNext : t.next(formatDay(nextOn))]),
    ...(lastOn === null ? [] : [t.until(formatDay(lastOn))]),
  ]
  return (
    <div>
      <strong dir="auto">{name}</strong> <Badge kind={kinds[status]}>{t.statuses[status]}</Badge>
      {payee && <p class="code small">{groupIban(payee.iban)}</p>}
      <p>
        {formatMoney(amount, currency)} · {t.rhythms[rhythm]}
        {reference && ` · ${reference}`}
      </p>
      <p class="quiet">{days.join(' · ')}</p>
      {pause && <p class="quiet">{pause}</p>}
      {order.payeeCheck?.accepted && <p class="quiet">{t.otherName}</p>}
      {order.isAboveDailyLimit && status === 'active' && <p class="quiet">{t.aboveLimit}</p>}
      {order.orderedBy !== ownerId && <p class="quiet">{t.byProgram}</p>}
      <Fold title={t.runs}>
        <Runs of={order} toPayment={toPayment} />
      </Fold>
    </div>
  )
}

// Standing orders as their holder and staff read them: each one, what became of its days, and what
// is coming.
import { type RunRefusal, textOfWord } from '../../../../languages/words.ts'
import { usePages, useRead } from '../../calls/call.ts'
import type { Account, Order, OrderRun, UpcomingRun, UpcomingRuns } from '../../state/types.ts'
import { colon, texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { formatDay, localDay } from '../../texts/time.tsx'
import { Badge, Button, Iban, type Loadable } from '../../parts/basic.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Listed } from '../../parts/list.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'

const kinds = { paused: 'warning', ended: 'plain' } as const

/** The due day, and the business day that it is moved to. */
const dayText = ({ dueOn, paysOn }: { dueOn: string; paysOn?: string | undefined }): string =>
  formatDay(dueOn) + (paysOn ? ` (${texts().orders.paidOn(formatDay(paysOn))})` : '')

/** The page of the payment that a day has made. */
type ToPayment = (transferId: string) => string

type RunsProps = {
  of: Order
  toPayment: ToPayment
  /** Pays a day that was left out after all; undefined: the reader may not. */
  takeBack?: ((dueOn: string) => void) | undefined
}

function Runs({ of: order, toPayment, takeBack }: RunsProps) {
  const t = texts().orders
  const list = usePages<OrderRun & { id: string }>(`/orders/${order.id}/runs?limit=20`)
  // The newest day alone, until it is over: after a later one it cannot be the next again.
  const canTakeBack = (dueOn: string, at: number) => at === 0 && dueOn >= localDay()
  return (
    <Listed of={list} none={t.noRuns}>
      {(runs) => (
        <ul>
          {runs.map(({ dueOn, paysOn, outcome, refusal, transferId }, at) => (
            <li key={dueOn}>
              {dayText({ dueOn, paysOn })}
              {colon()}
              {transferId === null ? (
                t.outcomes[outcome]
              ) : (
                <a href={toPayment(transferId)}>{t.outcomes[outcome]}</a>
              )}
              {refusal !== null &&
                ` – ${textOfWord(t.refusals, refusal as RunRefusal, t.otherRefusal)}`}{' '}
              {takeBack && outcome === 'skipped' && canTakeBack(dueOn, at) && (
                <Button kind="link" onClick={() => takeBack(dueOn)}>
                  {t.takeBack}
                </Button>
              )}
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
} & Omit<RunsProps, 'of'>

/** One line on a desk; what is folded below it is asked for when it is opened. */
export function OrderText({ of: order, name, ownerId, pauses, ...runs }: OrderProps) {
  const t = texts().orders
  const { amount, currency, lastOn, nextOn, payee, pausedBecause, reference, rhythm, status } =
    order
  const terms = [
    t.rhythms[rhythm],
    // While it is paused, no day is due.
    status !== 'paused' && (nextOn === null ? t.noNext : t.next(formatDay(nextOn))),
    lastOn !== null && t.until(formatDay(lastOn)),
    reference,
  ]
  const warnings = [
    pausedBecause && pauses[pausedBecause],
    order.isAboveDailyLimit && status === 'active' && t.aboveLimit,
    order.payeeCheck?.accepted && t.otherName,
    order.orderedBy !== ownerId && t.byProgram,
  ]
  const title = (
    <span class="order">
      <span>
        <bdi dir="auto">{name}</bdi>{' '}
        {status !== 'active' && <Badge kind={kinds[status]}>{t.statuses[status]}</Badge>}
      </span>
      <Money amount={amount} currency={currency} />
      <span class="quiet">{terms.filter((term) => term).join(' · ')}</span>
    </span>
  )
  return (
    <div>
      <Fold title={title}>
        {payee && <Iban iban={payee.iban} />}
        <h3>{t.runs}</h3>
        <Runs of={order} {...runs} />
      </Fold>
      {warnings.map((warning) => warning && <p class="quiet small">{warning}</p>)}
    </div>
  )
}

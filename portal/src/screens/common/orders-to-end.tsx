// A list of standing orders, each to be kept or ended, for their owner and for staff.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { usePages } from '../../calls/call.ts'
import { isAdmin, me } from '../../calls/session.ts'
import { useListChanges } from '../../calls/submit.ts'
import { to } from '../../state/paths.ts'
import type { Order } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { Time } from '../../texts/time.tsx'
import { OrderText } from './standing-orders.tsx'

type Props = {
  /** A list of orders of the API. */
  path: string
  isOwn: boolean
  none: string
  /** What is said of an order beside its terms. */
  noteOf?: (order: Order) => ComponentChildren
}

function describePayee({ payee, toAccountId }: Order): string {
  const t = texts().orders
  return payee?.name ?? (toAccountId === undefined ? t.goneName : t.ownAccount)
}

const latest = (orders: readonly Order[]): Order[] =>
  [...orders].sort((one, other) => ((one.changedAt ?? '') < (other.changedAt ?? '') ? 1 : -1))

export function OrdersToEnd({ path, isOwn, none, noteOf }: Props) {
  const { orders: t, openOrders: words } = texts()
  const list = usePages<Order>(path)
  const ending = useListChanges(list)
  const [asked, setAsked] = useState<Order>()
  const end = ({ id }: Order) =>
    ending
      .change({ method: 'DELETE', path: `/orders/${id}` }, t.ended)
      .then(() => setAsked(undefined))
  return (
    <>
      {ending.told && <Notice kind="good">{ending.told}</Notice>}
      {!asked && <Outcome of={ending} />}
      <Listed of={list} none={none}>
        {(orders) => (
          <Rows of={latest(orders)}>
            {(order) => (
              <>
                <div>
                  <OrderText
                    of={order}
                    name={describePayee(order)}
                    ownerId={isOwn ? (me.value?.id ?? '') : order.orderedBy}
                    pauses={
                      isOwn
                        ? { owner: undefined, missed: t.missed, member: t.memberLeft }
                        : t.pausesForStaff
                    }
                    toPayment={(transferId) =>
                      to(isOwn ? 'receipt' : 'staffTransfer', { transferId })
                    }
                  />
                  {order.changedAt && (
                    <p class="quiet">
                      {words.changedAt} <Time at={order.changedAt} />
                    </p>
                  )}
                  {noteOf?.(order)}
                </div>
                {(isOwn || isAdmin()) && order.status !== 'ended' && (
                  <Button kind="danger" onClick={() => setAsked(order)}>
                    {t.end}
                  </Button>
                )}
              </>
            )}
          </Rows>
        )}
      </Listed>
      {asked && (
        <Question
          title={t.endTitle(describePayee(asked))}
          confirm={t.endForGood}
          isBusy={ending.isBusy}
          onConfirm={() => void end(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{t.endText}</p>
          <Outcome of={ending} />
        </Question>
      )}
    </>
  )
}

// The standing orders that still pay, where sessions, passwords, keys or programs are ended: none
// of these ends an order. Each is kept or ended here.
import { useState } from 'preact/hooks'
import { Button, Notice, Section } from '../../parts/basic.tsx'
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
  /** `ownerId=…` or `orderedBy=…` of the list for staff; empty: one's own. */
  filter: string
}

function describePayee({ payee, toAccountId }: Order): string {
  const t = texts().orders
  return payee?.name ?? (toAccountId === undefined ? t.goneName : t.ownAccount)
}

const latest = (orders: readonly Order[]): Order[] =>
  [...orders].sort((one, other) => ((one.changedAt ?? '') < (other.changedAt ?? '') ? 1 : -1))

export function OpenOrders({ filter }: Props) {
  const { orders: t, openOrders: words } = texts()
  const isOwn = filter === ''
  const list = usePages<Order>(`/orders?status=open&limit=100${isOwn ? '' : `&${filter}`}`)
  const ending = useListChanges(list)
  const [asked, setAsked] = useState<Order>()
  const end = ({ id }: Order) =>
    ending
      .change({ method: 'DELETE', path: `/orders/${id}` }, t.ended)
      .then(() => setAsked(undefined))
  return (
    <Section title={words.title}>
      <p class="quiet">{words.text}</p>
      {ending.told && <Notice kind="good">{ending.told}</Notice>}
      {!asked && <Outcome of={ending} />}
      <Listed of={list} none={words.none}>
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
                </div>
                {(isOwn || isAdmin()) && (
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
    </Section>
  )
}

// The standing orders of an account as staff read them. Their holder and programs change them.
import { Loaded } from '../../parts/basic.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { usePages } from '../../calls/call.ts'
import { to } from '../../state/paths.ts'
import type { Account, Order } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { ComingTable, OrderText, useComing } from '../common/standing-orders.tsx'

const toTransfer = (transferId: string): string => to('staffTransfer', { transferId })

function describePayee({ toAccountId, payee }: Order): string {
  const t = texts().orders
  return toAccountId === undefined ? (payee?.name ?? t.goneName) : t.accountOfHolder
}

export function Orders({ account }: { account: Account }) {
  const t = texts().orders
  const list = usePages<Order>(`/accounts/${account.id}/orders?limit=50`)
  const coming = useComing(account)
  const nameOf = (orderId: string): string => {
    const order = list.data?.find(({ id }) => id === orderId)
    return order ? describePayee(order) : ''
  }
  return (
    <Listed of={list} none={t.noneOfHolder}>
      {(orders) => (
        <>
          <Rows of={orders}>
            {(order) => (
              <OrderText
                of={order}
                name={describePayee(order)}
                ownerId={account.ownerId}
                pauses={t.pausesForStaff}
                toPayment={toTransfer}
              />
            )}
          </Rows>
          <Loaded of={coming}>
            {(runs) => runs.length > 0 && <ComingTable of={runs} nameOf={nameOf} />}
          </Loaded>
        </>
      )}
    </Listed>
  )
}

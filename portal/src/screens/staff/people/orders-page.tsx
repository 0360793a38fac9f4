// The page of standing orders by their maker: the list comes with the texts of orders.
import { Screen } from '../../../parts/basic.tsx'
import { Later } from '../../../parts/later.tsx'
import { loadTexts, texts } from '../../../texts/language.ts'

async function loadList() {
  const loading = [import('./orders-by.tsx'), loadTexts('orders', 'openOrders', 'audit')] as const
  const [{ OrdersBy }] = await Promise.all(loading)
  return OrdersBy
}

export const StaffOrders = () => (
  <Screen title={texts().customer.ordersBy}>
    <Later load={loadList} with={{}} />
  </Screen>
)

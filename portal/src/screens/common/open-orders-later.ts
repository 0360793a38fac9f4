// The open standing orders with their texts, which few of the pages around them have.
import { loadTexts } from '../../texts/language.ts'

export async function loadOpenOrders() {
  const [{ OpenOrders }] = await Promise.all([
    import('./open-orders.tsx'),
    loadTexts('orders', 'openOrders'),
  ])
  return OpenOrders
}

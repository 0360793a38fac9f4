// The screen of standing orders, by the name of their page.
import { Orders } from '../../screens/customer/orders/orders.tsx'

export const screens = { orders: Orders }

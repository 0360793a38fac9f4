// The screens of standing orders, by the name of their page.
import { OrderNew } from '../../screens/customer/order-new.tsx'
import { Orders } from '../../screens/customer/orders.tsx'

export const screens = { orderNew: OrderNew, orders: Orders }

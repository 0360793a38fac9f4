// Endpoints by which rails and administrators carry payments to and from other banks.
import { createIncomingPayment } from './incoming.ts'
import { manyRoutes } from './many.ts'
import { outgoingRoutes } from './outgoing.ts'

export const railRoutes = [createIncomingPayment, ...outgoingRoutes, ...manyRoutes]

// Endpoints by which rails and administrators carry payments to and from other banks.
import { createIncomingPayment } from './incoming.ts'

export const railRoutes = [createIncomingPayment]

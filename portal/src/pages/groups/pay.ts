// The screen of a new payment, by the name of its page.
import { Transfer } from '../../screens/customer/transfer.tsx'

export const screens = { transfer: Transfer }

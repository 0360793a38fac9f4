// The screens of a payment, by the name of their page.
import { Receipt } from '../../screens/customer/receipt.tsx'
import { Transfer } from '../../screens/customer/transfer.tsx'

export const screens = {
  receipt: Receipt,
  transfer: Transfer,
}

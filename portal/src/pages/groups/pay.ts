// The screens of a payment, by the name of their page.
import { Entry } from '../../screens/customer/entry.tsx'
import { Receipt } from '../../screens/customer/receipt.tsx'
import { Transfer } from '../../screens/customer/transfer.tsx'

export const screens = {
  entry: Entry,
  receipt: Receipt,
  transfer: Transfer,
}

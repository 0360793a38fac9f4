// The screens of a payment that was made, by the names of their pages.
import { Entry } from '../../screens/customer/entry.tsx'
import { Receipt } from '../../screens/customer/receipt.tsx'

export const screens = { entry: Entry, receipt: Receipt }

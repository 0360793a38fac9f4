// The screens that customers need daily, by the name of their page.
import { AccountScreen } from '../../screens/customer/account.tsx'
import { Entry } from '../../screens/customer/entry.tsx'
import { Home } from '../../screens/customer/home.tsx'
import { Receipt } from '../../screens/customer/receipt.tsx'
import { Transfer } from '../../screens/customer/transfer.tsx'

export const screens = {
  home: Home,
  account: AccountScreen,
  entry: Entry,
  receipt: Receipt,
  transfer: Transfer,
}

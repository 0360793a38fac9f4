// The screens that customers need daily, by the name of their page.
import { AccountScreen } from '../customer/account.tsx'
import { Entry } from '../customer/entry.tsx'
import { Home } from '../customer/home.tsx'
import { Receipt } from '../customer/receipt.tsx'
import { Transfer } from '../customer/transfer.tsx'

export const screens = {
  home: Home,
  account: AccountScreen,
  entry: Entry,
  receipt: Receipt,
  transfer: Transfer,
}

// The screens that customers need daily, by the name of their page.
import { PreferencesScreen } from '../common/preferences.tsx'
import { Security } from '../common/security.tsx'
import { AccountScreen } from './account.tsx'
import { Entry } from './entry.tsx'
import { Home } from './home.tsx'
import { Receipt } from './receipt.tsx'
import { Transfer } from './transfer.tsx'

export const screens = {
  home: Home,
  preferences: PreferencesScreen,
  security: Security,
  account: AccountScreen,
  entry: Entry,
  receipt: Receipt,
  transfer: Transfer,
}

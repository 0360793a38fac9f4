// The screens by which staff find and read, by the name of their page.
import { PreferencesScreen } from '../common/preferences.tsx'
import { Security } from '../common/security.tsx'
import { StaffAccount } from './account.tsx'
import { StaffCustomer } from './customer.tsx'
import { Search } from './search.tsx'

export const screens = {
  home: Search,
  preferences: PreferencesScreen,
  security: Security,
  search: Search,
  staffCustomer: StaffCustomer,
  staffAccount: StaffAccount,
}

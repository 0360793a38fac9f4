// The screens that customers come for, by the name of their page.
import { AccountScreen } from '../../screens/customer/account.tsx'
import { Home } from '../../screens/customer/home.tsx'

export const screens = {
  home: Home,
  account: AccountScreen,
}

// The screen of an account as its customer sees it, by the name of its page.
import { AccountScreen } from '../../screens/customer/account.tsx'

export const screens = { account: AccountScreen }

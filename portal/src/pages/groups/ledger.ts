// The screen of an account as staff see it, by the name of its page.
import { StaffAccount } from '../../screens/staff/account.tsx'

export const screens = {
  staffAccount: StaffAccount,
}

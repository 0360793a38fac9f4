// The screens of an account and of a transfer as staff see them, by the name of their page.
import { StaffAccount } from '../../screens/staff/account.tsx'
import { Deposit, Withdrawal } from '../../screens/staff/cash.tsx'
import { StaffTransfer } from '../../screens/staff/transfer.tsx'

export const screens = {
  deposit: Deposit,
  staffAccount: StaffAccount,
  staffTransfer: StaffTransfer,
  withdrawal: Withdrawal,
}

// The screens of an account and of a transfer as staff see them, by the name of their page.
import { StaffAccount } from '../staff/account.tsx'
import { Deposit, Withdrawal } from '../staff/cash.tsx'
import { StaffTransfer } from '../staff/transfer.tsx'

export const screens = {
  deposit: Deposit,
  staffAccount: StaffAccount,
  staffTransfer: StaffTransfer,
  withdrawal: Withdrawal,
}

// The screens of cash at the counter and of a transfer, by the name of their page.
import { Deposit, Withdrawal } from '../../screens/staff/cash.tsx'

import { StaffTransfer } from '../../screens/staff/transfer.tsx'

export const screens = {
  deposit: Deposit,
  staffTransfer: StaffTransfer,
  withdrawal: Withdrawal,
}

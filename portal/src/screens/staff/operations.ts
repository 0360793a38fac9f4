// The screens of the bank's operations, by the name of their page.
import { Audit } from './audit.tsx'
import { Deposit, Withdrawal } from './cash.tsx'
import { Clearing } from './clearing.tsx'
import { Today } from './today.tsx'
import { UserNew } from './user-new.tsx'
import { Users } from './users.tsx'
import { StaffTransfer } from './transfer.tsx'

export const screens = {
  staffTransfer: StaffTransfer,
  audit: Audit,
  clearing: Clearing,
  deposit: Deposit,
  today: Today,
  userNew: UserNew,
  users: Users,
  withdrawal: Withdrawal,
}

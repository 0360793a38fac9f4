// The screens of the bank's operations, by the name of their page.
import { Approvals } from '../../screens/staff/approvals.tsx'
import { Audit } from '../../screens/staff/audit.tsx'
import { Clearing } from '../../screens/staff/clearing.tsx'
import { Today } from '../../screens/staff/today.tsx'

export const screens = {
  approvals: Approvals,
  audit: Audit,
  clearing: Clearing,
  today: Today,
}

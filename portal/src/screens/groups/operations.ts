// The screens of the bank's operations, by the name of their page.
import { Approvals } from '../staff/approvals.tsx'
import { Audit } from '../staff/audit.tsx'
import { Clearing } from '../staff/clearing.tsx'
import { Today } from '../staff/today.tsx'

export const screens = {
  approvals: Approvals,
  audit: Audit,
  clearing: Clearing,
  today: Today,
}

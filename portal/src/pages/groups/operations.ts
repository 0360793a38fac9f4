// The screens of what waits for the bank's decision, by the name of their page.
import { Approvals } from '../../screens/staff/approvals.tsx'

export const screens = {
  approvals: Approvals,
}

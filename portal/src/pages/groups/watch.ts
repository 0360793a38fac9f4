// The screens that watch over the bank, by the name of their page.
import { LateDisputes } from '../../screens/staff/finding/late-disputes.tsx'
import { Overdrawn } from '../../screens/staff/finding/overdrawn.tsx'
import { Today } from '../../screens/staff/today.tsx'

export const screens = {
  disputes: LateDisputes,
  overdrawn: Overdrawn,
  today: Today,
}

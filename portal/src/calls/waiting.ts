// How many requests of others wait for this administrator, as they were last read: the menu shows
// it.
import { cell } from '../state/cell.ts'
import type { Approval, List } from '../state/types.ts'
import { send } from './call.ts'
import { me } from './session.ts'

export const waitingApprovals = cell(0)

/** Also after each decision. A failure leaves the number as it was. */
export async function readWaiting(): Promise<void> {
  const path = '/admin/approvals?status=pending&limit=100'
  try {
    const { items } = await send<List<Approval>>({ method: 'GET', path })
    waitingApprovals.value = items.filter(({ makerId }) => makerId !== me.value?.id).length
  } catch {
    // The menu is of use without it.
  }
}

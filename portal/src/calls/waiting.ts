// How many requests of others wait for this administrator, as they were last read: the menu shows
// it.
import { cell } from '../state/cell.ts'
import type { Approval } from '../state/types.ts'
import { me } from './session.ts'

export const waitingApprovals = cell(0)

/** Nobody approves their own. */
export const countWaiting = (all: readonly Approval[]): number =>
  (waitingApprovals.value = all.filter(
    ({ status, makerId }) => status === 'pending' && makerId !== me.value?.id,
  ).length)

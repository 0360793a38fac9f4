// The limits that an owner gives a member, of a day.
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import type { Transaction } from '../../database/connections/lane.ts'
import { readMemberSpending, toSpendingName } from '../rows/member-spending.ts'
import type { BatchFacts, BatchState } from './facts.ts'
import type { Submission } from './idempotency.ts'

/**
 * What members with a limit of a day have spent: one more round trip, for their movements alone.
 * A movement may be posted later than now by what the clocks may differ: it may be of the next
 * day.
 */
export async function addSpending(
  tx: Transaction,
  submissions: readonly Submission[],
  { facts: { members, days, now }, state }: { facts: BatchFacts; state: BatchState },
): Promise<void> {
  const callers = new Set(
    submissions.flatMap(({ movement: { kind, caller } }) =>
      kind === 'transfer' && caller.memberFor !== undefined ? caller.userId : [],
    ),
  )
  const limited = members.filter((one) => one.perDay !== null && callers.has(one.personId))
  if (limited.length === 0) return
  const times = [...new Set([now, now + clockDifferenceMaxMs].map((at) => days.dayOf(at)))]
  const spans = times.map((day) => ({ day, start: days.startOf(day), end: days.endOf(day) }))
  const asked = limited.flatMap(({ accountId, personId }) =>
    spans.map((span) => ({ accountId, personId, ...span })),
  )
  for (const { accountId, personId, day, spent } of await readMemberSpending(tx, asked, now)) {
    state.memberSpent.set(toSpendingName(accountId, personId, day), spent)
  }
}

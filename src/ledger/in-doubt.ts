// Finds out whether a transaction committed whose answer was lost.
import { scheduler } from 'node:timers/promises'
import { findEvents } from '../audit/sql.ts'
import type { ServiceDatabase } from '../database/connect.ts'
import type { Held } from '../database/lane.ts'
import type { Plan } from './plan.ts'
import { lockAccounts, readTransfers } from './sql.ts'

const pauseMs = 400
/** A caller is kept waiting no longer than this before another attempt, in milliseconds. */
const lockTimeoutMs = 3000

/**
 * Whether the plan is in the books. The lost transaction held the locks of its accounts: once we
 * have them on another connection it is over, and what we then read is how it ended. Merely looking
 * for the transfers would not do: a backend cut off from us may still be on its way to commit.
 *
 * @returns `unknown` when the database could not be asked for some seconds
 */
export async function findOut(
  db: ServiceDatabase,
  plan: Plan,
): Promise<'committed' | 'absent' | 'unknown'> {
  const late = AbortSignal.timeout(lockTimeoutMs)
  while (!late.aborted) {
    const lane = db.openLane()
    try {
      return (await isThere(await lane.hold(), plan)) ? 'committed' : 'absent'
    } catch {
      await scheduler.wait(pauseMs)
    } finally {
      await lane.close()
    }
  }
  return 'unknown'
}

async function isThere(held: Held, plan: Plan): Promise<boolean> {
  const made = new Set(plan.made.map(({ transfer }) => transfer.id))
  const events = plan.events.map(({ id }) => id)
  const [, , transfers, written, tag] = await Promise.all([
    held.command('begin'),
    held.run(lockAccounts, [[...plan.locked]]),
    held.run(readTransfers, [[...made, ...plan.statuses.keys()]]),
    events.length > 0 ? held.run(findEvents, [events]) : [],
    held.command('rollback'),
  ])
  if (tag !== 'ROLLBACK') throw new Error(`ROLLBACK answered ${tag}`)
  if (made.size > 0) return transfers.some(({ id }) => made.has(id))
  // Only statuses or claims were written. A transfer may have been settled or returned by another
  // order since; the event of an order is its own. Claims alone may be written over again.
  if (events.length > 0) return written.length > 0
  const isAsPlanned = ({ id, status }: { id: string; status: string }) =>
    status === plan.statuses.get(id)
  return plan.statuses.size > 0 && transfers.every(isAsPlanned)
}

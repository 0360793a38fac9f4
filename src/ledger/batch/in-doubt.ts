// Finds out whether a transaction committed whose answer was lost or that no standby confirmed.
import { scheduler } from 'node:timers/promises'
import { findEvents } from '../../audit/sql.ts'
import type { ServiceDatabase } from '../../database/connections/connect.ts'
import type { Transaction } from '../../database/connections/lane.ts'
import { awaitStandby } from '../../database/connections/standby.ts'
import type { Plan } from './facts.ts'
import { readAuthorizations } from '../rows/authorizations.ts'
import { readHolds } from '../rows/holds.ts'
import { lockAccounts, readTransfers } from '../rows/transfers.ts'
import { LoggedError } from '../../domain/logged-error.ts'

const pauseMs = 400
/** No further attempt begins after this: the callers are waiting. */
const attemptsEndMs = 3000

/**
 * Whether the plan is in the books. The lost transaction held the locks of its accounts: once
 * another connection has them it is over, and what is then read is how it ended. Merely looking for
 * the transfers would not do: the lost backend may still be on its way to commit.
 *
 * What is read is true only on this server until a standby has it, too. The transaction that reads
 * it therefore commits, and its COMMIT waits for all that was written before it.
 *
 * @returns `unknown` when the database could not be asked for some seconds
 */
export async function resolveInDoubt(
  db: ServiceDatabase,
  plan: Plan,
): Promise<'committed' | 'absent' | 'unknown'> {
  const late = AbortSignal.timeout(attemptsEndMs)
  while (!late.aborted) {
    const lane = db.openLane()
    try {
      return (await isInBooks(await lane.forTransaction(), plan)) ? 'committed' : 'absent'
    } catch {
      await scheduler.wait(pauseMs)
    } finally {
      await lane.close()
    }
  }
  return 'unknown'
}

async function isInBooks(tx: Transaction, plan: Plan): Promise<boolean> {
  const posted = new Set(plan.transfers.map(({ transfer }) => transfer.id))
  const events = plan.events.map(({ id }) => id)
  const placed = plan.holdEvents.flatMap(({ word, id }) => (word === 'created' ? id : []))
  const asked = plan.cards.authorizations.map(({ id }) => id)
  const [, , transfers, written, holds, answered, , tag] = await Promise.all([
    tx.command('begin'),
    lockAccounts(tx, plan.locked),
    readTransfers(tx, [...posted, ...plan.steps.keys()]),
    events.length > 0 ? tx.run(findEvents, [events]) : [],
    readHolds(tx, placed),
    readAuthorizations(tx, asked),
    tx.run(awaitStandby, []),
    tx.command('commit'),
  ])
  if (tag !== 'COMMIT') throw new LoggedError(`COMMIT answered ${tag}`)
  if (posted.size > 0) return transfers.some(({ id }) => posted.has(id))
  // Only steps or claims were written. A transfer may have taken another step by another movement
  // since; the event of an order is its own. Claims alone may be written again.
  if (events.length > 0) return written.length > 0
  if (placed.length > 0) return holds.length > 0
  if (asked.length > 0) return answered.length > 0
  const isAsPlanned = ({ id, status }: { id: string; status: string }) =>
    status === plan.steps.get(id)?.status
  return plan.steps.size > 0 && transfers.every(isAsPlanned)
}

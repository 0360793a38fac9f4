// For tests of two requests at once: waits until one of them waits for the other.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Refusal } from '../../src/domain/errors.ts'
import type { Reply, Span, World } from './world.ts'

/** Between two looks at the same: what is waited for needs the processor, too. */
export const pause = (): Promise<void> => sleep(4)

/** Waits until another connection of this database, or that many, wait for a lock. */
export async function waitingForLock({ sql }: Pick<World, 'sql'>, count = 1): Promise<void> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < 60_000) {
    // Within a transaction the list of connections is otherwise that of the first look.
    const { rows } = await sql(
      `select 1 from pg_stat_clear_snapshot(), pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length >= count) return
    await pause()
  }
  assert.fail('no connection waits for a lock')
}

/** A connection of its own that holds locks in a transaction; it ends with the test. */
export async function openHolder(t: Span, { address }: Pick<World, 'address'>): Promise<pg.Client> {
  const holder = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  // The database ends before it does.
  holder.on('error', () => {})
  await holder.connect()
  t.after(() => holder.end())
  return holder
}

class Late extends Error {}

/** A request that waited for a lock for longer than one may has no effect, and ends the attempt. */
export function inTime(...replies: (Reply | undefined)[]): void {
  if (replies.some((reply) => reply?.status === 503)) throw new Late('503')
}

/** What the service's own bounds throw: nothing has happened, or the outcome is not known. */
export const isUnavailable = (thrown: unknown): boolean =>
  thrown instanceof Refusal && ['unavailable', 'outcome_unknown'].includes(thrown.code)

/** What PostgreSQL throws at a statement that has waited for a lock for longer than it may. */
export const isLockTimeout = (thrown: unknown): boolean =>
  (thrown as { code?: string }).code === '55P03'

/** Tries it again when a busy machine was late. Each attempt begins anew. */
export async function untilInTime<R>(
  attempt: () => Promise<R>,
  isLate = (thrown: unknown): boolean => thrown instanceof Late,
): Promise<R> {
  for (let turn = 1; ; turn++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (!isLate(thrown) || turn === 5) throw thrown
    }
  }
}

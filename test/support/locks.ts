// What tests of two at once wait for: the moment in which one of them waits for the other.
import assert from 'node:assert/strict'
import type { World } from './world.ts'

/** Until another connection of this database waits for a lock, or that many. */
export async function waitingForLock({ sql }: Pick<World, 'sql'>, count = 1): Promise<void> {
  for (let look = 0; look < 10_000; look++) {
    // Within a transaction the list of connections is otherwise that of the first look.
    await sql('select pg_stat_clear_snapshot()')
    const { rows } = await sql(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length >= count) return
  }
  assert.fail('no connection waits for a lock')
}

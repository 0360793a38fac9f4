// When no entry of a time is still to come: entries are dated before they are committed.
import { scheduler } from 'node:timers/promises'
import { type Db, statement } from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'

/**
 * The transactions that share the lock of the bank now. A batch takes it before it reads the time
 * of its movements, and has it until it ends (`migrations/0018_orders_and_revocations.sql`).
 */
const listBatches = statement(
  'ledger_list_batches',
  [],
  { id: 'text' },
  `select virtualtransaction as id from pg_locks
   where locktype = 'advisory' and granted and classid = 7868 and objsubid = 2
     and objid = (uuid_hash('00000000-0000-0000-0000-000000000000')::int8 & 4294967295)::oid
     and database = (select oid from pg_database where datname = current_database())`,
)

/** Longer than a batch may take: five seconds. */
const pausesMax = 1000
const pauseMs = 5

/**
 * Waits until every entry of a time before now, by the database's clock, is committed or will never
 * be. No batch waits for it. Refuses with `unavailable` when a batch takes too long.
 */
export async function untilSettled(db: Db): Promise<void> {
  // A batch that reads the time from here on reads a later millisecond.
  await scheduler.wait(2)
  let left = new Set((await db.run(listBatches, [])).map(({ id }) => id))
  for (let pauses = 0; left.size > 0; pauses++) {
    if (pauses === pausesMax)
      refuse('unavailable', { outage: 'queue', because: 'a batch is under way' })
    await scheduler.wait(pauseMs)
    const present = await db.run(listBatches, [])
    left = left.intersection(new Set(present.map(({ id }) => id)))
  }
}

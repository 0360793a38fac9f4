// Clears away keys and traces of transfers that are past their time, a little at a time.
import type { Clock } from '../domain/clock.ts'
import { databaseNow } from '../database/clocks.ts'
import type { Database } from '../database/connect.ts'
import { statement } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { duplicateWindowMs, keyLifetimeMs } from './idempotency.ts'

const purgeIntervalMs = 10_000
const most = 20_000n

/** Rows that a batch is just writing anew are left alone: the purge never waits for a transfer. */
const purgeRecent = statement(
  'ledger_purge_recent',
  ['timestamptz', 'int8'],
  { gone: 'int8' },
  `with old as (
     select fingerprint from recent_transfers where created_at <= $1 limit $2 for update skip locked
   ), dropped as (
     delete from recent_transfers r using old where r.fingerprint = old.fingerprint returning 1
   )
   select count(*) as gone from dropped`,
)

const purgeClaims = statement(
  'ledger_purge_claims',
  ['timestamptz', 'int8'],
  { gone: 'int8' },
  `with old as (
     select caller_id, key from claims where claimed_at <= $1
     order by claimed_at limit $2 for update skip locked
   ), dropped as (
     delete from claims c using old
     where c.caller_id = old.caller_id and c.key = old.key returning 1
   )
   select count(*) as gone from dropped`,
)

/**
 * Removes everything that is past its time by the database's clock. Refuses when the clock of this
 * process differs from that: one of the two is wrong, and a key that is purged early pays twice.
 */
export async function purgeOnce(db: Database, clock: Clock): Promise<void> {
  const ends = [
    [purgeRecent, duplicateWindowMs],
    [purgeClaims, keyLifetimeMs],
  ] as const
  for (const [purging, life] of ends) {
    for (let gone = most; gone === most;) {
      const rows = await transaction(db, async (tx) =>
        tx.run(purging, [new Date((await databaseNow(tx, clock)) - life), most]),
      )
      gone = rows[0]?.gone ?? 0n
    }
  }
}

/** Purges from time to time until stopped. A database out of reach only means: later. */
export function startPurge(db: Database, clock: Clock): { stop(): Promise<void> } {
  let underWay = Promise.resolve()
  const timer = setInterval(() => {
    underWay = underWay.then(() => purgeOnce(db, clock)).catch(() => {})
  }, purgeIntervalMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await underWay
    },
  }
}

// Removes claims of keys and traces against duplicates that are past their time.
import type { PurgeBatch } from '../database/purge.ts'
import { statement } from '../database/statement.ts'
import { duplicateWindowMs, keyLifetimeMs } from './idempotency.ts'

const batchSize = 20_000n

// Rows that a batch of transfers is writing are skipped: the purge never waits for a transfer.

const purgeRecent = statement(
  'ledger_purge_recent',
  ['timestamptz', 'int8'],
  { gone: 'int8' },
  `with dropped as (
     delete from recent_transfers where fingerprint = any(array(
       select fingerprint from recent_transfers where created_at <= $1
       limit $2 for update skip locked
     )) returning 1
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

export const purgeLedger: PurgeBatch = async (db, now) => {
  const [recent] = await db.run(purgeRecent, [new Date(now - duplicateWindowMs), batchSize])
  const [claims] = await db.run(purgeClaims, [new Date(now - keyLifetimeMs), batchSize])
  return recent?.gone === batchSize || claims?.gone === batchSize
}

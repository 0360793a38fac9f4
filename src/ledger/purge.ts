// Removes claims of keys and traces against duplicates that are past their time. Writes what
// entries of older versions lack.
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

/** A batch takes about 0.1 s. */
const fillSize = 2000n

const fillTexts = statement(
  'ledger_fill_texts',
  ['int8'],
  { filled: 'int8' },
  'select fill_entry_texts($1) as filled',
)

/** Writes the texts into entries from before they had any, and of instances of such a version. */
export const fillEntryTexts: PurgeBatch = async (db) => {
  const [row] = await db.run(fillTexts, [fillSize])
  return row?.filled === fillSize
}

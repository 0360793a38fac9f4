// Removes claims of keys and traces against duplicates that are past their time. Rows that a batch
// of transfers is writing are skipped: the purge never waits for a transfer. Writes what entries of
// older versions lack.
import { type PurgeBatch, purging } from '../../database/background/purge.ts'
import { statement } from '../../database/statements/statement.ts'
import { duplicateWindowMs, keyLifetimeMs } from './idempotency.ts'

const timed = { by: 'timestamptz', size: 20_000n } as const

const purgeRecent = purging('ledger_purge_recent', 'recent_transfers', {
  ...timed,
  past: 'created_at <= $1',
})

const purgeClaims = purging('ledger_purge_claims', 'claims', {
  ...timed,
  past: 'claimed_at <= $1 order by claimed_at',
})

export const purgeLedger: PurgeBatch = async (db, now) => {
  const more = [
    await purgeRecent(db, new Date(now - duplicateWindowMs)),
    await purgeClaims(db, new Date(now - keyLifetimeMs)),
  ]
  return more.includes(true)
}

/** A batch takes about 0.1 s; the 2,000,000 entries of a million transfers 75 s of the database. */
const fillSize = 2000n

const fillTexts = statement(
  'ledger_fill_texts',
  ['int8'],
  { filled: 'int8' },
  'select fill_entry_texts($1) as filled',
)

/**
 * Makes what writes the texts into entries from before they had any, and of instances of such a
 * version.
 *
 * @param onEnd is told how many it filled in, when none is left that it can fill in
 */
export function fillingEntryTexts(onEnd: (count: number) => void): PurgeBatch {
  let count = 0
  return async (db) => {
    const [row] = await db.run(fillTexts, [fillSize])
    count += Number.parseInt((row?.filled ?? 0n).toString(), 10)
    if (row?.filled === fillSize) return true
    if (count > 0) onEnd(count)
    count = 0
    return false
  }
}

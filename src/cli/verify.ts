// `strongroom verify`: proves the books, beside a running service or without one.
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { systemClock } from '../domain/clock.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { withOpenDatabase } from './database.ts'
import { createHeads, openHeads } from './heads-file.ts'
import { createProgressBar } from './progress-bar.ts'

/** Sums over all accounts of a large bank take longer than a request may. */
const statementTimeoutMs = 60_000

/**
 * Verifies the whole ledger and says what is proven. Throws an Error that names the first mismatch
 * (exit code 1). A file that cannot be used is reported before the ledger is read (exit code 2).
 */
export async function verifyCommand(
  config: Config,
  say: (text: string) => void,
  files: { heads?: string; since?: string },
): Promise<void> {
  const bar = createProgressBar(say, 'of all entries')
  const earlier = files.since === undefined ? undefined : await openHeads(files.since)
  const written = files.heads === undefined ? undefined : await createHeads(files.heads)
  const options = {
    ...(bar && { progress: bar.draw }),
    ...(earlier && { since: earlier.heads() }),
    ...(written && { onHead: (line: string) => written.add(line) }),
  }
  try {
    const proven = await withOpenDatabase(
      config,
      async (db) => {
        const result = await verifyLedger(db, options)
        bar?.end()
        await record(db, result).catch(() => say('The run is not in the audit trail.\n'))
        return result
      },
      { readMs: statementTimeoutMs, needsPrimary: false },
    )
    if (proven.mismatch !== undefined) {
      throw new Error(`The books are not sound. ${proven.mismatch}.`)
    }
    await written?.finish(proven.digest)
    say(
      `The books are sound: ${proven.accounts} accounts, ${proven.transfers} transfers, ` +
        `${proven.entries} entries. The texts of ${proven.erased} transfers are erased.\n`,
    )
    if (earlier) say(`The heads with the digest ${earlier.digest} are on their chains.\n`)
    say(`Digest of all heads: ${proven.digest}\n`)
  } finally {
    await written?.discard()
  }
}

/** A copy of the books that cannot be written can be verified as well: there is no event then. */
async function record(
  db: Database,
  { mismatch, digest }: Awaited<ReturnType<typeof verifyLedger>>,
): Promise<void> {
  const event = commandEvent(systemClock().now(), {
    action: 'verify',
    outcome: mismatch === undefined ? 'success' : 'failure',
    detail: mismatch?.slice(0, 140) ?? `digest ${digest}`,
  })
  await transaction(db, (tx) => addEvents(tx, [event]))
}

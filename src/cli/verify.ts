// `strongroom verify`: proves the books, beside a running service or without one.
import { availableParallelism } from 'node:os'
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import type { Address, Database } from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'
import { systemClock } from '../domain/clock.ts'
import { StartupError } from '../domain/startup-error.ts'
import { type Verified, verifyLedger } from '../ledger/proof/verify.ts'
import { openWorkers } from '../ledger/proof/verify-workers.ts'
import { longReadMs, withOpenDatabase } from './database.ts'
import { createHeads, openHeads } from './heads-file.ts'
import { interruption, unlessInterrupted } from './interruption.ts'
import { createProgressBar } from './progress-bar.ts'
import { UnsoundBooks } from './report.ts'

export type VerifyOptions = { heads?: string; since?: string; cores?: string }

const coresMax = 32

/** By default half of all: PostgreSQL takes about as much time for each as the proof does. */
function readCores(given = String(Math.max(1, availableParallelism() >> 1))): number {
  const cores = /^\d{1,3}$/.test(given) ? Number.parseInt(given, 10) : 0
  if (cores >= 1 && cores <= coresMax) return cores
  throw new StartupError(`--cores is a whole number from 1 to ${coresMax}.`)
}

/**
 * Verifies the whole ledger and says what is proven. Throws {@link UnsoundBooks} that names the
 * first mismatch (exit code 1). A file that cannot be used is reported before the ledger is read
 * (exit code 2). Any other error means that nothing is known of the books (exit code 3).
 */
export const verifyCommand = (
  config: Config,
  say: (text: string) => void,
  options: VerifyOptions,
): Promise<void> => proveBooks(config, say, options, unlessInterrupted)

/** @param untilDone waits for the proof; on a signal it may give up, and the proof goes on */
export async function proveBooks(
  config: Config,
  say: (text: string) => void,
  { cores: givenCores, ...files }: VerifyOptions,
  untilDone: typeof unlessInterrupted = (proof) => proof,
): Promise<void> {
  const cores = readCores(givenCores)
  const bar = createProgressBar(say, 'of all entries')
  const earlier = files.since === undefined ? undefined : await openHeads(files.since)
  const signal = interruption()
  const written = files.heads === undefined ? undefined : await createHeads(files.heads)
  const options = {
    ...(bar && { progress: bar.draw }),
    ...(earlier && { since: earlier.heads() }),
    ...(written && { onHead: (line: string) => written.add(line) }),
  }
  try {
    const work = withOpenDatabase(
      config,
      async (db, address) => {
        const books = await proveOn(cores, db, address, options)
        bar?.end()
        await record(db, books).catch(() => say('The run is not in the audit trail.\n'))
        return books
      },
      { signal, ...reading },
    )
    const proven = await untilDone(work)
    if (proven.mismatch !== undefined) {
      throw new UnsoundBooks(`The books are not sound. ${proven.mismatch}.`)
    }
    await written?.finish(proven.digest)
    say(
      `The books are sound: ${proven.accounts} accounts, ${proven.transfers} transfers, ` +
        `${proven.entries} entries. The texts of ${proven.erased} transfers are erased.\n`,
    )
    if (earlier) say(`The heads with the digest ${earlier.digest} are on their chains.\n`)
    say(`Digest of all heads: ${proven.digest}\n`)
  } finally {
    // What is wrong with the books is said, whatever is wrong with the file.
    await written?.discard().catch(() => {})
  }
}

const reading = { readMs: longReadMs, needsPrimary: false }

/** One core is that of this thread. */
async function proveOn(
  cores: number,
  db: Database,
  address: Address,
  options: Parameters<typeof verifyLedger>[1],
): Promise<Verified> {
  if (cores === 1) return verifyLedger(db, options)
  const workers = openWorkers(address, cores, reading)
  try {
    return await verifyLedger(db, { ...options, workers })
  } finally {
    await workers.close()
  }
}

/** A copy of the books that cannot be written can be verified as well: there is no event then. */
async function record(
  db: Database,
  { mismatch, digest }: Pick<Verified, 'mismatch' | 'digest'>,
): Promise<void> {
  const event = commandEvent(systemClock().now(), {
    action: 'verify',
    outcome: mismatch === undefined ? 'success' : 'failure',
    detail: mismatch?.slice(0, 140) ?? `digest ${digest}`,
  })
  await transaction(db, (tx) => addEvents(tx, [event]))
}

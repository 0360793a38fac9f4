// `strongroom verify`: proves the books, beside a running service or without one.
import { availableParallelism } from 'node:os'
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import type { Address, Database } from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'
import { one, statement } from '../database/statements/statement.ts'
import { systemClock } from '../domain/clock.ts'
import { PassingStartupError, StartupError } from '../domain/startup-error.ts'
import { type Archive, newestArchive } from '../ledger/archive/state-sql.ts'
import { beginLine, newSinceLine } from '../ledger/proof/heads.ts'
import { type Verified, verifyLedger } from '../ledger/proof/verify.ts'
import { openWorkers } from '../ledger/proof/verify-workers.ts'
import { checkArchive } from './archive/check.ts'
import { besideArchives } from './archive/lock.ts'
import { longReadMs, withOpenDatabase } from './database.ts'
import { createHeads, type EarlierHeads, openHeads } from './heads-file.ts'
import { interruption, unlessInterrupted } from './interruption.ts'
import { createProgressBar } from './progress-bar.ts'
import { UnsoundBooks } from './report.ts'

export type VerifyOptions = {
  heads?: string
  since?: string
  onlyNew?: boolean
  cores?: string
  archive?: string
}

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
  { cores: givenCores, onlyNew = false, archive, ...files }: VerifyOptions,
  untilDone: typeof unlessInterrupted = (proof) => proof,
): Promise<void> {
  const cores = readCores(givenCores)
  const now = systemClock().now()
  // Only a proof of all knows how much it has to read.
  const bar = onlyNew ? undefined : createProgressBar(say, 'of all entries')
  const earlier = files.since === undefined ? undefined : await openHeads(files.since)
  const base = onlyNew ? requireBegin(earlier, files.since) : undefined
  const signal = interruption()
  const written = files.heads === undefined ? undefined : await createHeads(files.heads)
  const options = {
    ...(bar && { progress: bar.draw }),
    ...(earlier && { since: earlier.heads() }),
    ...(base && { onlyNewFrom: base.from }),
    ...(written && { onHead: (line: string) => written.add(line) }),
  }
  let archived = ''
  try {
    const work = withOpenDatabase(
      config,
      async (db, address) => {
        const { isStandby, begin } = await readBegin(db, now)
        const remarks = [
          ...(begin === undefined ? [] : [beginLine(begin)]),
          ...(base ? [newSinceLine(base.digest)] : []),
        ]
        return besideArchives(address, async (isLocked, isStillLocked) => {
          const newest = await newestArchive(db)
          // The lock is the primary's alone.
          if (isStandby || !isLocked) requireAtRest(newest)
          // With its connection the lock may be lost meanwhile.
          const requireSame = async () => {
            requireUnchanged(newest, await newestArchive(db))
            if (!(await isStillLocked())) requireAtRest(newest)
          }
          const books = await proveOn(cores, db, address, {
            ...options,
            ...(written && { remarks }),
          })
          bar?.end()
          await requireSame()
          await record(db, books, base?.digest).catch(() =>
            say('The run is not in the audit trail.\n'),
          )
          if (newest && newest.state !== 'removed') archived = tellHalf(newest)
          if (archive !== undefined) {
            try {
              archived += await checkArchive(db, archive)
            } finally {
              await requireSame()
            }
          }
          return books
        })
      },
      { signal, ...reading },
    )
    const proven = await untilDone(work)
    if (proven.mismatch !== undefined) {
      throw new UnsoundBooks(`The books are not sound. ${proven.mismatch}.`)
    }
    await written?.finish(proven.digest)
    say(base ? tellNew(proven, base.digest) : tellAll(proven))
    if (earlier && !base) say(`The heads with the digest ${earlier.digest} are on their chains.\n`)
    if (archived !== '') say(archived)
    say(`Digest of all heads: ${proven.digest}\n`)
  } finally {
    // What is wrong with the books is said, whatever is wrong with the file.
    await written?.discard().catch(() => {})
  }
}

const readReplayed = statement(
  'verify_read_replayed',
  [],
  { isStandby: 'bool', at: 'timestamptz?' },
  `select pg_is_in_recovery() as "isStandby", pg_last_xact_replay_timestamp() as at`,
)

/**
 * `begin`: from when on the run may miss what was committed; undefined: a standby does not know.
 */
async function readBegin(db: Database, now: number) {
  const { isStandby = true, at } = (await one(db, readReplayed, [])) ?? {}
  if (!isStandby) return { isStandby, begin: now }
  return { isStandby, begin: at ? Math.min(now, at.getTime()) : undefined }
}

const isMoving = () =>
  new PassingStartupError('An archive is written or restored: run this again behind it.')

/** Without the lock, rows of an archive that is half removed may leave at any time. */
export function requireAtRest(newest: Archive | undefined): void {
  if (newest !== undefined && newest.state !== 'removed') throw isMoving()
}

/** Rows that leave meanwhile look like rows that are missing. */
export function requireUnchanged(before: Archive | undefined, after: Archive | undefined): void {
  if (before?.digest !== after?.digest || before?.state !== after?.state) throw isMoving()
}

const tellHalf = ({ name, state }: Archive): string =>
  `The archive ${name} is half ${state === 'removing' ? 'removed' : 'restored'}: run that again.\n`

const tellAll = ({ accounts, transfers, entries, erased }: Verified): string =>
  `The books are sound: ${accounts} accounts, ${transfers} transfers, ${entries} entries. ` +
  `The texts of ${erased} transfers are erased.\n`

const tellNew = ({ accounts, transfers, entries }: Verified, digest: string): string =>
  `What is new since the heads with the digest ${digest} is sound: ${transfers} transfers, ` +
  `${entries} entries, and the balances of ${accounts} accounts. ` +
  'What is older was not proven.\n'

/** Heads that say when their run began. Those of a day have another begin for each account. */
function requireBegin(earlier: EarlierHeads | undefined, file = '') {
  if (!earlier) throw new StartupError('--only-new goes with --since.')
  const { from, digest } = earlier
  if (from !== undefined) return { from, digest }
  throw new StartupError(
    `--only-new needs a file of heads that says when its run began, and ${file} does not.`,
  )
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
  earlier: string | undefined,
): Promise<void> {
  const proven = earlier === undefined ? `digest ${digest}` : `${digest} since ${earlier}`
  const event = commandEvent(systemClock().now(), {
    action: earlier === undefined ? 'verify' : 'verifyNew',
    outcome: mismatch === undefined ? 'success' : 'failure',
    detail: mismatch?.slice(0, 140) ?? proven,
  })
  await transaction(db, (tx) => addEvents(tx, [event]))
}

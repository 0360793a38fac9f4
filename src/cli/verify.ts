// `strongroom verify`: proves the books, beside a running service or without one.
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { rfc3339, systemClock } from '../domain/clock.ts'
import { StartupError } from '../domain/startup-error.ts'
import {
  collectHead,
  headText,
  type NotedHead,
  parseHead,
  settledTime,
} from '../ledger/noted-head.ts'
import { type Verified, verifyLedger, type VerifyOptions } from '../ledger/verify.ts'
import { longReadMs, withOpenDatabase } from './database.ts'
import { createHeads, openHeads } from './heads-file.ts'
import { interruption, unlessInterrupted } from './interruption.ts'
import { createProgressBar } from './progress-bar.ts'
import { UnsoundBooks } from './report.ts'

export type VerifyFiles = {
  heads?: string
  since?: string
  /** Print the heads of now as one line. */
  head?: boolean
  /** Such a line. */
  expectHead?: string
}

/**
 * Verifies the whole ledger and says what is proven. Throws {@link UnsoundBooks} that names the
 * first mismatch (exit code 1). A file that cannot be used is reported before the ledger is read
 * (exit code 2). Any other error means that nothing is known of the books (exit code 3).
 */
export const verifyCommand = (
  config: Config,
  say: (text: string) => void,
  files: VerifyFiles,
): Promise<void> => proveBooks(config, say, files, unlessInterrupted)

/** @param untilDone waits for the proof; on a signal it may give up, and the proof goes on */
export async function proveBooks(
  config: Config,
  say: (text: string) => void,
  files: VerifyFiles,
  untilDone: typeof unlessInterrupted = (proof) => proof,
): Promise<void> {
  const expected = readExpected(files.expectHead)
  const bar = createProgressBar(say, 'of all entries')
  const earlier = files.since === undefined ? undefined : await openHeads(files.since)
  const signal = interruption()
  const written = files.heads === undefined ? undefined : await createHeads(files.heads)
  const options = {
    ...(bar && { progress: bar.draw }),
    ...(earlier && { since: earlier.heads() }),
    ...(written && { onHead: (line: string) => written.add(line) }),
  }
  const collected: ReturnType<typeof collectHead>[] = []
  try {
    const work = withOpenDatabase(
      config,
      async (db) => {
        if (expected) collected.push(collectHead(expected.at))
        if (files.head) collected.push(collectHead(await settledTime(db)))
        const onEntry: VerifyOptions['onEntry'] = (entry) => {
          for (const each of collected) each.add(entry)
        }
        const books = await verifyLedger(db, { ...options, onEntry })
        bar?.end()
        const heads = collected.map((each) => each.finish())
        const mismatch = books.mismatch ?? (expected && findDifference(expected, heads.shift()))
        const result = { ...books, mismatch, heads }
        await record(db, result).catch(() => say('The run is not in the audit trail.\n'))
        return result
      },
      { signal, readMs: longReadMs, needsPrimary: false },
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
    if (expected) say(`The heads that were noted at ${rfc3339(expected.at)} are on their chains.\n`)
    say(`Digest of all heads: ${proven.digest}\n`)
    for (const head of proven.heads) process.stdout.write(`${headText(head)}\n`)
  } finally {
    // What is wrong with the books is said, whatever is wrong with the file.
    await written?.discard().catch(() => {})
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

/** Throws {@link StartupError} for a line that is no head. */
export function readExpected(text: string | undefined): NotedHead | undefined {
  if (text === undefined) return undefined
  const head = parseHead(text)
  if (head) return head
  throw new StartupError('--expect-head is a line that `strongroom verify --head` has printed.')
}

function findDifference(noted: NotedHead, found: NotedHead | undefined): string | undefined {
  if (!found || headText(found) === headText(noted)) return undefined
  const count = ({ accounts, entries }: NotedHead) => `${entries} entries of ${accounts} accounts`
  return (
    `Another chain was noted: until ${rfc3339(noted.at)} there are ${count(found)}, ` +
    `noted are ${count(noted)}`
  )
}

// Proves the books from the first entry on: every sequence, balance, hash and sum is computed anew.
// Reads pages by key, so it runs beside a working service, in the same memory at any size. Its jobs
// are the same, and are judged in the same order, with any number of workers.
import { createHash } from 'node:crypto'
import type { Db, RowOf } from '../../database/statements/statement.ts'
import { systemClock } from '../../domain/clock.ts'
import { firstId, idAt, lastId } from '../../domain/ids.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { type Head, pageHeads } from './heads.ts'
import type { Range } from './verify-accounts.ts'
import { type ChainState, fail, Mismatch } from './verify-chain.ts'
import { restNames } from './verify-jobs.ts'
import { rowsPerPage } from './verify-pages.ts'
import { type Since, sinceRun } from './verify-since.ts'
import { countEntries, findAccounts, sumBalances } from './verify-sql.ts'
import { type Workers, workHere } from './verify-workers.ts'

export type Verified = {
  accounts: number
  entries: number
  transfers: number
  /** Transfers whose texts were erased. */
  erased: number
  /** SHA-256, hexadecimal, over the heads of all chains as they stand in a file of them. */
  digest: string
  /** The first thing that is not as it has to be, or undefined: the books are sound. */
  mismatch: string | undefined
}

/** How far it is: entries proven, of about how many. */
export type Progress = (done: number, total: number) => void

export type VerifyOptions = {
  progress?: Progress
  /** Heads of an earlier run in the order of their accounts, to be found on their chains. */
  since?: AsyncIterable<Head>
  /** When that run began: only what is new since its heads is proven. */
  onlyNewFrom?: number
  /** Lines before the heads. The digest is over them, too. */
  remarks?: readonly string[]
  /** Is given each line, the heads in the order of the accounts. */
  onHead?: (line: string) => Promise<void> | void
  /** Milliseconds since the epoch. */
  now?: number
  /** This thread by default. */
  workers?: Workers
  accountsPerRange?: number
}

type Run = {
  db: Db
  workers: Workers
  now: number
  counts: Omit<Verified, 'mismatch' | 'digest'>
  sides: Sides
  /** Identifiers that divide the transfers into ranges. */
  boundaries: readonly string[]
  /** Only what is new is proven. */
  since: Since | undefined
  /** Transfers before it that new entries or transfers are about. */
  olderIds: Set<string>
}

/**
 * Entries that are one of the two of a transfer below that identifier. Each entry is of another
 * side: if there are two for each transfer, but for those in an archive, no transfer lacks one.
 */
type Sides = { before: string; count: number }
/** Transfers that are younger are looked at one by one: they may be posted meanwhile. */
const youngForMs = 60_000

const accountsPerRange = 1000
/** A range has as many entries without a proof at most, or one account. */
const unprovenMax = 4n * rowsPerPage

/** Proves all books. Stops at the first mismatch and names it. */
export async function verifyLedger(db: Db, options: VerifyOptions = {}): Promise<Verified> {
  const { now = systemClock().now(), workers = workHere(db) } = options
  const counts = { accounts: 0, entries: 0, transfers: 0, erased: 0 }
  const sides = { before: idAt(now - youngForMs), count: 0 }
  const { onlyNewFrom } = options
  const since = onlyNewFrom === undefined ? undefined : sinceRun(onlyNewFrom)
  const run: Run = { db, workers, now, counts, sides, boundaries: [], since, olderIds: new Set() }
  let digest = ''
  try {
    digest = await proveAccounts(run, options)
    await proveTransfers(run)
    const runRest = (name: (typeof restNames)[number]) => workers.run('rest', { name, since })
    for await (const flaw of inOrder(restNames, runRest, workers.count)) {
      if (flaw !== undefined) fail(flaw)
    }
    for (const { currency, total } of await db.run(sumBalances, [])) {
      if (total !== '0') fail(`All accounts in ${currency} together hold ${total}, not nothing`)
    }
  } catch (thrown) {
    if (thrown instanceof Mismatch) return { ...counts, digest, mismatch: thrown.message }
    throw thrown
  }
  return { ...counts, digest, mismatch: undefined }
}

/** Returns the digest over all heads. */
async function proveAccounts(run: Run, options: VerifyOptions): Promise<string> {
  const { db, workers, counts, sides, since } = run
  const [row] = await db.run(countEntries, [])
  const total = Number.parseInt((row?.total ?? 0n).toString(), 10)
  let done = 0
  const onProven = (count: number): void => {
    done = Math.max(done, count)
    options.progress?.(done, total)
  }
  const proven = since ? new Map<string, ChainState>() : await proveChains(run, onProven)
  const digest = createHash('sha256')
  const write = async (line: string): Promise<void> => {
    digest.update(line)
    await options.onHead?.(line)
  }
  for (const line of options.remarks ?? []) await write(line)
  const earlierHeads = pageHeads(options.since)
  const toJobs = async function* () {
    for await (const { after, upTo, ids, archived } of accountRanges(db, proven, options)) {
      const heads: Head[] = []
      for await (const head of earlierHeads.upTo(upTo)) heads.push(notArchived(head, archived))
      const states = ids.flatMap((id) => {
        const state = proven.get(id)
        return state ? ([[id, state]] as const) : []
      })
      const chains = { proven: new Map(states), earlierHeads: heads, sidesBefore: sides.before }
      yield { after, upTo, ...chains, ...(since && { since }) }
    }
  }
  const verify = (range: Parameters<typeof workers.run<'accounts'>>[1]) =>
    workers.run('accounts', range)
  for await (const found of inOrder(toJobs(), verify, workers.count)) {
    counts.accounts += found.lines.length
    counts.entries += found.entries
    sides.count += found.sides
    onProven(counts.entries)
    for (const line of found.lines) await write(line)
    for (const id of found.olderIds) run.olderIds.add(id)
  }
  return digest.digest('hex')
}

/** Heads whose entries are in an archive are not on the chains in the database. */
function notArchived(head: Head, archived: ReadonlyMap<string, bigint>): Head {
  if (head.seq >= (archived.get(head.accountId) ?? 0n)) return head
  throw new StartupError(
    `The earlier heads are older than an archive: entry ${head.seq} of account ` +
      `${head.accountId} is in one. Take newer heads, and prove the folder by --archive.`,
  )
}

/** What is proven of all chains in the order of transfers. Each worker reads a part of them. */
async function proveChains(
  run: Run,
  onProven: (count: number) => void,
): Promise<ReadonlyMap<string, ChainState>> {
  const { workers, sides } = run
  const provenCounts: number[] = []
  const parts = await Promise.all(
    Array.from({ length: workers.count }, (_, part) =>
      workers.run('chains', { part, parts: workers.count, sidesBefore: sides.before }, (count) => {
        provenCounts[part] = count
        onProven(provenCounts.reduce((sum, each) => sum + each, 0))
      }),
    ),
  )
  run.boundaries = parts[0]?.boundaries ?? []
  const [first = new Map<string, ChainState>(), ...others] = parts.map(({ proven }) => proven)
  for (const other of others) for (const [id, state] of other) first.set(id, state)
  return first
}

/**
 * All identifiers of accounts in ranges, and the accounts of each that were there when it was cut.
 * Those that are not there belong to one, too: the last range ends with the last identifier.
 */
async function* accountRanges(
  db: Db,
  proven: ReadonlyMap<string, ChainState>,
  { accountsPerRange: countMax = accountsPerRange, onlyNewFrom }: VerifyOptions,
): AsyncGenerator<Range & { ids: string[]; archived: ReadonlyMap<string, bigint> }> {
  // Ends with the last identifier: each range begins behind the end of the one before.
  for (let after: string | null = null; after !== lastId;) {
    const accounts: RowOf<typeof findAccounts.gives>[] = await db.run(findAccounts, [
      after,
      BigInt(countMax),
    ])
    const ids: string[] = []
    const archived = new Map<string, bigint>()
    let unproven = 0n
    for (const { id, lastSeq, archivedSeq } of accounts) {
      archived.set(id, archivedSeq)
      if (onlyNewFrom === undefined) unproven += lastSeq - (proven.get(id)?.seq ?? archivedSeq)
      if (unproven > unprovenMax && ids.length > 0) break
      ids.push(id)
    }
    const upTo: string =
      ids.length < countMax && ids.length === accounts.length ? lastId : (ids.at(-1) as string)
    yield { after, upTo, ids, archived }
    after = upTo
  }
}

/**
 * Every transfer has its two entries, and its status follows from the books. Where the number of
 * entries does not prove the first, or a flaw is found, each entry is looked up, from the first
 * transfer on.
 */
async function proveTransfers(run: Run): Promise<void> {
  const { counts, sides, since } = run
  if (since) return proveNewTransfers(run, since)
  const proven = await countTransfers(run, sides.before)
  const isProven = proven.flaw === undefined && sides.count === proven.sidesBefore
  const { flaw, transfers, erased } = isProven ? proven : await countTransfers(run, firstId)
  if (flaw !== undefined) fail(flaw)
  Object.assign(counts, { transfers, erased })
}

async function proveNewTransfers(run: Run, since: Since): Promise<void> {
  const { counts, workers, olderIds, now } = run
  const flawOfOlder = await workers.run('these', [...olderIds].toSorted())
  if (flawOfOlder !== undefined) fail(flawOfOlder)
  // Ranges of equal time.
  const [from, rangeCount] = [since.idMs, workers.count * jobsPerWorker]
  const lastsMs = (now - from) / rangeCount
  run.boundaries = Array.from({ length: rangeCount - 1 }, (_, at) =>
    idAt(from + lastsMs * (at + 1)),
  )
  const { flaw, transfers, erased } = await countTransfers(run, firstId)
  if (flaw !== undefined) fail(flaw)
  Object.assign(counts, { transfers, erased })
}

async function countTransfers({ workers, boundaries, since }: Run, before: string) {
  const ends = [...boundaries, lastId]
  const first = since?.id ?? firstId
  const ranges = ends.map((upTo, at) => ({ after: ends[at - 1] ?? first, upTo, before }))
  const counts = { transfers: 0, erased: 0, sidesBefore: 0 }
  const find = (range: (typeof ranges)[number]) => workers.run('transfers', range)
  for await (const { flaw, ...found } of inOrder(ranges, find, workers.count)) {
    counts.transfers += found.transfers
    counts.erased += found.erased
    counts.sidesBefore += found.sidesBefore
    if (flaw !== undefined) return { ...counts, flaw }
  }
  return { ...counts, flaw: undefined }
}

/** For each worker, so that it has the next job when one is done, also while one takes long. */
const jobsPerWorker = 4

/**
 * The outputs of the jobs in the order of their inputs. When it ends, whyever, no job is under way.
 */
async function* inOrder<I, O>(
  inputs: Iterable<I> | AsyncIterable<I>,
  start: (input: I) => Promise<O>,
  workerCount: number,
): AsyncGenerator<O> {
  const underWayMax = workerCount === 1 ? 1 : workerCount * jobsPerWorker
  const underWay: Promise<O>[] = []
  try {
    for await (const input of inputs) {
      const job = start(input)
      job.catch(() => {})
      underWay.push(job)
      if (underWay.length < underWayMax) continue
      yield await (underWay[0] as Promise<O>)
      void underWay.shift()
    }
    while (underWay[0]) {
      yield await underWay[0]
      void underWay.shift()
    }
  } finally {
    await Promise.allSettled(underWay)
  }
}

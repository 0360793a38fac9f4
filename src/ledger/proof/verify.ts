// Proves the books from the first entry on: every sequence, balance, hash and sum is computed anew.
// Reads pages by key, so it runs beside a working service, in the same memory at any size.
import { createHash } from 'node:crypto'
import { readBankCalendar } from '../../database/background/bank-calendar.ts'
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import { readDays } from '../../database/background/bank-days.ts'
import type { Db, RowOf } from '../../database/statements/statement.ts'
import { systemClock } from '../../domain/clock.ts'
import { firstId, idAt, lastId } from '../../domain/ids.ts'
import { type Head, headLine, pageHeads } from './heads.ts'
import { isBankAccountId, isRightBankId } from '../rules/internal-accounts.ts'
import {
  countEntries,
  type Entry,
  findEntries,
  readAccounts,
  readEntries,
  readHashes,
  readLastSeqs,
  type PayingTimes,
  readPayingTimes,
  sumBalances,
} from './verify-sql.ts'
import { proveByTransfers } from './verify-ahead.ts'
import { findBlockFlaw, readBlockPage, findFlawOfSum } from './verify-blocks.ts'
import {
  type Chain,
  type ChainState,
  emptyChain,
  extend,
  fail,
  isOfOther,
  Mismatch,
} from './verify-chain.ts'
import { findDraftFlaw, readDraftPage } from './verify-drafts.ts'
import { findFreezeFlaw, readFreezePage } from './verify-freezes.ts'
import { findMismatchOfHolds } from './verify-holds.ts'
import { findNumberFlaw, readDetailsPage, readNumberPage } from './verify-numbers.ts'
import { findMismatchOfLists } from './verify-lists.ts'
import { findOrderFlaw, readOrderPage } from './verify-orders.ts'
import { findFirstFlaw, pagesOf, readAhead, rowsPerPage } from './verify-pages.ts'
import { findFlaw, readRunPage } from './verify-runs.ts'
import { readReach } from './verify-trail.ts'
import { findFlawOfTransfers } from './verify-transfers.ts'

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
  /** Is given the line of each head, in the order of the accounts. */
  onHead?: (line: string) => Promise<void> | void
  /** Milliseconds since the epoch. */
  now?: number
}

type Account = RowOf<typeof readAccounts.gives>
type Counts = Omit<Verified, 'mismatch' | 'digest'>

/** The chain of an account of a page. */
type Walk = Chain & {
  account: Account
  earlierHead: Head | undefined
  /** What was proven of it before its page. */
  provenSeq: bigint
}

const accountsPerPage = 1000n
const seqMax = 2n ** 63n - 1n

/** Proves all books. Stops at the first mismatch and names it. */
export async function verifyLedger(db: Db, options: VerifyOptions = {}): Promise<Verified> {
  const counts = { accounts: 0, entries: 0, transfers: 0, erased: 0 }
  let digest = ''
  const { now = systemClock().now() } = options
  const sides = { before: idAt(now - youngForMs), count: 0 }
  try {
    digest = await verifyAccounts(db, counts, options, sides)
    await verifyTransfers(db, counts, sides)
    const hasEventsOf = await readReach(db)
    const flaw =
      (await findMismatchOfHolds(db, hasEventsOf)) ??
      (await findFirstFlaw(db, readFreezePage, (freeze) => findFreezeFlaw(freeze, hasEventsOf))) ??
      (await findFirstFlaw(db, readBlockPage, (block) => findBlockFlaw(block, hasEventsOf)))
    if (flaw !== undefined) fail(flaw)
    await verifyNames(db)
    await verifyRuns(db)
    const ofOrders = await findFirstFlaw(db, readOrderPage, findOrderFlaw)
    if (ofOrders !== undefined) fail(ofOrders)
    const ofLists = await findMismatchOfLists(db)
    if (ofLists !== undefined) fail(ofLists)
    const ofDrafts = await findFirstFlaw(db, readDraftPage, findDraftFlaw)
    if (ofDrafts !== undefined) fail(ofDrafts)
    for (const { currency, total } of await db.run(sumBalances, [])) {
      if (total !== '0') fail(`All accounts in ${currency} together hold ${total}, not nothing`)
    }
  } catch (thrown) {
    if (thrown instanceof Mismatch) return { ...counts, digest, mismatch: thrown.message }
    throw thrown
  }
  return { ...counts, digest, mismatch: undefined }
}

/**
 * Entries that are one of the two of a transfer below that identifier. Each entry is of another
 * side: if there are two for each transfer, no transfer lacks one.
 */
type Sides = { before: string; count: number }
/** Transfers that are younger are looked at one by one: they may be posted meanwhile. */
const youngForMs = 60_000

/** Returns the digest over all heads. */
async function verifyAccounts(
  db: Db,
  counts: Counts,
  { progress, since, onHead }: VerifyOptions,
  sides: Sides,
): Promise<string> {
  const [row] = await db.run(countEntries, [])
  const total = Number.parseInt((row?.total ?? 0n).toString(), 10)
  const isPayer = payersIn(db)
  let done = 0
  const onProven = (count: number): void => {
    done = Math.max(done, count)
    progress?.(done, total)
  }
  const proven = await proveByTransfers(db, { sidesBefore: sides.before, isPayer, onProven })
  const digest = createHash('sha256')
  const earlierHeads = pageHeads(since)
  // Ends behind the last account: each page begins behind the last one of the page before.
  for (let after: string | null = null; ;) {
    const accounts: Account[] = await db.run(readAccounts, [after, accountsPerPage])
    const last = accounts.at(-1)?.id
    const walks = new Map(
      accounts.map((account) => [account.id, startWalk(account, proven.get(account.id))]),
    )
    for await (const head of earlierHeads.upTo(last ?? lastId)) {
      const walk = walks.get(head.accountId) ?? fail(`Account ${head.accountId} is missing`)
      walk.earlierHead = head
    }
    // After the last account this proves that no entry follows.
    for await (const page of entryPages(db, after, [...walks.values()])) {
      for (const entry of page) {
        const walk = walks.get(entry.accountId)
        if (!walk) {
          await requireNewAccount(db, entry)
          continue
        }
        step(walk, entry, sides.before)
        if (isOfOther(entry, walk.account) && !(await isPayer(entry))) {
          fail(`Entry ${entry.seq} of account ${entry.accountId}: its owner did not pay it`)
        }
      }
      counts.entries += page.length
    }
    await finish(db, [...walks.values()])
    for (const { provenSeq, sideCount } of walks.values()) {
      counts.entries += Number.parseInt(provenSeq.toString(), 10)
      sides.count += sideCount
    }
    onProven(counts.entries)
    for (const { id: accountId, lastSeq: seq, lastHash: hash } of accounts) {
      const line = headLine({ accountId, seq, hash })
      digest.update(line)
      await onHead?.(line)
    }
    if (last === undefined) return digest.digest('hex')
    counts.accounts += accounts.length
    after = last
  }
}

/** A place in the order of all entries. */
type Place = { id: string; seq: bigint }

/**
 * The entries behind an account and up to the last one of a page that are not proven yet, in the
 * order of their chains: those of accounts that are not there as well.
 */
async function* entryPages(
  db: Db,
  after: string | null,
  walks: readonly Walk[],
): AsyncGenerator<Entry[]> {
  // All entries of the account before were read: none has a higher number than this.
  const start = after === null ? { id: firstId, seq: 0n } : { id: after, seq: seqMax }
  const starts = [start, ...walks.map(({ account: { id }, seq }): Place => ({ id, seq }))]
  const ends = walks.map(({ account: { id } }): Place => ({ id, seq: 0n }))
  ends.push({ id: walks.at(-1)?.account.id ?? lastId, seq: seqMax })
  const found = await db.run(findEntries, [
    starts.map(({ id }) => id),
    starts.map(({ seq }) => seq),
    ends.map(({ id }) => id),
    ends.map(({ seq }) => seq),
  ])
  for (let at = 0; at < found.length; at++) {
    const from = starts[found[at]?.number ?? 0] as Place
    // What borders on each other is read as one.
    const follows = (number = 0): boolean =>
      found[at + 1]?.number === number + 1 && starts[number + 1]?.seq === 0n
    while (follows(found[at]?.number)) at++
    const to = ends[found[at]?.number ?? 0] as Place
    yield* readAhead((last?: Entry) => {
      const place = last ? { id: last.accountId, seq: last.seq } : from
      return db.run(readEntries, [place.id, place.seq, to.id, to.seq, rowsPerPage])
    })
  }
}

/** @param proven a part of its chain, from the first entry on */
function startWalk(account: Account, proven: ChainState = emptyChain): Walk {
  const { id, kind, currency, held, heldByHolds, isHeldTooLong } = account
  const { activeHolds, activeByHolds, isWhole } = account
  if (kind !== 'customer' && !isRightBankId(id, kind, currency)) {
    fail(`Account ${id}: it is none of the bank's own`)
  }
  if (!isWhole) fail(`Account ${id}: it has what no account of its kind has, or lacks it`)
  if (kind === 'customer' && isBankAccountId(id)) fail(`Account ${id}: it is the bank's own`)
  if (held !== heldByHolds) {
    fail(`Account ${id}: ${held} of it are held, its active holds say ${heldByHolds}`)
  }
  if (activeHolds !== activeByHolds) {
    fail(`Account ${id}: it says that ${activeHolds} holds are active, and ${activeByHolds} are`)
  }
  if (isHeldTooLong) fail(`Account ${id}: a hold expires before the account says`)
  const { unarranged, isForced } = account
  const lacking = held - account.balance - account.overdraftLimit
  if (kind === 'customer' && unarranged !== (lacking > 0n ? lacking : 0n)) {
    fail(`Account ${id}: its unarranged overdraft is ${unarranged}, and it lacks ${lacking}`)
  }
  if (unarranged > 0n !== (account.unarrangedSince !== null) || !isForced) {
    fail(`Account ${id}: no clearing has left it overdrawn then`)
  }
  const flawOfBlocks = findFlawOfSum(account)
  if (flawOfBlocks !== undefined) fail(`Account ${id}: ${flawOfBlocks}`)
  const { seq, markCount, sideCount, balance, hash, at } =
    proven.seq <= account.lastSeq ? proven : emptyChain
  const state = { seq, markCount, sideCount, balance, hash, at }
  return { account, earlierHead: undefined, provenSeq: seq, ...state }
}

/** An account that was opened after its page was read is proven the next time. */
async function requireNewAccount(db: Db, { accountId, seq }: Entry): Promise<void> {
  const found = await db.run(readLastSeqs, [[accountId]])
  if (found.length === 0) fail(`Entry ${seq} of ${accountId}: there is no such account`)
}

/** Proves the next entry of an account. */
function step(walk: Walk, entry: Entry, sidesBefore: string): void {
  const { account, earlierHead } = walk
  const { seq, hash } = entry
  if (walk.seq === account.lastSeq) requireEnd(walk)
  if (seq !== walk.seq + 1n && walk.seq >= account.lastSeq) {
    fail(`Entry ${seq} of account ${account.id}: the account ends before it`)
  }
  extend(walk, entry, sidesBefore)
  if (earlierHead?.seq === seq && earlierHead.hash !== hash) failAtHead(earlierHead)
}

const failAtHead = ({ accountId, seq }: Head): never =>
  fail(`Entry ${seq} of account ${accountId}: it is another than in the earlier heads`)

/** Whether a caller was a service account, or a member with the right to pay, of which are few. */
function payersIn(db: Db): (entry: Entry) => Promise<boolean> {
  const known = new Map<string, readonly PayingTimes[]>()
  return async ({ callerId, accountId, createdAt: at }) => {
    const name = `${callerId} ${accountId}`
    const times =
      known.get(name) ??
      (await db.run(readPayingTimes, [callerId, accountId, clockDifferenceMaxMs]))
    known.set(name, times)
    return times.some(
      ({ since, until }) => (since === null || since <= at) && (until === null || at <= until),
    )
  }
}

/** The account and its last entry have to agree. */
function requireEnd({ account, seq, markCount, balance, hash, at }: Walk): void {
  const where = `Account ${account.id}`
  if (seq !== account.lastSeq) fail(`${where}: entry ${seq + 1n} is missing`)
  if (balance !== account.balance) {
    fail(`${where}: its balance is ${account.balance}, its entries say ${balance}`)
  }
  if (markCount !== account.markCount) {
    fail(`${where}: it counts ${account.markCount} marks of payments, its entries ${markCount}`)
  }
  if (hash !== account.lastHash) fail(`${where}: its end of the chain is another`)
  if (at.getTime() !== account.lastEntryAt.getTime()) fail(`${where}: its last time is not right`)
}

/** Earlier heads that are on a part of a chain that was proven before its page. */
async function requireHeads(db: Db, walks: readonly Walk[]): Promise<void> {
  const heads = walks.flatMap(({ earlierHead, provenSeq }) =>
    earlierHead && earlierHead.seq <= provenSeq ? [earlierHead] : [],
  )
  if (heads.length === 0) return
  const places = [heads.map(({ accountId }) => accountId), heads.map(({ seq }) => seq)] as const
  const rows = await db.run(readHashes, [...places])
  const hashes = new Map(rows.map(({ accountId, hash }) => [accountId, hash]))
  for (const head of heads) {
    if (head.seq > 0n && hashes.get(head.accountId) !== head.hash) failAtHead(head)
  }
}

/** Entries behind the end of an account are right only if it has reached them meanwhile. */
async function finish(db: Db, walks: readonly Walk[]): Promise<void> {
  await requireHeads(db, walks)
  for (const walk of walks) {
    const { account, earlierHead, seq } = walk
    if (seq <= account.lastSeq) requireEnd(walk)
    if (earlierHead && earlierHead.seq > seq) {
      fail(
        `Account ${account.id}: its chain ends at entry ${seq}, ` +
          `earlier heads have ${earlierHead.seq}`,
      )
    }
  }
  const ahead = walks.filter(({ seq, account }) => seq > account.lastSeq)
  if (ahead.length === 0) return
  const rows = await db.run(readLastSeqs, [ahead.map(({ account }) => account.id)])
  const lastSeqs = new Map(rows.map(({ id, lastSeq }) => [id, lastSeq]))
  for (const { seq, account } of ahead) {
    const last = lastSeqs.get(account.id) ?? 0n
    if (last < seq)
      fail(`Account ${account.id}: it ends at entry ${last}, but there is entry ${seq}`)
  }
}

/**
 * Every transfer has its two entries, and its status follows from the books. Where the number of
 * entries does not prove the first, or a flaw is found, each entry is looked up, from the first
 * transfer on.
 */
async function verifyTransfers(db: Db, counts: Counts, sides: Sides): Promise<void> {
  const proven = await findFlawOfTransfers(db, sides.before)
  const isProven = proven.flaw === undefined && sides.count === 2 * proven.countBefore
  const { flaw, transfers, erased } = isProven ? proven : await findFlawOfTransfers(db, firstId)
  if (flaw !== undefined) fail(flaw)
  Object.assign(counts, { transfers, erased })
}

/**
 * Rows that name a transfer name an existing one: otherwise a program would believe that its
 * payment was made.
 */
async function verifyNames(db: Db): Promise<void> {
  for await (const page of pagesOf(db, readNumberPage, ({ transferId }) => transferId)) {
    for (const row of page) {
      const flaw = findNumberFlaw(row)
      if (flaw !== undefined) fail(flaw)
    }
  }
  for await (const page of pagesOf(db, readDetailsPage, ({ transferId }) => transferId)) {
    const lost = page.find(({ isThere }) => !isThere)
    if (lost) fail(`The details of a transfer names transfer ${lost.transferId}, which is missing`)
  }
}

/** Before every day that an order can be due on. */
const firstDay = '0001-01-01'

async function verifyRuns(db: Db): Promise<void> {
  const bank = { days: await readDays(db), calendar: await readBankCalendar(db) }
  let after: { orderId: string; dueOn: string } | undefined = { orderId: firstId, dueOn: firstDay }
  while (after !== undefined) {
    const place = [after.orderId, after.dueOn, rowsPerPage] as const
    const page: RowOf<typeof readRunPage.gives>[] = await db.run(readRunPage, [...place])
    for (const run of page) {
      const flaw = findFlaw(run, bank)
      if (flaw !== undefined) fail(`Run of ${run.dueOn} of order ${run.orderId}: ${flaw}`)
    }
    after = page.at(-1)
  }
}

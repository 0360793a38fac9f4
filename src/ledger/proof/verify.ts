// Proves the books from the first entry on: every sequence, balance, hash and sum is computed anew.
// Reads pages by key, so it runs beside a working service, in the same memory at any size.
import { createHash } from 'node:crypto'
import { readBankCalendar } from '../../database/background/bank-calendar.ts'
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import { readDays } from '../../database/background/bank-days.ts'
import type { Db, RowOf } from '../../database/statements/statement.ts'
import { firstId, lastId } from '../../domain/ids.ts'
import { toLinks } from './links.ts'
import {
  entryHash,
  joinTerms,
  joinTexts,
  readAbouts,
  readCommitment,
  zeroHash,
} from '../rules/hash-chain.ts'
import { type Head, headLine, pageHeads } from './heads.ts'
import { isBankAccountId, isRightBankId } from '../rules/internal-accounts.ts'
import { isPosting } from '../rules/movement.ts'
import {
  type Flaw,
  countEntries,
  readAccounts,
  readEntries,
  readLastSeqs,
  type PayingTimes,
  readPayingTimes,
  readTransferPage,
  sumBalances,
} from './verify-sql.ts'
import { findBlockFlaw, readBlockPage, findFlawOfSum } from './verify-blocks.ts'
import { findDraftFlaw, readDraftPage } from './verify-drafts.ts'
import { findFreezeFlaw, readFreezePage } from './verify-freezes.ts'
import { findMismatchOfHolds } from './verify-holds.ts'
import { findNumberFlaw, readDetailsPage, readNumberPage } from './verify-numbers.ts'
import { findMismatchOfLists } from './verify-lists.ts'
import { findOrderFlaw, readOrderPage } from './verify-orders.ts'
import { findFirstFlaw, pagesOf, rowsPerPage } from './verify-pages.ts'
import { findFlaw, readRunPage } from './verify-runs.ts'
import { hasRightTexts } from './verify-texts.ts'
import { readReach } from './verify-trail.ts'
import { findTransferFlaw } from './verify-transfers.ts'

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
}

type Account = RowOf<typeof readAccounts.gives>
type Entry = RowOf<typeof readEntries.gives>
type Counts = Omit<Verified, 'mismatch' | 'digest'>

/** How far the chain of an account is proven, and its state there. */
type Walk = {
  account: Account
  earlierHead: Head | undefined
  seq: bigint
  markCount: bigint
  balance: bigint
  hash: string
  at: Date
}

const accountsPerPage = 1000n
const seqMax = 2n ** 63n - 1n

class Mismatch extends Error {}
const fail = (text: string): never => {
  throw new Mismatch(text)
}

/** Proves all books. Stops at the first mismatch and names it. */
export async function verifyLedger(db: Db, options: VerifyOptions = {}): Promise<Verified> {
  const counts = { accounts: 0, entries: 0, transfers: 0, erased: 0 }
  let digest = ''
  try {
    digest = await verifyAccounts(db, counts, options)
    await verifyTransfers(db, counts)
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

/** Returns the digest over all heads. */
async function verifyAccounts(
  db: Db,
  counts: Counts,
  { progress, since, onHead }: VerifyOptions,
): Promise<string> {
  const [row] = await db.run(countEntries, [])
  const total = Number.parseInt((row?.total ?? 0n).toString(), 10)
  const isPayer = payersIn(db)
  const digest = createHash('sha256')
  const earlierHeads = pageHeads(since)
  // Ends behind the last account: each page begins behind the last one of the page before.
  for (let after: string | null = null; ;) {
    const accounts: Account[] = await db.run(readAccounts, [after, accountsPerPage])
    const last = accounts.at(-1)?.id
    const walks = new Map(accounts.map((account) => [account.id, startWalk(account)]))
    for await (const head of earlierHeads.upTo(last ?? lastId)) {
      const walk = walks.get(head.accountId) ?? fail(`Account ${head.accountId} is missing`)
      walk.earlierHead = head
    }
    // After the last account this proves that no entry follows.
    for await (const page of entryPages(db, after, last ?? lastId)) {
      for (const entry of page) {
        const walk = walks.get(entry.accountId)
        if (!walk) {
          await requireNewAccount(db, entry)
          continue
        }
        step(walk, entry)
        if (isOfOther(entry, walk.account) && !(await isPayer(entry))) {
          fail(`Entry ${entry.seq} of account ${entry.accountId}: its owner did not pay it`)
        }
      }
      counts.entries += page.length
      progress?.(counts.entries, total)
    }
    await finish(db, [...walks.values()])
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

/** The entries of the accounts behind one and up to another, in the order of their chains. */
async function* entryPages(db: Db, after: string | null, last: string): AsyncGenerator<Entry[]> {
  // All entries of the account before were read: none has a higher number than this.
  let place = after === null ? { id: firstId, seq: 0n } : { id: after, seq: seqMax }
  const fetch = () => db.run(readEntries, [place.id, place.seq, last, rowsPerPage])
  for (let next: Promise<Entry[]> | undefined = fetch(); next;) {
    const page: Entry[] = await next
    const end = page.at(-1)
    if (end) place = { id: end.accountId, seq: end.seq }
    // The next page is on its way while this one is proven.
    next = end && fetch()
    next?.catch(() => {})
    yield page
  }
}

function startWalk(account: Account): Walk {
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
  const start = { seq: 0n, markCount: 0n, balance: 0n, hash: zeroHash, at: new Date(0) }
  return { account, earlierHead: undefined, ...start }
}

/** An account that was opened after its page was read is proven the next time. */
async function requireNewAccount(db: Db, { accountId, seq }: Entry): Promise<void> {
  const found = await db.run(readLastSeqs, [[accountId]])
  if (found.length === 0) fail(`Entry ${seq} of ${accountId}: there is no such account`)
}

/** Proves the next entry of an account. */
function step(walk: Walk, entry: Entry): void {
  const { account } = walk
  const { seq, kind, createdAt } = entry
  const where = `Entry ${seq} of account ${account.id}`
  if (walk.seq === account.lastSeq) requireEnd(walk)
  if (seq !== walk.seq + 1n) {
    if (walk.seq >= account.lastSeq) fail(`${where}: the account ends before it`)
    fail(`${where}: entry ${walk.seq + 1n} is missing before it`)
  }
  if (entry.flaw !== null) fail(`${where}: ${flaws[entry.flaw as Flaw]} (${entry.transferId})`)
  if (kind === 'transfer' && entry.amount < 0n && isBankAccountId(account.id)) {
    fail(`${where}: a transfer does not leave an account of the bank`)
  }
  if (isPosting(kind) && ![account.id, entry.otherAccountId].some(isBankAccountId)) {
    fail(`${where}: a posting is from or to an account of the bank`)
  }
  if (entry.currency !== account.currency) fail(`${where}: its currency is not the account's`)
  if (createdAt < walk.at) fail(`${where}: its time is not right`)
  const balanceAfter = walk.balance + entry.amount
  if (entry.balanceAfter !== balanceAfter) {
    fail(`${where}: the balance after it is ${entry.balanceAfter}, not ${balanceAfter}`)
  }
  const isMark = kind === 'settlement' || kind === 'sending'
  const about = isMark ? entry.transferId : aboutOf(entry)
  const { hash } = entry
  const isInChain = (each: string): boolean => entryHash(walk.hash, entry, each) === hash
  if (!readAbouts(about, toLinks(entry)).some(isInChain)) fail(`${where}: the chain breaks`)
  if (!hasRightTexts(account.kind, entry)) {
    fail(`${where}: its texts are not those of its transfer (${entry.transferId})`)
  }
  if (walk.earlierHead?.seq === seq && walk.earlierHead.hash !== hash) {
    fail(`${where}: it is another than in the earlier heads`)
  }
  const markCount = walk.markCount + (isMark ? 1n : 0n)
  Object.assign(walk, { seq, markCount, balance: balanceAfter, hash, at: createdAt })
}

/** Only the owner pays from an account of a person, and its members and programs that may. */
const isOfOther = ({ kind, amount, callerId }: Entry, { ownerId }: Account): boolean =>
  kind === 'transfer' && amount < 0n && callerId !== ownerId

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

/** The first difference between an entry and its transfer, by its name in the statement. */
const flaws = {
  missing: 'its transfer is missing',
  settlement: 'its transfer does not say that it was settled',
  sending: 'its transfer does not say that it was sent',
  place: 'its transfer does not name it',
  amount: 'its amount is not that of its transfer',
  kind: 'its kind is not that of its transfer',
  time: 'its time is not right',
} as const satisfies Record<Flaw, string>

/** The terms of the transfer, and the texts of the entry if the chain holds them. */
function aboutOf(entry: Entry): string {
  const terms = termsIn(entry)
  if (!entry.textsInChain) return terms
  const { salt, ownReference, ownName, ownIban, ownCommitment } = entry
  const texts = {
    reference: ownReference ?? '',
    counterpartyName: ownName,
    counterpartyIban: ownIban,
  }
  return joinTexts(terms, readCommitment({ ...texts, salt, commitment: ownCommitment }))
}

/** The terms of the transfer; of what an entry shares with it, the entry's. */
function termsIn(entry: Entry): string {
  const { transferId: id, accountId, otherAccountId, amount } = entry
  const movement =
    amount < 0n
      ? { id, fromAccountId: accountId, toAccountId: otherAccountId, amount: -amount }
      : { id, fromAccountId: otherAccountId, toAccountId: accountId, amount }
  return joinTerms({ ...entry, ...movement }, readCommitment(entry, entry))
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

/** Entries behind the end of an account are right only if it has reached them meanwhile. */
async function finish(db: Db, walks: readonly Walk[]): Promise<void> {
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

/** Every transfer has its two entries, and its status follows from the books. */
async function verifyTransfers(db: Db, counts: Counts): Promise<void> {
  for await (const page of pagesOf(db, readTransferPage, ({ id }) => id)) {
    for (const row of page) {
      const flaw = findTransferFlaw(row)
      if (flaw !== undefined) fail(`Transfer ${row.id}: ${flaw}`)
      if (row.isErased) counts.erased++
    }
    counts.transfers += page.length
  }
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

// Proves a range of accounts: each agrees with its entries to the last one, and no entry of an
// account that is not there lies between them. It alone names what is wrong with a chain.
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import type { Db, RowOf } from '../../database/statements/statement.ts'
import { firstId } from '../../domain/ids.ts'
import { isBankAccountId, isRightBankId } from '../rules/internal-accounts.ts'
import { type Head, headLine } from './heads.ts'
import { findFlawOfSum } from './verify-blocks.ts'
import { type Chain, type ChainState, emptyChain, extend, fail, isOfOther } from './verify-chain.ts'
import { readAhead, rowsPerPage } from './verify-pages.ts'
import { readStatesBefore, requireNew, type Since } from './verify-since.ts'
import {
  type Entry,
  findEntries,
  type PayingTimes,
  readAccounts,
  readEntries,
  readHashes,
  readLastSeqs,
  readPayingTimes,
  toArchivedState,
} from './verify-sql.ts'

/** Accounts behind one, or from the first on, and up to another, which need not be there. */
export type Range = { after: string | null; upTo: string }

type AccountRange = Range & {
  /** What is proven of their chains. */
  proven: ReadonlyMap<string, ChainState>
  earlierHeads: readonly Head[]
  /** The bound of {@link ChainState.sideCount}. */
  sidesBefore: string
  /** Only what is new since the earlier heads is proven. */
  since?: Since
}

type Account = RowOf<typeof readAccounts.gives>

/** The chain of an account of a range. */
type Walk = Chain & {
  account: Account
  earlierHead: Head | undefined
  /** What was proven of it in the order of transfers. */
  provenSeq: bigint
}

const seqMax = 2n ** 63n - 1n

/**
 * The lines of the heads of the accounts in their order, what was counted, and the transfers that
 * are older than all that is read, of which entries or transfers are new.
 */
export async function verifyAccounts(
  db: Db,
  { earlierHeads, sidesBefore, since, ...range }: AccountRange,
  isPayer: (entry: Entry) => Promise<boolean>,
) {
  const proven = since ? await readStatesBefore(db, earlierHeads) : range.proven
  const accounts = await db.run(readAccounts, [range.after, range.upTo])
  const walks = new Map(
    accounts.map((account) => [account.id, startWalk(account, proven.get(account.id))]),
  )
  for (const head of earlierHeads) {
    const walk = walks.get(head.accountId) ?? fail(`Account ${head.accountId} is missing`)
    walk.earlierHead = head
  }
  if (since) await requireNew(db, idsWithoutHead([...walks.values()], since))
  let entries = 0
  const olderIds = new Set<string>()
  for await (const page of entryPages(db, range, [...walks.values()])) {
    for (const entry of page) {
      const walk = walks.get(entry.accountId)
      if (!walk) {
        await requireNewAccount(db, entry)
        continue
      }
      step(walk, entry, sidesBefore)
      if (isOfOther(entry, walk.account) && !(await isPayer(entry))) {
        fail(`Entry ${entry.seq} of account ${entry.accountId}: its owner did not pay it`)
      }
      if (since && entry.seq <= (walk.earlierHead?.seq ?? 0n)) continue
      entries++
      for (const id of [entry.transferId, entry.reversalOf]) {
        if (since && id !== null && id < since.id) olderIds.add(id)
      }
    }
  }
  await finish(db, [...walks.values()])
  let sides = 0
  for (const { account, provenSeq, sideCount } of walks.values()) {
    if (!since) entries += Number.parseInt((provenSeq - account.archivedSeq).toString(), 10)
    sides += sideCount
  }
  const lines = accounts.map(({ id: accountId, lastSeq: seq, lastHash: hash, markCount }) =>
    headLine({ accountId, seq, hash, markCount }),
  )
  return { lines, entries, sides, olderIds: [...olderIds] }
}

const idsWithoutHead = (walks: readonly Walk[], { id: bound }: Since): string[] =>
  walks.flatMap(({ earlierHead, account: { id, kind } }) =>
    earlierHead === undefined && kind === 'customer' && id < bound ? [id] : [],
  )

/** A place in the order of all entries. */
type Place = { id: string; seq: bigint }
/** Entries after one place and up to another, and how many its accounts say that it has. */
type EntryRange = { from: Place; to: Place; count: bigint }

/**
 * The entries of accounts behind one and up to another that are not proven yet, in the order of
 * their chains: those of accounts that are not there as well.
 */
async function* entryPages(
  db: Db,
  { after, upTo }: Range,
  walks: readonly Walk[],
): AsyncGenerator<Entry[]> {
  // All entries of the account before were read: none has a higher number than this.
  const start = { id: after ?? firstId, seq: after === null ? 0n : seqMax, count: 0n }
  const starts = [
    start,
    ...walks.map(({ account: { id, lastSeq }, seq }) => ({ id, seq, count: lastSeq - seq })),
  ]
  const ends = walks.map(({ account: { id } }): Place => ({ id, seq: 0n }))
  ends.push({ id: upTo, seq: seqMax })
  const found = await db.run(findEntries, [
    starts.map(({ id }) => id),
    starts.map(({ seq }) => seq),
    ends.map(({ id }) => id),
    ends.map(({ seq }) => seq),
  ])
  const ranges: EntryRange[] = []
  for (let at = 0; at < found.length; at++) {
    const from = starts[found[at]?.number ?? 0] as (typeof starts)[number]
    let { count } = from
    // What borders on each other is read as one.
    const follows = (number = 0): boolean =>
      found[at + 1]?.number === number + 1 && starts[number + 1]?.seq === 0n
    while (follows(found[at]?.number)) count += starts[found[++at]?.number ?? 0]?.count ?? 0n
    ranges.push({ from, to: ends[found[at]?.number ?? 0] as Place, count })
  }
  yield* readRanges(db, ranges)
}

/** The begins of ranges are read together; what one has behind so many entries is read alone. */
const beginMax = 100n

async function* readRanges(db: Db, ranges: readonly EntryRange[]): AsyncGenerator<Entry[]> {
  const read = (some: readonly EntryRange[], countMax: bigint) =>
    db.run(readEntries, [
      some.map(({ from }) => from.id),
      some.map(({ from }) => from.seq),
      some.map(({ to }) => to.id),
      some.map(({ to }) => to.seq),
      countMax,
    ])
  for (const some of toPages(ranges)) {
    const begins = await read(some, beginMax)
    let at = 0
    for (const range of some) {
      const start = at
      while (at < begins.length && isUpTo(begins[at] as Entry, range.to)) at++
      const begin = begins.slice(start, at)
      yield begin
      if (begin.length < beginMax) continue
      yield* readAhead((last = begin.at(-1)) => {
        const from = last ? { id: last.accountId, seq: last.seq } : range.from
        return read([{ ...range, from }], rowsPerPage)
      })
    }
  }
}

const isUpTo = ({ accountId, seq }: Entry, to: Place): boolean =>
  accountId < to.id || (accountId === to.id && seq <= to.seq)

function* toPages(ranges: readonly EntryRange[]): Generator<EntryRange[]> {
  let page: EntryRange[] = []
  let total = 0n
  for (const range of ranges) {
    const { count } = range
    total += count < 1n ? 1n : count > beginMax ? beginMax : count
    page.push(range)
    if (total < rowsPerPage) continue
    yield page
    ;[page, total] = [[], 0n]
  }
  if (page.length > 0) yield page
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
  const start = toArchivedState(account)
  const isUsable = proven.seq >= start.seq && proven.seq <= account.lastSeq
  const { seq, markCount, sideCount, balance, hash, at } = isUsable ? proven : start
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

/** Whether a caller was a service account, or a member with the right to pay, of which are few. */
export function payersIn(db: Db): (entry: Entry) => Promise<boolean> {
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

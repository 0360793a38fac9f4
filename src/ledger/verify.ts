// Proves the books from the first entry on: every sequence, balance, hash and sum is computed anew.
// Reads pages by key, so it runs beside a working service and in the same little memory at any
// size.
import { createHash } from 'node:crypto'
import { type Db, one, type RowOf } from '../database/statement.ts'
import { firstId, lastId } from '../domain/ids.ts'
import type { Currency } from '../domain/money.ts'
import { bankAccount } from './internal-accounts.ts'
import { zeroHash, entryHash } from './hash-chain.ts'
import { type Head, lineOfHead, matchHeads } from './heads.ts'
import { readAccount } from './sql.ts'
import { provenTerms } from './proven.ts'
import {
  countEntries,
  readEnds,
  readEndsAgain,
  readPage,
  readTransferPage,
  sumBalances,
} from './verify-sql.ts'

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

type End = RowOf<typeof readEnds.gives>
type Entry = RowOf<typeof readPage.gives>

/** Where a walk along an account's chain has got to. */
type Walk = {
  end: End
  since: Head | undefined
  seq: bigint
  balance: bigint
  hash: string
  at: number
}

const accountsPerPage = 1000n
const rowsPerPage = 5000n

class Mismatch extends Error {}
const fail = (what: string): never => {
  throw new Mismatch(what)
}

/** Walks all books. Stops at the first mismatch and names it. */
export async function verifyLedger(db: Db, options: VerifyOptions = {}): Promise<Verified> {
  const counts = { accounts: 0, entries: 0, transfers: 0, erased: 0 }
  let digest = ''
  try {
    const [row] = await db.run(countEntries, [])
    const total = Number.parseInt((row?.total ?? 0n).toString(), 10)
    digest = await verifyAccounts(db, counts, {
      ...options,
      progress: (done) => options.progress?.(done, total),
    })
    await verifyTransfers(db, counts)
    for (const { currency, total: sum } of await db.run(sumBalances, [])) {
      if (sum !== '0') fail(`All accounts in ${currency} together hold ${sum}, not nothing`)
    }
  } catch (thrown) {
    if (thrown instanceof Mismatch) return { ...counts, digest, mismatch: thrown.message }
    throw thrown
  }
  return { ...counts, digest, mismatch: undefined }
}

type Counts = Omit<Verified, 'mismatch' | 'digest'>
type Told = VerifyOptions & { progress: (done: number) => void }

/** Gives the digest over all heads. */
async function verifyAccounts(db: Db, counts: Counts, told: Told): Promise<string> {
  const digest = createHash('sha256')
  const earlier = matchHeads(told.since)
  let after: string | null = null
  for (;;) {
    const ends: End[] = await db.run(readEnds, [after, accountsPerPage])
    const walks = new Map(ends.map((end) => [end.id, startWalk(end)]))
    const last: string | undefined = ends.at(-1)?.id
    await earlier.upTo(last ?? lastId, (head) => {
      const walk = walks.get(head.accountId) ?? fail(`Account ${head.accountId} is missing`)
      walk.since = head
    })
    // Behind the last account nothing may stand.
    await verifyEntries(db, walks, { after, last: last ?? lastId }, counts, told.progress)
    for (const { end } of walks.values()) {
      const line = lineOfHead({ accountId: end.id, seq: end.last_seq, hash: hashAt(end) })
      digest.update(line)
      await told.onHead?.(line)
    }
    if (last === undefined) return digest.digest('hex')
    counts.accounts += ends.length
    after = last
  }
}

async function verifyEntries(
  db: Db,
  walks: ReadonlyMap<string, Walk>,
  accounts: { after: string | null; last: string },
  counts: Counts,
  progress: (done: number) => void,
): Promise<void> {
  // All entries of the account before have been seen: none is behind this number.
  let after =
    accounts.after === null
      ? { account: firstId, seq: 0n }
      : { account: accounts.after, seq: 2n ** 63n - 1n }
  const fetch = () => db.run(readPage, [after.account, after.seq, accounts.last, rowsPerPage])
  let coming: Promise<Entry[]> | undefined = fetch()
  while (coming) {
    const page: Entry[] = await coming
    const last = page.at(-1)
    if (last) after = { account: last.account_id, seq: last.seq }
    // The next page is on its way while this one is computed.
    coming = last && fetch()
    coming?.catch(() => {})
    for (const entry of page) {
      const walk = walks.get(entry.account_id)
      if (walk) step(walk, entry)
      else await expectNewAccount(db, entry)
    }
    counts.entries += page.length
    progress(counts.entries)
  }
  await finish(db, [...walks.values()])
}

function startWalk(end: End): Walk {
  const { id, kind, currency } = end
  if (kind !== 'customer' && id !== bankAccount(kind as 'cash', currency as Currency)) {
    fail(`Account ${id}: it is none of the bank's own`)
  }
  if (kind === 'customer' && isBanks(id, currency)) fail(`Account ${id}: it is the bank's own`)
  return { end, since: undefined, seq: 0n, balance: 0n, hash: zeroHash, at: 0 }
}

const isBanks = (id: string, currency: string): boolean =>
  (['cash', 'clearing'] as const).some((side) => id === bankAccount(side, currency as Currency))

/** An account that was opened since the ends were read is proven the next time. */
async function expectNewAccount(db: Db, { account_id: id, seq }: Entry): Promise<void> {
  if (!(await one(db, readAccount, [id]))) fail(`Entry ${seq} of ${id}: there is no such account`)
}

function step(walk: Walk, entry: Entry): void {
  const { end } = walk
  const at = `Entry ${entry.seq} of account ${entry.account_id}`
  if (walk.seq === end.last_seq) arrive(walk)
  if (entry.seq !== walk.seq + 1n) {
    if (walk.seq >= end.last_seq) fail(`${at}: the account ends before it`)
    fail(`${at}: entry ${walk.seq + 1n} is missing before it`)
  }
  if (entry.flaw !== null) fail(`${at}: ${flaws[entry.flaw]} (${entry.transfer_id})`)
  if (entry.entry_kind === 'transfer' && entry.entry_amount < 0n && isBanks(end.id, end.currency)) {
    fail(`${at}: a transfer does not leave an account of the bank`)
  }
  if (entry.currency !== end.currency) fail(`${at}: its currency is not the account's`)
  const { account_id: accountId, seq, entry_kind: kind, entry_amount: amount } = entry
  const createdAt = entry.entry_at.getTime()
  if (createdAt < walk.at) fail(`${at}: its time is not right`)
  const balanceAfter = walk.balance + amount
  if (entry.balance_after !== balanceAfter) {
    fail(`${at}: the balance after it is ${entry.balance_after}, not ${balanceAfter}`)
  }
  const about = kind === 'settlement' ? entry.transfer_id : termsIn(entry, createdAt)
  const hash = entryHash(
    walk.hash,
    { accountId, seq, kind, amount, balanceAfter, createdAt },
    about,
  )
  if (entry.hash !== hash) fail(`${at}: the chain breaks`)
  if (walk.since?.seq === seq && walk.since.hash !== hash) {
    fail(`${at}: it is another than in the earlier heads`)
  }
  walk.seq = seq
  walk.balance = balanceAfter
  walk.hash = hash
  walk.at = createdAt
}

/** In what an entry and its transfer differ, by the name that the statement gives it. */
const flaws: Readonly<Record<string, string>> = {
  missing: 'its transfer is missing',
  settlement: 'its transfer does not say that it was settled',
  place: 'its transfer does not name it',
  amount: 'its amount is not that of its transfer',
  kind: 'its kind is not that of its transfer',
  time: 'its time is not right',
}

function termsIn(entry: Entry, createdAt: number): string {
  const { account_id: own, other_id: other, entry_kind: kind, entry_amount: amount } = entry
  const id = entry.transfer_id
  return provenTerms(
    amount < 0n
      ? { id, kind, fromAccountId: own, toAccountId: other, amount: -amount, createdAt }
      : { id, kind, fromAccountId: other, toAccountId: own, amount, createdAt },
    entry,
  )
}

/** The account says of itself what its entries say. */
function arrive({ end, seq, balance, hash, at: lastAt }: Walk): void {
  const at = `Account ${end.id}`
  if (seq !== end.last_seq) fail(`${at}: entry ${seq + 1n} is missing`)
  if (balance !== end.balance)
    fail(`${at}: its balance is ${end.balance}, its entries say ${balance}`)
  if (hash !== hashAt(end)) fail(`${at}: its end of the chain is another`)
  if (lastAt !== (end.last_entry_at?.getTime() ?? 0)) fail(`${at}: its last time is not right`)
}

const hashAt = ({ last_hash: hash }: End): string => hash ?? zeroHash

/** Entries behind an end are right only if the account's end has reached them meanwhile. */
async function finish(db: Db, walks: readonly Walk[]): Promise<void> {
  for (const walk of walks) {
    const { since, seq, end } = walk
    if (seq <= end.last_seq) arrive(walk)
    if (since && since.seq > seq) {
      fail(`Account ${end.id}: its chain ends at entry ${seq}, earlier heads have ${since.seq}`)
    }
  }
  const further = walks.filter(({ seq, end }) => seq > end.last_seq)
  if (further.length === 0) return
  const ends = await db.run(readEndsAgain, [further.map(({ end }) => end.id)])
  const reached = new Map(ends.map(({ id, last_seq }) => [id, last_seq]))
  for (const { seq, end } of further) {
    const last = reached.get(end.id) ?? 0n
    if (last < seq) fail(`Account ${end.id}: it ends at entry ${last}, but there is entry ${seq}`)
  }
}

/** Every transfer has its two entries, and its status is what became of it. */
async function verifyTransfers(db: Db, counts: Counts): Promise<void> {
  for (let after: string | undefined = firstId; after !== undefined;) {
    const page: Outcome[] = await db.run(readTransferPage, [after, rowsPerPage])
    for (const row of page) {
      const at = `Transfer ${row.id}`
      if (!row.is_debited || !row.is_credited) fail(`${at}: one of its two entries is missing`)
      if (row.status !== errorStatus(row)) fail(`${at}: its status is wrong`)
      if (row.back_kind !== null && !row.is_back_whole) {
        fail(`${at}: what came back is something else`)
      }
      if (!row.is_erased) continue
      if (!row.is_erasure_recorded) fail(`${at}: its texts were erased without a record`)
      counts.erased++
    }
    counts.transfers += page.length
    after = page.at(-1)?.id
  }
}

type Outcome = RowOf<typeof readTransferPage.gives>

/** What became of a transfer by all that is in the books; undefined where that cannot be. */
function errorStatus(row: Outcome): string | undefined {
  const { kind, back_kind: back, is_settled: isSettled } = row
  const isBack = kind === 'reversal' || kind === 'return'
  const isElsewhere =
    kind === 'transfer' && row.to_account_id === bankAccount('clearing', row.currency as Currency)
  if (isElsewhere && !isSettled)
    return back === null ? 'pending' : back === 'return' ? 'returned' : undefined
  if (isSettled && !isElsewhere) return undefined
  return back === null || (back === 'reversal' && !isBack) ? 'completed' : undefined
}

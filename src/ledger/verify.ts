// Proves the books from the first entry on: every sequence, balance, hash and sum is computed anew.
// Reads pages by key, so it runs beside a working service and in the same little memory at any
// size.
import { type Db, one, type RowOf } from '../database/statement.ts'
import { digestOf, genesis, hashOf } from './chain.ts'
import { readAccount } from './history-sql.ts'
import type { Kind } from './order.ts'
import type { Currency } from '../money.ts'
import { countEntries, readEnds, readPage, readTransferPage, sumBalances } from './verify-sql.ts'

export type Verified = {
  accounts: number
  entries: number
  transfers: number
  /** The first thing that is not as it has to be, or undefined: the books are sound. */
  mismatch: string | undefined
}

/** How far it is: entries proven, of about how many. */
export type Progress = (done: number, total: number) => void

type End = RowOf<typeof readEnds.gives>
type Entry = RowOf<typeof readPage.gives>

/** Where a walk along an account's chain has got to. */
type Walk = { end: End; seq: bigint; balance: bigint; hash: string; at: number }

const accountsPerPage = 1000n
const rowsPerPage = 5000n
const firstId = '00000000-0000-0000-0000-000000000000'
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

class Mismatch extends Error {}
const fail = (what: string): never => {
  throw new Mismatch(what)
}

/** Walks all books. Stops at the first mismatch and names it. */
export async function verifyLedger(db: Db, progress: Progress = () => {}): Promise<Verified> {
  const counts = { accounts: 0, entries: 0, transfers: 0 }
  try {
    const [row] = await db.run(countEntries, [])
    const total = Number.parseInt((row?.total ?? 0n).toString(), 10)
    await verifyAccounts(db, counts, (done) => progress(done, total))
    await verifyTransfers(db, counts)
    for (const { currency, total: sum } of await db.run(sumBalances, [])) {
      if (sum !== '0') fail(`All accounts in ${currency} together hold ${sum}, not nothing`)
    }
  } catch (thrown) {
    if (thrown instanceof Mismatch) return { ...counts, mismatch: thrown.message }
    throw thrown
  }
  return { ...counts, mismatch: undefined }
}

type Counts = Omit<Verified, 'mismatch'>

/** The ends are read before the entries: what is appended meanwhile lies beyond them. */
async function verifyAccounts(db: Db, counts: Counts, progress: (done: number) => void) {
  let after: string | null = null
  for (;;) {
    const ends: End[] = await db.run(readEnds, [after, accountsPerPage])
    const last: string | undefined = ends.at(-1)?.id
    // Behind the last account nothing may stand.
    await verifyEntries(db, ends, after, last ?? lastId, counts, progress)
    if (last === undefined) return
    counts.accounts += ends.length
    after = last
  }
}

async function verifyEntries(
  db: Db,
  ends: readonly End[],
  afterAccount: string | null,
  lastAccount: string,
  counts: Counts,
  progress: (done: number) => void,
): Promise<void> {
  const walks = new Map(ends.map((end) => [end.id, startOf(end)]))
  // All entries of the account before have been seen: none is behind this number.
  let after =
    afterAccount === null
      ? { account: firstId, seq: 0n }
      : { account: afterAccount, seq: 2n ** 63n - 1n }
  const fetch = () => db.run(readPage, [after.account, after.seq, lastAccount, rowsPerPage])
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
      if (!walk) await expectNewAccount(db, entry)
      else if (entry.seq <= walk.end.last_seq) {
        step(walk, entry)
        counts.entries++
      }
    }
    progress(counts.entries)
  }
  for (const walk of walks.values()) arrive(walk)
}

const startOf = (end: End): Walk => ({ end, seq: 0n, balance: 0n, hash: genesis, at: 0 })

/** An account that was opened since the ends were read is proven the next time. */
async function expectNewAccount(db: Db, { account_id: id, seq }: Entry): Promise<void> {
  if (!(await one(db, readAccount, [id]))) fail(`Entry ${seq} of ${id}: there is no such account`)
}

function step(walk: Walk, entry: Entry): void {
  const at = `Entry ${entry.seq} of account ${entry.account_id}`
  if (entry.seq !== walk.seq + 1n) fail(`${at}: entry ${walk.seq + 1n} is missing before it`)
  const transfer = transferIn(entry) ?? fail(`${at}: its transfer ${entry.transfer_id} is missing`)
  const isFrom = transfer.fromAccountId === entry.account_id && transfer.fromSeq === entry.seq
  const isTo = transfer.toAccountId === entry.account_id && transfer.toSeq === entry.seq
  if (!isFrom && !isTo) fail(`${at}: its transfer ${transfer.id} does not name it`)
  const change = isFrom ? -transfer.amount : transfer.amount
  if (entry.entry_amount !== change)
    fail(`${at}: its amount is not that of transfer ${transfer.id}`)
  if (entry.entry_kind !== transfer.kind) fail(`${at}: its kind is not that of its transfer`)
  if (transfer.currency !== walk.end.currency) fail(`${at}: its currency is not the account's`)
  const time = entry.entry_at.getTime()
  if (time !== transfer.createdAt || time < walk.at) fail(`${at}: its time is not right`)
  if (entry.balance_after !== walk.balance + change) {
    fail(`${at}: the balance after it is ${entry.balance_after}, not ${walk.balance + change}`)
  }
  const link = {
    accountId: entry.account_id,
    seq: entry.seq,
    transferId: transfer.id,
    amount: change,
    balanceAfter: entry.balance_after,
    createdAt: time,
  }
  if (entry.hash !== hashOf(walk.hash, link, digestOf(transfer))) fail(`${at}: the chain breaks`)
  Object.assign(walk, { seq: entry.seq, balance: entry.balance_after, hash: entry.hash, at: time })
}

/** The account says of itself what its entries say. */
function arrive({ end, seq, balance, hash }: Walk): void {
  const at = `Account ${end.id}`
  if (seq !== end.last_seq) fail(`${at}: entry ${seq + 1n} is missing`)
  if (balance !== end.balance)
    fail(`${at}: its balance is ${end.balance}, its entries say ${balance}`)
  if (hash !== (end.last_hash ?? genesis)) fail(`${at}: its end of the chain is another`)
}

/** Every transfer has its two entries, and its status is what became of it. */
async function verifyTransfers(db: Db, counts: Counts): Promise<void> {
  for (let after: string | undefined = firstId; after !== undefined;) {
    const page: RowOf<typeof readTransferPage.gives>[] = await db.run(readTransferPage, [
      after,
      rowsPerPage,
    ])
    for (const { id, status, is_debited, is_credited, back_kind, is_back_whole } of page) {
      const at = `Transfer ${id}`
      if (!is_debited || !is_credited) fail(`${at}: one of its two entries is missing`)
      if ((status === 'returned') !== (back_kind === 'return')) fail(`${at}: its status is wrong`)
      if (back_kind !== null && !is_back_whole) fail(`${at}: what came back is something else`)
    }
    counts.transfers += page.length
    after = page.at(-1)?.id
  }
}

type Terms = Parameters<typeof digestOf>[0]

const transferIn = (row: Entry): Terms | undefined =>
  row.id === null
    ? undefined
    : {
        id: row.id,
        kind: row.kind as Kind,
        fromAccountId: row.from_account_id ?? '',
        toAccountId: row.to_account_id ?? '',
        fromSeq: row.from_seq ?? 0n,
        toSeq: row.to_seq ?? 0n,
        amount: row.amount ?? 0n,
        currency: row.currency as Currency,
        reference: row.reference ?? '',
        beneficiaryId: row.beneficiary_id,
        counterpartyName: row.counterparty_name,
        counterpartyIban: row.counterparty_iban,
        reversalOf: row.reversal_of,
        callerId: row.caller_id ?? '',
        createdAt: row.created_at?.getTime() ?? 0,
      }

// Proves an archive by its files alone: each chain from its start to its end, and that each
// transfer has its two entries.
import { firstId } from '../../domain/ids.ts'
import { currencies } from '../../domain/money.ts'
import { type Chain, emptyChain, extend, fail, Mismatch } from '../proof/verify-chain.ts'
import { areKeptLinks } from '../proof/links.ts'
import type { Entry } from '../proof/verify-sql.ts'
import {
  type EntryLine,
  type HeadLine,
  type HeadState,
  idOf,
  isSent,
  linksDigestOf,
  type MarkLine,
  newMarksOf,
  NoLine,
  openSum,
  termsDigestOf,
  toEntry,
  type TransferLine,
  withoutState,
} from './lines.ts'

export type ArchiveLines = {
  heads: AsyncIterable<HeadLine>
  entries: AsyncIterable<EntryLine>
  transfers: AsyncIterable<TransferLine>
  kept: AsyncIterable<TransferLine>
}

export type ArchiveCounts = { accounts: bigint; entries: bigint; transfers: bigint; kept: bigint }

/**
 * The first thing that is not as it has to be, in words; undefined: the archive is sound.
 *
 * @param until no entry is of this time or a later one, in milliseconds since the epoch
 */
export async function findFlawOfArchive(
  lines: ArchiveLines,
  until: number,
): Promise<{ flaw: string | undefined; counts: ArchiveCounts }> {
  const counts: ArchiveCounts = { accounts: 0n, entries: 0n, transfers: 0n, kept: 0n }
  try {
    const sides = await proveChains(lines, until, counts)
    const [sum, marks] = [openSum(), openSum()]
    const broughtBack = new Set<string>()
    counts.transfers = await addTransfers(lines.transfers, { sum, marks }, ({ transfer }) => {
      if (typeof transfer['reversal_of'] === 'string') broughtBack.add(transfer['reversal_of'])
    })
    counts.kept = await addTransfers(lines.kept, { sum, marks }, (line) => {
      if (broughtBack.has(idOf(line)))
        fail(`Transfer ${idOf(line)}: what brought it back leaves alone`)
    })
    if (sides.debits !== sides.credits || sides.debits !== sum.end()) {
      fail('The transfers are not those of the entries')
    }
    if (sides.marks !== marks.end()) fail('The marks of payments are not those of the entries')
    return { flaw: undefined, counts }
  } catch (thrown) {
    if (!(thrown instanceof Mismatch || thrown instanceof NoLine)) throw thrown
    return { flaw: thrown.message, counts }
  }
}

export const toChainState = ({ seq, hash, balance, markCount, at }: HeadState) => ({
  seq: BigInt(seq),
  hash,
  balance: BigInt(balance),
  markCount: BigInt(markCount),
  at: new Date(at),
  sideCount: 0,
})

function startChain({ accountId, kind, currency: code, start }: HeadLine): Chain {
  const currency =
    currencies.find((each) => each === code) ?? fail(`Account ${accountId}: no currency ${code}`)
  const account = { id: accountId, kind, currency, ownerId: null }
  return { ...(start ? toChainState(start) : emptyChain), account }
}

async function proveChains({ heads, entries }: ArchiveLines, until: number, counts: ArchiveCounts) {
  const [debits, credits, marks] = [openSum(), openSum(), openSum()]
  const lines = entries[Symbol.asyncIterator]()
  let next = await lines.next()
  let before = ''
  for await (const head of heads) {
    const { accountId } = head
    if (accountId <= before) fail(`Account ${accountId}: it is not in its order`)
    before = accountId
    counts.accounts++
    const chain = startChain(head)
    const end = toChainState(head.end)
    while (next.done !== true && next.value.entry['account_id'] === accountId) {
      const line: EntryLine = next.value
      const entry = toEntry(line)
      extend(chain, entry, firstId)
      if (entry.createdAt.getTime() >= until) {
        fail(`Entry ${entry.seq} of account ${accountId}: it is not before the archive's end`)
      }
      addSides(line, entry, { debits, credits, marks })
      counts.entries++
      next = await lines.next()
    }
    const isEnd =
      chain.seq === end.seq &&
      chain.hash === end.hash &&
      chain.balance === end.balance &&
      chain.markCount === end.markCount &&
      chain.at.getTime() === end.at.getTime()
    if (!isEnd) fail(`Account ${accountId}: its entries do not lead to its head`)
  }
  if (next.done !== true) fail(`Entries of account ${next.value.entry['account_id']} have no head`)
  return { debits: debits.end(), credits: credits.end(), marks: marks.end() }
}

type Sum = ReturnType<typeof openSum>

function addSides(
  { transfer, details, links }: EntryLine,
  { kind, amount, seq, transferId: id }: Entry,
  { debits, credits, marks }: Record<'debits' | 'credits' | 'marks', Sum>,
): void {
  // Its flaw is named by its chain.
  if (!transfer) return
  const digest = linksDigestOf(links, transfer)
  if (kind === 'sending' || kind === 'settlement') {
    marks.add({ kind, id, seq: seq.toString(), links: digest } satisfies MarkLine)
  } else {
    const sum = amount < 0n ? debits : credits
    sum.add([withoutState(transfer), details, digest])
  }
}

async function addTransfers(
  lines: AsyncIterable<TransferLine>,
  { sum, marks }: Record<'sum' | 'marks', Sum>,
  look: (line: TransferLine) => void,
): Promise<bigint> {
  let before = ''
  let count = 0n
  for await (const line of lines) {
    const id = idOf(line)
    if (id <= before) fail(`Transfer ${id}: it is not in its order`)
    before = id
    count++
    look(line)
    for (const mark of newMarksOf(line)) marks.add(mark)
    const links = linksDigestOf(line.links, line.transfer)
    // The entries of one that an earlier archive has left are there.
    if (line.kept === null) sum.add([withoutState(line.transfer), line.details, links])
    else if (
      line.kept['terms'] !== `\\x${termsDigestOf(line)}` ||
      !areKeptLinks(line.kept['links'] ?? null, links && `\\x${links}`, isSent(line))
    ) {
      fail(`Transfer ${id}: its terms are not those of an earlier archive`)
    }
  }
  return count
}

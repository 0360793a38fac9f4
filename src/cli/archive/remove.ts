// Removes from the database what a folder has, in pieces. At any moment between two of them the
// books are sound, and a later run goes on from there.
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import {
  type EntryLine,
  type HeadLine,
  idOf,
  linksDigestOf,
  placeOf,
  termsDigestOf,
  toEntry,
  type TransferLine,
} from '../../ledger/archive/lines.ts'
import {
  type ArchivedHead,
  type KeptTerms,
  readHeads,
  removeEntries,
  removeTransfers,
  writeHeads,
  writeTerms,
} from '../../ledger/archive/removal-sql.ts'
import { chooseGoing, lockTransfers } from '../../ledger/archive/rows-sql.ts'
import { allowArchive } from '../../ledger/archive/state-sql.ts'
import { UnsoundBooks } from '../report.ts'
import { type ArchiveFolder, linesOf } from './folder.ts'

/** Rows of one transaction: some tens of milliseconds. */
export const rowsPerPiece = { entries: 1000, transfers: 500 }

export async function* inPieces<Item>(items: AsyncIterable<Item>, size: number) {
  let piece: Item[] = []
  for await (const item of items) {
    if (piece.push(item) < size) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** In a transaction that may change archives and remove rows of the books. */
export const changing = <R>(db: Database, work: (tx: Db) => Promise<R>): Promise<R> =>
  transaction(db, async (tx) => {
    await tx.run(allowArchive, [])
    return work(tx)
  })

export async function removeRows(
  db: Database,
  folder: ArchiveFolder,
  pieces: typeof rowsPerPiece,
): Promise<void> {
  for (const file of ['kept', 'transfers'] as const) {
    for await (const piece of inPieces(linesOf(folder)[file], pieces.transfers)) {
      await changing(db, (tx) => writeTerms(tx, piece.map(toTerms)))
    }
  }
  await removeEntriesOf(db, folder, pieces.entries)
  const until = new Date(folder.manifest.until)
  for await (const piece of inPieces(linesOf(folder).transfers, pieces.transfers)) {
    await changing(db, (tx) => removePiece(tx, piece, until))
  }
}

export const toTerms = (line: TransferLine): KeptTerms => ({
  transferId: idOf(line),
  links: linksDigestOf(line.links, line.transfer),
  sentLinks: line.sentSeq === null ? null : linksDigestOf(line.sentLinks, line.transfer),
  settledLinks: line.settledSeq === null ? null : linksDigestOf(line.settledLinks, line.transfer),
  fromAccountId: line.transfer['from_account_id'] as string,
  toAccountId: line.transfer['to_account_id'] as string,
  fromSeq: BigInt(line.transfer['from_seq'] as string),
  toSeq: BigInt(line.transfer['to_seq'] as string),
  terms: termsDigestOf(line),
  sentSeq: line.sentSeq === null ? null : BigInt(line.sentSeq),
  settledSeq: line.settledSeq === null ? null : BigInt(line.settledSeq),
})

async function removeEntriesOf(db: Database, folder: ArchiveFolder, size: number) {
  const { entries, heads } = linesOf(folder)
  const states = headStates(entries, heads)
  for await (const piece of inPieces(states, size)) {
    await changing(db, async (tx) => {
      const ids = [...new Set(piece.map(({ accountId }) => accountId))]
      const done = await readHeads(tx, ids)
      const left = piece.filter(({ accountId, seq }) => seq > (done.get(accountId)?.seq ?? 0n))
      if (left.length === 0) return
      const removed = await removeEntries(tx, left)
      if (removed !== BigInt(left.length)) {
        throw new UnsoundBooks('An entry of the archive is not in the database, or is another one.')
      }
      const last = new Map(left.map((state) => [state.accountId, state]))
      await writeHeads(tx, [...last.values()])
    })
  }
}

/** The state of its chain at each entry. */
export async function* headStates(
  entries: AsyncIterable<EntryLine>,
  heads: AsyncIterable<HeadLine>,
): AsyncGenerator<ArchivedHead> {
  const starts = heads[Symbol.asyncIterator]()
  let head = await starts.next()
  let markCount: bigint | undefined
  for await (const line of entries) {
    const { accountId, seq, hash } = placeOf(line)
    while (head.done !== true && head.value.accountId !== accountId) {
      head = await starts.next()
      markCount = undefined
    }
    markCount ??= BigInt((head.done === true ? undefined : head.value.start?.markCount) ?? 0)
    const { kind, balanceAfter: balance, createdAt: at } = toEntry(line)
    if (kind === 'sending' || kind === 'settlement') markCount++
    yield { accountId, seq, hash, balance, markCount, at }
  }
}

/** One that something names by now stays. */
async function removePiece(tx: Db, piece: readonly TransferLine[], until: Date): Promise<void> {
  const ids = piece.map(idOf)
  const choose = async () => (await tx.run(chooseGoing, [ids, until])).map(({ id }) => id)
  const locking = [...new Set([...ids, ...(await choose())])]
  const present = new Set((await tx.run(lockTransfers, [locking])).map(({ id }) => id))
  // Behind the locks: a movement that names one of them has committed.
  const going = (await choose()).filter((id) => present.has(id))
  await removeTransfers(tx, going)
}

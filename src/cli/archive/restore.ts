// Puts the rows of the newest archive back into the database: first its transfers, then the entries
// from the newest to the oldest, while the heads move down.
import { addEvents, commandEvent } from '../../audit/sql.ts'
import type { Database } from '../../database/connections/connect.ts'
import { violates } from '../../database/connections/failure.ts'
import type { Db } from '../../database/statements/statement.ts'
import { firstId } from '../../domain/ids.ts'
import {
  type EntryLine,
  type HeadLine,
  type HeadState,
  idOf,
  placeOf,
  type TextRow,
  toEntry,
  type TransferLine,
} from '../../ledger/archive/lines.ts'
import { toChainState } from '../../ledger/archive/prove-archive.ts'
import {
  type ArchivedHead,
  readHeads,
  removeHeads,
  writeHeads,
  writeTerms,
} from '../../ledger/archive/removal-sql.ts'
import { endKept, restoreRows } from '../../ledger/archive/restore-sql.ts'
import { beginRestore, endRestore } from '../../ledger/archive/state-sql.ts'
import { UnsoundBooks } from '../report.ts'
import { proveFolder, requireNewest } from './check.ts'
import { eraseEntries, eraseTransfers, readErasuresSince } from './erased.ts'
import {
  type ArchiveFolder,
  linesOf,
  openFolder,
  type PlacedLine,
  readLineAt,
  readLines,
} from './folder.ts'
import {
  refuseEntries,
  refuseForeign,
  refuseNaming,
  refuseOtherTransfers,
  refuseUnkept,
} from './foreign.ts'
import { whileInState } from './lock.ts'
import { changing, inPieces, rowsPerPiece, toTerms } from './remove.ts'

const keptPerPiece = 1000n

/** Goes on where a run was cut off. */
export async function restoreFolder(
  anyDb: Database,
  say: (text: string) => void,
  path: string,
  now: number,
  pieces = rowsPerPiece,
): Promise<void> {
  const folder = await openFolder(path)
  const { id } = await requireNewest(anyDb, folder)
  await proveFolder(folder)
  await refuseForeign(anyDb, folder)
  await changing(anyDb, (tx) => tx.run(beginRestore, [id]))
  const db = whileInState(anyDb, id, 'restoring')
  const erasures = await readErasuresSince(db, Date.parse(folder.manifest.madeAt))
  const { entries, transfers } = folder.manifest.files
  let count = 0
  for await (const piece of inPieces(wholeLines(folder), pieces.transfers)) {
    const lines = piece.flat()
    await changing(db, (tx) => restoreTransfers(tx, eraseTransfers(lines, erasures)))
    count += lines.length
  }
  if (count !== transfers.lines) throw new UnsoundBooks('A transfer has lost what it brings back.')
  const chunks = await findChunks(folder, pieces.entries)
  for (const chunk of chunks.toReversed()) await restoreChunk(db, folder, chunk)
  let after: string | undefined = firstId
  while (after !== undefined) {
    const from: string = after
    const [page] = await changing(db, (tx) => tx.run(endKept, [from, keptPerPiece]))
    after = page?.last
  }
  const detail = `until ${folder.manifest.until}, sha256 ${folder.digest}`
  await changing(db, async (tx) => {
    await tx.run(endRestore, [id])
    await addEvents(tx, [commandEvent(now, { action: 'restoreBooks', detail })])
  })
  say(`${entries.lines} entries and ${transfers.lines} transfers are in the database again.\n`)
}

/**
 * Each transfer, and behind it what brings it back: they come back in one transaction, as they
 * left.
 */
async function* wholeLines(folder: ArchiveFolder): AsyncGenerator<TransferLine[]> {
  // Where the lines begin of the few that bring another one back.
  const backs = new Map<string, number>()
  for await (const { text, begin } of readLines(folder, 'transfers')) {
    const originalId = originalOf(JSON.parse(text) as TransferLine)
    if (originalId !== null) backs.set(originalId, begin)
  }
  for await (const line of linesOf(folder).transfers) {
    if (originalOf(line) !== null) continue
    const lines = [line]
    for (let last = line, begin = backs.get(idOf(last)); begin !== undefined;) {
      last = JSON.parse(await readLineAt(folder, 'transfers', begin)) as TransferLine
      lines.push(last)
      begin = backs.get(idOf(last))
    }
    yield lines
  }
}
const originalOf = ({ transfer }: TransferLine): string | null => transfer['reversal_of'] ?? null

async function restoreTransfers(tx: Db, lines: readonly TransferLine[]): Promise<void> {
  await refuseNaming(tx, lines)
  await refuseUnkept(tx, lines)
  await restoreRows(
    tx,
    'transfers',
    lines.map(({ transfer }) => transfer),
  )
  await restoreRows(
    tx,
    'details',
    lines.flatMap(({ details }): TextRow[] => (details ? [details] : [])),
  )
  // Behind these rows no other one of them is added, and each has its details again.
  await refuseOtherTransfers(tx, lines)
  // Their entries are not back yet.
  await writeTerms(tx, lines.map(toTerms))
  const toSearch = ({ transfer, search }: TransferLine) =>
    search.map((term) => ({ term, id: transfer['id'] ?? null }))
  await restoreRows(tx, 'search', lines.flatMap(toSearch))
}

/** Lines of entries that come back in one transaction. */
type Chunk = {
  begin: number
  count: number
  /** Where the chain of its first account is before it; undefined: nowhere. */
  first: ArchivedHead | undefined
  /** Where the lines of the heads of its accounts begin. */
  headsBegin: number
}

const toHead = (accountId: string, state: HeadState): ArchivedHead => ({
  accountId,
  ...toChainState(state),
})

async function findChunks(folder: ArchiveFolder, size: number): Promise<Chunk[]> {
  const heads = readLines(folder, 'heads')
  const chunks: Chunk[] = []
  let chunk: Chunk | undefined
  let last: ArchivedHead | undefined
  let head: HeadLine | undefined
  let headsBegin = 0
  for await (const { text, begin } of readLines(folder, 'entries')) {
    const line = JSON.parse(text) as EntryLine
    const { accountId, seq, hash } = placeOf(line)
    if (head?.accountId !== accountId) {
      const next = await heads.next()
      head = next.done === true ? undefined : (JSON.parse(next.value.text) as HeadLine)
      headsBegin = next.done === true ? headsBegin : next.value.begin
      last = head?.start ? toHead(accountId, head.start) : undefined
    }
    if (!chunk || chunk.count === size) {
      chunk = { begin, count: 0, first: last, headsBegin }
      chunks.push(chunk)
    }
    const { kind, balanceAfter: balance, createdAt: at } = toEntry(line)
    const isMark = kind === 'sending' || kind === 'settlement'
    const markCount: bigint = (last?.markCount ?? 0n) + (isMark ? 1n : 0n)
    last = { accountId, seq, hash, balance, markCount, at }
    chunk.count++
  }
  return chunks
}

/** Where the chains of the accounts of a chunk are before it; of one that is not named: nowhere. */
async function readBefore(
  folder: ArchiveFolder,
  { first, headsBegin }: Chunk,
  [firstAccountId, ...others]: readonly string[],
): Promise<Map<string, ArchivedHead>> {
  const before = new Map(first && [[first.accountId, first]])
  const last = others.at(-1)
  if (last === undefined) return before
  for await (const { text } of readLines(folder, 'heads', headsBegin)) {
    const { accountId, start } = JSON.parse(text) as HeadLine
    if (start && accountId !== firstAccountId) before.set(accountId, toHead(accountId, start))
    if (accountId === last) break
  }
  return before
}

async function restoreChunk(db: Database, folder: ArchiveFolder, chunk: Chunk): Promise<void> {
  const lines: EntryLine[] = []
  const read: AsyncGenerator<PlacedLine> = readLines(folder, 'entries', chunk.begin)
  for await (const { text } of read) {
    if (lines.push(JSON.parse(text) as EntryLine) === chunk.count) break
  }
  const places = lines.map(placeOf)
  const accountIds = [...new Set(places.map(({ accountId }) => accountId))]
  const before = await readBefore(folder, chunk, accountIds)
  await changing(db, async (tx) => {
    const heads = await readHeads(tx, accountIds)
    const seqOf = (accountId: string): bigint => heads.get(accountId)?.seq ?? 0n
    const missing = lines.filter((_, at) => {
      const { accountId, seq } = places[at] as (typeof places)[number]
      return seq <= seqOf(accountId)
    })
    for (const accountId of accountIds) {
      const last = places.findLast((place) => place.accountId === accountId)
      if (last && seqOf(accountId) > last.seq) {
        throw new UnsoundBooks(
          `Account ${accountId}: entry ${last.seq + 1n} is not in the archive.`,
        )
      }
    }
    if (missing.length === 0) return
    await restoreRows(tx, 'entries', await eraseEntries(tx, missing))
    const moved = [...new Set(missing.map((line) => placeOf(line).accountId))]
    await writeHeads(
      tx,
      moved.flatMap((id) => before.get(id) ?? []),
    )
    await tx.run(removeHeads, [moved.filter((id) => !before.has(id))])
  }).catch(async (thrown: unknown) => {
    // Looked for here alone: until it is vacuumed, the index has the places of all that left.
    if (violates(thrown, 'entries_pkey')) await refuseEntries(db, accountIds)
    throw thrown
  })
}

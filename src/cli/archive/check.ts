// Proves a folder: its files as they were written, its chains, and where those go on in the
// database.
import { areKeptLinks } from '../../ledger/proof/links.ts'
import { type Db, one } from '../../database/statements/statement.ts'
import { fail, Mismatch } from '../../ledger/proof/verify-chain.ts'
import { idOf, isSent, type TransferLine } from '../../ledger/archive/lines.ts'
import { type ArchiveCounts, findFlawOfArchive } from '../../ledger/archive/prove-archive.ts'
import {
  archiveBefore,
  countHeads,
  countTerms,
  detailOfArchive,
  readDetail,
  readTerms,
} from '../../ledger/archive/check-sql.ts'
import { type KeptTerms, readHeads } from '../../ledger/archive/removal-sql.ts'
import { type Archive, archiveOf, newestArchive } from '../../ledger/archive/state-sql.ts'
import { UnsoundBooks } from '../report.ts'
import { type ArchiveFolder, linesOf, openFolder, unusable } from './folder.ts'
import { inPieces, toTerms } from './remove.ts'

/** Throws {@link UnsoundBooks} that names the first flaw. */
export async function proveFolder(folder: ArchiveFolder): Promise<ArchiveCounts> {
  const { flaw, counts } = await findFlawOfArchive(
    linesOf(folder),
    Date.parse(folder.manifest.until),
  )
  if (flaw === undefined) return counts
  throw new UnsoundBooks(`The archive ${folder.path} is not sound. ${flaw}.`)
}

/** The folder of the newest archive; another one is refused. */
export async function requireNewest(db: Db, folder: ArchiveFolder): Promise<Archive> {
  const newest = await newestArchive(db)
  if (newest?.digest === folder.digest) return newest
  if (await archiveOf(db, folder.digest)) {
    throw unusable(folder.path, `the newest archive is ${newest?.name}, which goes before it`)
  }
  throw unusable(folder.path, 'the database names no such archive')
}

const rowsPerPiece = 1000

/** Proves the folder and what the database has of it; says what is proven. */
export async function checkArchive(db: Db, path: string): Promise<string> {
  const folder = await openFolder(path)
  const named = await archiveOf(db, folder.digest)
  if (!named) throw unusable(path, 'the database names no such archive')
  const counts = await proveFolder(folder)
  const newest = await newestArchive(db)
  const isNewest = newest?.digest === folder.digest
  // While one is removed or restored, a part is here, and a part is there.
  const isEnded = newest?.state === 'removed'
  try {
    await comparePlace(db, folder, named.id)
    // The event is written at the end: before, the trail may have that of one that came back.
    if (isEnded || !isNewest) await compareEvent(db, folder)
    if (isEnded) {
      await compareHeads(db, folder, named.id)
      await compareTerms(db, folder, isNewest)
    }
  } catch (thrown) {
    if (!(thrown instanceof Mismatch)) throw thrown
    throw new UnsoundBooks(`The archive ${path} is not sound. ${thrown.message}.`)
  }
  const { accounts, entries, transfers } = counts
  return (
    `The archive ${folder.name} until ${folder.manifest.until} is sound: ${entries} entries of ` +
    `${accounts} accounts, ${transfers} transfers` +
    (isNewest && isEnded ? '; its chains go on in the database.\n' : '.\n')
  )
}

/** The archives follow each other. */
async function comparePlace(db: Db, { manifest }: ArchiveFolder, id: number) {
  const before = await archiveBefore(db, id)
  if (manifest.id !== id || manifest.previous !== (before?.digest ?? null)) {
    fail('The archive before it in the database is another')
  }
}

/** The trail says the same. */
async function compareEvent(db: Db, { manifest, digest }: ArchiveFolder): Promise<void> {
  const detail = await readDetail(db, manifest.until)
  if (detail !== undefined && detail !== detailOfArchive(digest, manifest.until)) {
    fail('Its event in the audit trail is of another archive')
  }
}

/**
 * Each head of the folder is in the database, or has moved on since; and there is no other head of
 * the time between the archive before and this one.
 */
async function compareHeads(db: Db, folder: ArchiveFolder, id: number): Promise<void> {
  const until = new Date(folder.manifest.until)
  let count = 0n
  for await (const piece of inPieces(linesOf(folder).heads, rowsPerPiece)) {
    const found = await readHeads(
      db,
      piece.map(({ accountId }) => accountId),
    )
    for (const { accountId, end } of piece) {
      const head = found.get(accountId)
      if (head && head.seq > BigInt(end.seq) && head.at >= until) continue
      const isSame =
        head?.seq === BigInt(end.seq) &&
        head.hash === end.hash &&
        head.balance === BigInt(end.balance) &&
        head.markCount === BigInt(end.markCount) &&
        head.at.getTime() === Date.parse(end.at)
      if (!isSame) fail(`Account ${accountId}: its head in the database is another`)
      count++
    }
  }
  const from = (await archiveBefore(db, id))?.until ?? new Date(0)
  const heads = (await one(db, countHeads, [from, until]))?.count
  if (heads !== count) fail(`The database has ${heads} heads of its time, and the folder ${count}`)
}

/** What the database keeps of the transfers of the folder; the newest has all that it keeps. */
async function compareTerms(db: Db, folder: ArchiveFolder, isNewest: boolean): Promise<void> {
  const { kept, transfers } = linesOf(folder)
  let count = 0n
  for (const [lines, mustStay] of [
    [kept, isNewest],
    [transfers, false],
  ] as const) {
    for await (const piece of inPieces(lines, rowsPerPiece)) {
      const rows = await db.run(readTerms, [piece.map(idOf)])
      const found = new Map(rows.map((row) => [row.transferId, row]))
      count += BigInt(found.size)
      for (const line of piece) {
        const row = found.get(idOf(line))
        if (row ? !isSameTerms(row, line, isNewest) : mustStay) {
          fail(`Transfer ${idOf(line)}: what the database keeps of it is not as in the folder`)
        }
      }
    }
  }
  if (!isNewest) return
  const all = (await one(db, countTerms, []))?.count
  if (all !== count)
    fail(`The database keeps ${all} transfers, and the folder has ${count} of them`)
}

/** A later archive may have taken a mark. */
function isSameTerms(row: KeptTerms, line: TransferLine, isNewest: boolean): boolean {
  const terms = toTerms(line)
  return (
    row.terms === terms.terms &&
    row.fromAccountId === terms.fromAccountId &&
    row.toAccountId === terms.toAccountId &&
    row.fromSeq === terms.fromSeq &&
    row.toSeq === terms.toSeq &&
    areKeptLinks(row.links, terms.links, isSent(line)) &&
    isSameMark([row.sentSeq, row.sentLinks], [terms.sentSeq, terms.sentLinks], isNewest) &&
    isSameMark([row.settledSeq, row.settledLinks], [terms.settledSeq, terms.settledLinks], isNewest)
  )
}

type Mark = readonly [seq: bigint | null, links: string | null]
const isSameMark = (found: Mark, line: Mark, isNewest: boolean): boolean =>
  (line[0] === null && !isNewest) || (found[0] === line[0] && found[1] === line[1])

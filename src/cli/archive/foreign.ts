// Rows that the service's login has added under an identifier that left for an archive. Nothing is
// restored beside one: its transfer would not be what left.
import { type Db, one } from '../../database/statements/statement.ts'
import { idOf, NoLine, termsDigestOf, type TransferLine } from '../../ledger/archive/lines.ts'
import {
  findArchivedPlace,
  findNaming,
  findUnkept,
  readPresent,
} from '../../ledger/archive/restore-sql.ts'
import { UnsoundBooks } from '../report.ts'
import { type ArchiveFolder, linesOf } from './folder.ts'
import { inPieces, rowsPerPiece } from './remove.ts'

/** The index has the places of all entries that left until it is vacuumed: a look may be long. */
const headsPerPiece = 50

/** Throws {@link UnsoundBooks} that names the first one. */
export async function refuseForeign(db: Db, folder: ArchiveFolder): Promise<void> {
  const { transfers, heads } = linesOf(folder)
  for await (const lines of inPieces(transfers, rowsPerPiece.transfers)) {
    await refuseNaming(db, lines)
    await refuseUnkept(db, lines)
    await refuseOtherTransfers(db, lines)
  }
  for await (const lines of inPieces(heads, headsPerPiece)) {
    await refuseEntries(
      db,
      lines.map(({ accountId }) => accountId),
    )
  }
}

export async function refuseNaming(db: Db, lines: readonly TransferLine[]): Promise<void> {
  const found = await one(db, findNaming, [lines.map(idOf)])
  if (!found) return
  throw new UnsoundBooks(
    `Transfer ${found.id} is in the archive alone, and a row of ${found.table} names it.`,
  )
}

const anotherOne = (id: string) =>
  new UnsoundBooks(`Transfer ${id} is another one in the database than in the archive.`)

/** The owner wrote terms of what stayed, and of what an earlier run has put back. */
export async function refuseUnkept(db: Db, lines: readonly TransferLine[]): Promise<void> {
  const found = await one(db, findUnkept, [lines.map(idOf)])
  if (found) throw anotherOne(found.id)
}

/** A transfer that never left, or came back in an earlier run, is the same there. */
export async function refuseOtherTransfers(db: Db, lines: readonly TransferLine[]): Promise<void> {
  const rows = await db.run(readPresent, [lines.map(idOf)])
  const found = new Map(
    rows.map(({ line }) => JSON.parse(line) as Present).map((row) => [idOf(row), row]),
  )
  for (const line of lines) {
    const row = found.get(idOf(line))
    if (!row || isSame(row, line)) continue
    throw anotherOne(idOf(line))
  }
}

export async function refuseEntries(db: Db, accountIds: readonly string[]): Promise<void> {
  const found = await one(db, findArchivedPlace, [[...accountIds]])
  if (!found) return
  const { seq, accountId } = found
  throw new UnsoundBooks(
    `Entry ${seq} of account ${accountId} is in the archive, and another one in the database.`,
  )
}

type Present = Pick<TransferLine, 'transfer' | 'details'>

const columnOf = ({ transfer }: Present, name: string): string | null => transfer[name] ?? null

/** One that stayed may have come back, or be erased: its commitment stays, and no details do. */
function isSame(row: Present, line: TransferLine): boolean {
  const isSameIn = (name: string) => columnOf(row, name) === columnOf(line, name)
  const cameBack =
    columnOf(line, 'status') === 'completed' && columnOf(row, 'status') === 'returned'
  return (
    ['created_at', 'from_seq', 'to_seq', 'sent_seq', 'settled_seq'].every(isSameIn) &&
    (isSameIn('status') || cameBack) &&
    (columnOf(row, 'salt') !== null || row.details === null) &&
    digestOf(row) === digestOf(line)
  )
}

/** Undefined: it is of no currency of the bank. */
function digestOf(row: Present): string | undefined {
  try {
    return termsDigestOf(row)
  } catch (thrown) {
    if (thrown instanceof NoLine) return undefined
    throw thrown
  }
}

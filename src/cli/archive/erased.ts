// Texts that were erased while their rows were in an archive come back erased.
import { readDays } from '../../database/background/bank-days.ts'
import type { Db } from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import { idAt } from '../../domain/ids.ts'
import {
  commitmentOf,
  type EntryLine,
  idOf,
  ownCommitmentOf,
  type TextRow,
  type TransferLine,
} from '../../ledger/archive/lines.ts'
import { readErased, readErasures } from '../../ledger/archive/restore-sql.ts'

/** As `strongroom erase` records it. */
const beforeShape = /^texts of transfers before (\d{4}-\d\d-\d\d)$/

type Erasure = { id: string; before: number | undefined; accountIds: ReadonlySet<string | null> }

/**
 * The erasures since a time, in their order. Each is dated by its own clock before it has the lock.
 * Those of the day before have left nothing in the archive to erase.
 */
export async function readErasuresSince(db: Db, madeAt: number): Promise<Erasure[]> {
  const days = await readDays(db)
  return (await db.run(readErasures, [idAt(madeAt - dayMs)])).map(({ id, detail, accountIds }) => {
    const day = beforeShape.exec(detail ?? '')?.[1]
    const before = day === undefined ? undefined : days.startOf(day)
    return { id, before, accountIds: new Set(accountIds) }
  })
}

/** @param accountIds whose person's erasure takes it with it */
function findErasure(
  { transfer }: TransferLine,
  accountIds: readonly (string | null)[],
  erasures: readonly Erasure[],
): string | undefined {
  const at = Date.parse(transfer['created_at'] as string)
  const found = erasures.find(
    ({ before, accountIds: ofPerson }) =>
      (before !== undefined && at < before) || accountIds.some((id) => ofPerson.has(id)),
  )
  return found?.id
}

const sidesOf = ({ transfer }: TransferLine): (string | null)[] => [
  transfer['from_account_id'] ?? null,
  transfer['to_account_id'] ?? null,
]

/**
 * The lines as an erasure would have left them. What came back repeats the texts of its payment. It
 * goes with those of a person also where it is in suspense. Its payment is among the lines.
 */
export function eraseTransfers(
  lines: readonly TransferLine[],
  erasures: readonly Erasure[],
): TransferLine[] {
  const sides = new Map(lines.map((line) => [idOf(line), sidesOf(line)]))
  return lines.map((line) => {
    const ofOriginal = sides.get(line.transfer['reversal_of'] ?? '') ?? []
    const erasureId = findErasure(line, [...sidesOf(line), ...ofOriginal], erasures)
    if (erasureId === undefined || line.transfer['salt'] === null) return line
    return toErased(line, erasureId)
  })
}

const noTexts = { reference: '', counterparty_name: null, counterparty_iban: null } as const

const toErased = (line: TransferLine, erasureId: string): TransferLine => ({
  ...line,
  transfer: {
    ...line.transfer,
    ...noTexts,
    salt: null,
    commitment: `\\x${commitmentOf(line)}`,
    erasure_id: erasureId,
  },
  details: null,
  // Odd: made of a text.
  search: line.search.filter((term) => (BigInt(term) & 1n) === 0n),
})

/** The rows of entries; of a transfer that is erased in the database without their texts. */
export async function eraseEntries(tx: Db, lines: readonly EntryLine[]): Promise<TextRow[]> {
  const ids = [...new Set(lines.flatMap(({ transfer }) => transfer?.['id'] ?? []))]
  const erased = new Set((await tx.run(readErased, [ids])).map(({ id }) => id))
  return lines.map((line) => {
    const { entry, transfer } = line
    const isMark = entry['kind'] === 'sending' || entry['kind'] === 'settlement'
    const isToErase = transfer?.['salt'] !== null && erased.has(transfer?.['id'] ?? '')
    if (isMark || !isToErase) return entry
    const own = ownCommitmentOf(line)
    return { ...entry, ...noTexts, commitment: own === undefined ? null : `\\x${own}` }
  })
}

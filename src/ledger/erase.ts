// Erases the texts of transfers (reference, name and IBAN of the counterparty) and their salt.
// Without the salt their commitment tells nothing. The chain stays whole.
import type { Database } from '../database/connect.ts'
import { type Db, one } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { firstId, idAt } from '../domain/ids.ts'
import { zeroHash, entryHash } from './hash-chain.ts'
import { countPending, eraseTexts, listBefore, listOfAccount, readErasable } from './erase-sql.ts'
import { provenCommitment, provenTerms } from './proven.ts'

const rowsPerPage = 500

/**
 * Erases the texts of all transfers from before that time, save pending ones.
 *
 * @param erasureId the audit event that is the record of it
 */
export async function eraseBefore(
  db: Database,
  before: number,
  erasureId: string,
): Promise<{ erased: number; pending: bigint }> {
  const bound = idAt(before)
  let erased = 0
  for (let after: string | undefined = firstId; after !== undefined;) {
    const page: { id: string }[] = await db.run(listBefore, [
      after,
      bound,
      new Date(before),
      BigInt(rowsPerPage),
    ])
    const ids = page.map(({ id }) => id)
    erased += await transaction(db, (tx) => erasePage(tx, ids, erasureId))
    after = ids.at(-1)
  }
  const waiting = await one(db, countPending, [new Date(before)])
  return { erased, pending: waiting?.count ?? 0n }
}

/** Erases the texts of all transfers from and to an account. */
export async function eraseOfAccount(
  db: Database,
  accountId: string,
  erasureId: string,
): Promise<number> {
  let erased = 0
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const page: { seq: bigint; transfer_id: string }[] = await db.run(listOfAccount, [
      accountId,
      after,
      BigInt(rowsPerPage),
    ])
    const ids = page.map(({ transfer_id: id }) => id)
    erased += await transaction(db, (tx) => erasePage(tx, ids, erasureId))
    after = page.at(-1)?.seq
  }
  return erased
}

/** Proves the texts before they are erased: texts that were changed are evidence, and stay. */
async function erasePage(tx: Db, ids: readonly string[], erasureId: string): Promise<number> {
  if (ids.length === 0) return 0
  const rows = await tx.run(readErasable, [[...ids]])
  for (const row of rows) {
    const { id, seq, kind, amount, from_account_id: fromAccountId } = row
    const createdAt = row.created_at.getTime()
    const toAccountId = row.to_account_id
    const about = provenTerms({ id, kind, fromAccountId, toAccountId, amount, createdAt }, row)
    const balanceAfter = row.balance_after
    const link = { accountId: fromAccountId, seq, kind, amount: -amount, balanceAfter, createdAt }
    if (entryHash(row.previous ?? zeroHash, link, about) !== row.hash) {
      throw new Error(`Transfer ${row.id} is not what its chain holds; run \`strongroom verify\`.`)
    }
  }
  const written = await tx.run(eraseTexts, [
    rows.map(({ id }) => id),
    rows.map((row) => Buffer.from(provenCommitment(row), 'hex')),
    erasureId,
  ])
  return written.length
}

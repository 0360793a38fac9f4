// Writes what is before a time to a folder, and proves what was written.
import type { Db, RowOf } from '../../database/statements/statement.ts'
import { firstId, idAt } from '../../domain/ids.ts'
import type { EntryLine, HeadLine, HeadState } from '../../ledger/archive/lines.ts'
import { toEntry } from '../../ledger/archive/lines.ts'
import { exportEntries, exportTransfers, readArchivable } from '../../ledger/archive/rows-sql.ts'
import { payersIn } from '../../ledger/proof/verify-accounts.ts'
import { idAheadMs } from '../../ledger/proof/verify-archives.ts'
import { isOfOther } from '../../ledger/proof/verify-chain.ts'
import type { Entry } from '../../ledger/proof/verify-sql.ts'
import { UnsoundBooks } from '../report.ts'
import type { ArchiveFile, NewFile } from './folder.ts'

const accountsPerPage = 500n
const entriesPerPage = 2000n
const transfersPerPage = 1000n

/** @param until in milliseconds since the epoch: the first moment that stays */
export async function writeLines(
  db: Db,
  until: number,
  files: Record<ArchiveFile, NewFile>,
): Promise<void> {
  const isPayer = payersIn(db)
  for await (const account of accountsWith(db, until)) {
    await writeAccount(db, account, { isPayer, files })
  }
  await writeTransfers(db, until, files)
}

/** The accounts of which entries before a time are in the database. */
export async function* accountsWith(db: Db, until: number): AsyncGenerator<Account> {
  // Ends at an empty page: each begins behind the last account of the one before.
  for (let after = firstId; ;) {
    const page = await db.run(readArchivable, [after, new Date(until), accountsPerPage])
    const last = page.at(-1)
    if (!last) return
    for (const account of page) if (account.seq < account.endSeq) yield account
    after = last.id
  }
}

export type Account = RowOf<typeof readArchivable.gives>
type Writing = {
  isPayer(entry: Entry): Promise<boolean>
  files: Record<ArchiveFile, NewFile>
}

async function writeAccount(db: Db, account: Account, { isPayer, files }: Writing): Promise<void> {
  const { id, kind, currency, endSeq } = account
  let { seq, markCount } = account
  const start = startOf(account)
  let last: Entry | undefined
  while (seq < endSeq) {
    const rows = await db.run(exportEntries, [id, seq, endSeq, entriesPerPage])
    for (const { line } of rows) {
      const entry: Entry = toEntry(JSON.parse(line) as EntryLine)
      if (isOfOther(entry, account) && !(await isPayer(entry))) {
        throw new UnsoundBooks(`Entry ${entry.seq} of account ${id}: its owner did not pay it.`)
      }
      if (entry.kind === 'sending' || entry.kind === 'settlement') markCount++
      await files.entries.add(line)
      last = entry
    }
    if (last === undefined || rows.length === 0) {
      throw new UnsoundBooks(`Account ${id}: entry ${seq + 1n} is missing.`)
    }
    seq = last.seq
  }
  if (!last) return
  const { hash, balanceAfter: balance, createdAt: at } = last
  const end = toState({ seq, hash, balance, markCount, at })
  const head: HeadLine = { accountId: id, kind, currency, start, end }
  await files.heads.add(JSON.stringify(head))
}

/** Where the chain of an account begins in the database; null: with its first entry. */
export const startOf = (account: Account): HeadState | null =>
  account.seq === 0n ? null : toState(account)

type ChainEnd = Pick<Account, 'seq' | 'hash' | 'balance' | 'markCount' | 'at'>
const toState = ({ seq, hash, balance, markCount, at }: ChainEnd): HeadState => ({
  seq: seq.toString(),
  hash,
  balance: balance.toString(),
  markCount: markCount.toString(),
  at: at.toISOString(),
})

async function writeTransfers(
  db: Db,
  until: number,
  files: Record<ArchiveFile, NewFile>,
): Promise<void> {
  const bound = idAt(until + idAheadMs)
  // Ends at an empty page, as above.
  for (let after = firstId; ;) {
    const rows = await db.run(exportTransfers, [after, bound, transfersPerPage, new Date(until)])
    const last = rows.at(-1)
    if (!last) return
    for (const { line, isGoing } of rows) {
      if (line !== null) await (isGoing ? files.transfers : files.kept).add(line)
    }
    after = last.id
  }
}

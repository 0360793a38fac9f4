// A folder is of this database: its chains begin where those in the database do, and end with the
// same entries. A folder of another bank, or of what this one was before a restore, is sound too.
import type { Db } from '../../database/statements/statement.ts'
import type { HeadLine } from '../../ledger/archive/lines.ts'
import { type ArchiveFolder, linesOf, unusable } from './folder.ts'
import { type Account, accountsWith, startOf } from './write.ts'

/** Refuses a folder that has not just what the database has before its end. */
export async function requireOfDatabase(db: Db, folder: ArchiveFolder): Promise<void> {
  const heads = linesOf(folder).heads[Symbol.asyncIterator]()
  const refuse = (accountId: string): never => {
    throw unusable(folder.path, `it is not of these books: account ${accountId} is another there`)
  }
  for await (const account of accountsWith(db, Date.parse(folder.manifest.until))) {
    const head = await heads.next()
    if (head.done === true || !isSame(head.value, account)) refuse(account.id)
  }
  const more = await heads.next()
  if (more.done !== true) refuse(more.value.accountId)
}

function isSame({ accountId, start, end }: HeadLine, account: Account): boolean {
  return (
    accountId === account.id &&
    isSameState(start, startOf(account)) &&
    end.seq === account.endSeq.toString() &&
    end.hash === account.endHash
  )
}

const isSameState = (one: HeadLine['start'], other: HeadLine['start']): boolean =>
  one === null || other === null
    ? one === other
    : one.seq === other.seq &&
      one.hash === other.hash &&
      one.balance === other.balance &&
      one.markCount === other.markCount &&
      one.at === other.at

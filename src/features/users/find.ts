// Finds people by what a caller says, a page at a time.
import type { Db } from '../../database/statements/statement.ts'
import { type Look, lookUpPeople } from './find-sql.ts'
import { type UserRow, usersByIds } from './sql.ts'

/** Those behind `after`, at most `count`. Each page looks up anew: the order is no key's. */
export async function findPeople(
  db: Db,
  look: Look,
  filter: { status?: string | undefined; role?: string | undefined },
  after: string | undefined,
  count: number,
): Promise<UserRow[]> {
  const ids = await lookUpPeople(db, look, filter)
  const from = after === undefined ? 0 : ids.indexOf(after) + 1
  // Somebody who is not found any more leads nowhere.
  const isGone = after !== undefined && from === 0
  return isGone ? [] : usersByIds(db, ids.slice(from, from + count))
}

// Ends memberships and invitations whose time is over. The gate refuses these at once.
import type { PurgeBatch } from '../../database/background/purge.ts'
import { lockCallers } from '../../gate/lock-callers.ts'
import { lockAccount } from '../accounts/sql.ts'
import { endDueMembers, findDueMembers, personOrNobody } from './sql.ts'
import { followTimedEnd } from './timed-end.ts'

export const sweepMembers: PurgeBatch = async (db, now) => {
  const found = await findDueMembers(db, now)
  if (found.length === 0) return false
  // As a request that ends one: the person first, and then the account.
  await lockCallers(db, { people: [...new Set(found.map(personOrNobody))] })
  const accountIds = new Set(found.map(({ accountId }) => accountId))
  for (const id of [...accountIds].toSorted()) await lockAccount(db, id)
  const ids = found.map(({ id }) => id)
  for (const ended of await endDueMembers(db, ids, now)) await followTimedEnd(db, ended, now)
  return true
}

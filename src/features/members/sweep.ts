// Ends memberships and invitations whose time is over, invitations that a revoked session sent, and
// what is open still of a closed account. The gate and the acceptance refuse these at once.
import type { PurgeBatch } from '../../database/background/purge.ts'
import { lockCallers } from '../../gate/lock-callers.ts'
import { lockAccount } from '../accounts/sql.ts'
import { endDueMembers, findDueMembers, personOrNobody } from './sql.ts'
import { followDueEnd } from './due-end.ts'

export const sweepMembers: PurgeBatch = async (db, now) => {
  const found = await findDueMembers(db, now)
  if (found.length === 0) return false
  // As a request that ends one: the person first, and then the account.
  await lockCallers(db, { people: [...new Set(found.map(personOrNobody))] })
  const accountIds = new Set(found.map(({ accountId }) => accountId))
  for (const id of [...accountIds].toSorted()) await lockAccount(db, id)
  const ids = found.map(({ id }) => id)
  for (const ended of await endDueMembers(db, ids, now)) await followDueEnd(db, ended, now)
  return true
}

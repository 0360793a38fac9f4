// Ends memberships whose time is over, and tells both people. The gate refuses these at once.
import type { PurgeBatch } from '../../database/background/purge.ts'
import { lockCallers } from '../../gate/lock-callers.ts'
import { queueMemberMails } from '../mail/members-sql.ts'
import { endDueMembers, findDueMembers } from './sql.ts'

export const sweepMembers: PurgeBatch = async (db, now) => {
  const found = await findDueMembers(db, now)
  if (found.length === 0) return false
  // As a request that ends one: the person first.
  await lockCallers(db, { people: [...new Set(found.map(({ personId }) => personId))] })
  const ids = found.map(({ id }) => id)
  for (const ended of await endDueMembers(db, ids, now)) {
    await queueMemberMails(db, 'member-ended', ended, now)
  }
  return true
}

// What follows the end of a membership by the service or a command, as by a person: its orders are
// paused, both people are told, and the trail has it. The end of an invitation stands in the trail.
import { addEvents, commandEvent } from '../../audit/sql.ts'
import type { Db } from '../../database/statements/statement.ts'
import { lockAccount } from '../accounts/sql.ts'
import { queueMemberMails } from '../mail/members-sql.ts'
import { pauseOrdersOfMember } from '../orders/member-orders.ts'
import { accountsActedOn, type DueEnd, endMembershipsOfPerson } from './sql.ts'

/** Behind the lock of the account, in the transaction that ends the membership. */
export async function followDueEnd(
  tx: Db,
  ended: DueEnd,
  now: number,
  address: 'service' | 'operator' = 'service',
): Promise<void> {
  const { id, accountId, personId, acceptedAt, endedAt, endedBy } = ended
  if (acceptedAt !== null && personId !== null) {
    const member = { ...ended, personId }
    await pauseOrdersOfMember(tx, member, { now })
    await queueMemberMails(tx, 'member-ended', member, now)
  }
  const detail = endedBy === 'time' ? `${id}; until: ${endedAt.toISOString()}` : id
  const about = { action: 'endMember', target: accountId, address, detail } as const
  await addEvents(tx, [commandEvent(now, about)])
}

/** The person is erased: it acts on no account any more. Behind the lock of the person. */
export async function endAllMemberships(tx: Db, personId: string, now: number): Promise<void> {
  for (const { id } of await accountsActedOn(tx, personId)) await lockAccount(tx, id)
  for (const ended of await endMembershipsOfPerson(tx, personId, now)) {
    await followDueEnd(tx, ended, now, 'operator')
  }
}

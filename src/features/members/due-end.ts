// What follows the end of a membership by the service, as by a person: its orders are paused,
// both people are told, and the trail has it. Of an invitation that ends only the trail tells.
import { addEvents, commandEvent } from '../../audit/sql.ts'
import type { Db } from '../../database/statements/statement.ts'
import { queueMemberMails } from '../mail/members-sql.ts'
import { pauseOrdersOfMember } from '../orders/member-orders.ts'
import type { DueEnd } from './sql.ts'

/** Behind the lock of the account, in the transaction that ends the membership. */
export async function followDueEnd(tx: Db, ended: DueEnd, now: number): Promise<void> {
  const { id, accountId, personId, acceptedAt, endedAt, endedBy } = ended
  if (acceptedAt !== null && personId !== null) {
    const member = { ...ended, personId }
    await pauseOrdersOfMember(tx, member, { now })
    await queueMemberMails(tx, 'member-ended', member, now)
  }
  const detail = endedBy === 'time' ? `${id}; until: ${endedAt.toISOString()}` : id
  const about = { action: 'endMember', target: accountId, address: 'service', detail } as const
  await addEvents(tx, [commandEvent(now, about)])
}

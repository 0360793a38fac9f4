// What follows for orders and drafts of a member when the member may do less.
import type { Db } from '../../database/statements/statement.ts'
import { includesRight } from '../../gate/members.ts'
import type { Context } from '../../http/route.ts'
import { voidAboveLimits } from '../drafts/lowered.ts'
import { pauseOrdersOfMember } from '../orders/member-orders.ts'
import type { Granted, MemberRow } from './sql.ts'

export type Pausing = Pick<Context, 'caller' | 'now' | 'requestId'>

/**
 * Nothing pays any more by right of the membership. Before it was accepted nothing did, and no
 * statement more tells the owner that a customer has the name.
 */
export const pauseOrders = async (
  tx: Db,
  { accountId, personId, acceptedAt }: MemberRow,
  context: Pausing,
) =>
  personId === null || acceptedAt === null
    ? 0
    : pauseOrdersOfMember(tx, { accountId, personId }, context)

/** Behind the lock of the account, at that time. */
export const followLimits = async (
  tx: Db,
  { accountId, personId }: Pick<MemberRow, 'accountId' | 'personId'>,
  { perPayment, perDay }: Pick<Granted, 'perPayment' | 'perDay'>,
  { at, service }: { at: number } & Pick<Context, 'service'>,
) => {
  if (personId === null) return
  const limits = { accountId, personId, perPayment, perDay }
  await voidAboveLimits(tx, limits, { at, days: service.clocks.days() })
}

/** What was changed of a membership holds at once for what was signed and ordered by it. */
export async function followChange(
  tx: Db,
  row: MemberRow,
  granted: Granted,
  context: Pausing & { at: number } & Pick<Context, 'service'>,
): Promise<void> {
  if (!includesRight(granted.rights, 'pay')) await pauseOrders(tx, row, context)
  // Before it was accepted nothing was signed by it.
  if (row.acceptedAt !== null) await followLimits(tx, row, granted, context)
}

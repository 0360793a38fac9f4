// Movements of people who act on an account of another customer, and of staff who are members of
// one.
import type { PlainCode } from '../../domain/errors.ts'
import { mayAct, type Member } from '../../gate/members.ts'
import type { Movement } from './movement.ts'

/** What a member may still let leave the account; in minor units. */
export type MemberLimits = {
  perPayment: bigint | null
  /** `used`: by payments that the member has made on the day and that have not come back. */
  day: { limit: bigint; used: bigint } | undefined
}

type Side = { id: string; ownerId: string | null }

/** The accounts whose members decide about the movement; none where only owners do. */
export const accountsOfMembers = ({
  caller,
  notOf,
  fromAccountId,
  toAccountId,
}: Movement): string[] =>
  caller.memberFor !== undefined || (notOf?.length ?? 0) > 0 ? [fromAccountId, toAccountId] : []

/** The account that a member acts on: the one that pays, or that a cancellation pays back. */
export const actedOn = ({ kind, fromAccountId, toAccountId }: Movement): string =>
  kind === 'cancellation' ? toAccountId : fromAccountId

/**
 * A member pays from accounts on which it has that right, also to another account of the owner, and
 * takes back a payment. Nobody behind a movement by staff is a member of an account that it moves.
 */
export function refuseMember(
  movement: Movement,
  { from, to }: { from: Side; to: Side },
  members: readonly Member[],
): PlainCode | undefined {
  const { kind, caller, notOf } = movement
  const sides = [from.id, to.id]
  const isOwn = (member: Member): boolean =>
    sides.includes(member.accountId) && notOf?.includes(member.personId) === true
  if (members.some(isOwn)) return 'forbidden'
  const { memberFor: ownerId, userId } = caller
  if (ownerId === undefined) return undefined
  if (kind !== 'transfer' && kind !== 'cancellation') return 'forbidden'
  const isWithin = kind === 'transfer' && movement.beneficiaryId === undefined
  const accountIds = isWithin ? sides : [actedOn(movement)]
  return mayAct(userId, { ownerId, accountIds, right: 'pay' }, members) ? undefined : 'forbidden'
}

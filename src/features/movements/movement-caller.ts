// A caller as the ledger judges it.
import type { Caller, Role } from '../../gate/roles.ts'
import type { Movement } from '../../ledger/rules/movement.ts'

export const toMovementCaller = (caller: Caller, role: Role): Movement['caller'] => {
  const { userId, sessionId, kid, service, operation, actingMember } = caller
  return {
    userId,
    sessionId,
    kid,
    role,
    ...(service && { operation }),
    ...(actingMember && { memberFor: actingMember.ownerId }),
  }
}

/** The people behind a caller. A staff operation moves no account of theirs. */
export const peopleBehind = ({ userId, service }: Caller): readonly string[] =>
  service?.administrators ?? [userId]

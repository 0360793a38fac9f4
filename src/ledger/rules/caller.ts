// Judges the caller of a movement inside the batch's transaction.
import type { PlainCode } from '../../domain/errors.ts'
import { type ApprovalUse, refuseUse, type Standing } from '../../gate/approvals.ts'
import { endedAt, type SessionState } from '../../gate/live-sessions.ts'
import { findFactorPolicy, type Role } from '../../gate/roles.ts'
import { isKeyLive, type KeyState } from '../../gate/service-keys.ts'
import type { Movement } from './movement.ts'

export type CallerFacts = {
  /** The callers that cannot be shut out before this batch ends: see {@link keep}. */
  kept: ReadonlySet<string>
  /** Milliseconds since the epoch, by the database's clock. */
  now: number
  /** By session. */
  callers: Map<string, SessionState>
  /** The keys of service accounts, by identifier. */
  keys: Map<string, KeyState>
}

/** The people and programs whose rights decide about a movement. */
export const callersOf = (movement: Movement): string[] => {
  const { caller, approval } = movement
  return [
    caller.userId,
    ...(approval ? [approval.checker.userId] : []),
    ...(caller.memberFor === undefined ? [] : [caller.memberFor]),
    ...((movement.kind === 'transfer' && movement.draft?.people) || []),
  ]
}

const mustConfirm = (
  { has_factor: hasFactor, roles }: SessionState,
  { secondFactor }: ApprovalUse['policies'],
): boolean => hasFactor && findFactorPolicy(secondFactor, roles as Role[]) !== 'off'

/**
 * The gate let the caller in; the session or key, or the role or grant, may have ended since.
 *
 * @param approvals locked, as the movements before in the batch left them
 */
export function refuseCaller(
  movement: Movement,
  facts: CallerFacts,
  approvals: ReadonlyMap<string, Standing>,
): PlainCode | undefined {
  const { caller, kind, fromAccountId, toAccountId, approval } = movement
  const { callers, keys, now } = facts
  if (approval) {
    const session = callers.get(approval.checker.sessionId)
    const refusal = refuseUse(approval, approvals.get(approval.id), session, now)
    // The checker may have got a factor since the request was admitted.
    const isUnconfirmed =
      !movement.confirmation && session && mustConfirm(session, approval.policies)
    return refusal ?? (isUnconfirmed ? 'confirmation_required' : undefined)
  }
  const { sessionId, operation } = caller
  if (operation === undefined) {
    const session = callers.get(sessionId)
    const isInRole = session?.roles.includes(caller.role)
    return endedAt(session, caller, now) ?? (isInRole ? undefined : 'forbidden')
  }
  const key = keys.get(sessionId)
  if (key?.accountId !== caller.userId || !isKeyLive(key, now)) return 'unauthenticated'
  const payer =
    kind === 'transfer' ? fromAccountId : kind === 'cancellation' ? toAccountId : undefined
  const isGranted =
    payer === undefined ? key.operations.includes(operation) : key.payFrom.includes(payer)
  return isGranted ? undefined : 'forbidden'
}

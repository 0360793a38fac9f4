// Whether a movement of a person with a second factor is confirmed, or needs no confirmation.
// Exempt are money that stays with the same customer, trusted beneficiaries and small sums
// (Regulation (EU) 2018/389, Articles 15, 13 and 16).
import { type Confirmed, isConfirmed } from '../../gate/confirmations.ts'
import type { AuditEvent } from '../../audit/sql.ts'
import type { Movement, Transfer } from './movement.ts'

/** Payments out of an account without a confirmation, since the last confirmed one. */
export type Unconfirmed = {
  amount: bigint
  count: number
  /** Those that `amount` is the sum of. Of payments that an older version has counted none. */
  transferIds: readonly string[]
}

/** Consecutive payments without a confirmation: Regulation (EU) 2018/389, Article 16(c). */
const unconfirmedCountMax = 5

const none: Unconfirmed = { amount: 0n, count: 0, transferIds: [] }

/** What a movement that is confirmed, or need not be, leaves of that. */
export type ConfirmationUse = {
  /** The challenge that is used up. */
  used?: string
  event?: AuditEvent
  /** The unconfirmed payments of the account that pays, with this one. */
  unconfirmed?: Unconfirmed
}

/**
 * Uses up the movement's confirmation, or counts the payment among the unconfirmed ones. `missing`:
 * the movement has to be confirmed first.
 */
export function takeConfirmation(
  movement: Movement,
  {
    transferId,
    beneficiary,
    challenge,
    before = none,
    now,
  }: {
    /** The payment's identifier, if it is made. */
    transferId: string
    beneficiary: { trusted: boolean } | undefined
    /** The one that the movement names, if it can be used up. */
    challenge: Confirmed | undefined
    /** The unconfirmed payments of the account that pays, before this one. */
    before: Unconfirmed | undefined
    now: number
  },
): ConfirmationUse | 'missing' {
  const { confirmation, kind, amount } = movement
  if (!confirmation) return {}
  const { challengeId, exempt, event } = confirmation
  const isPayment = kind === 'transfer' && movement.beneficiaryId !== undefined
  if (challengeId !== undefined) {
    if (!isConfirmed(challenge, confirmation, now)) return 'missing'
    return { used: challengeId, event, ...(isPayment && { unconfirmed: none }) }
  }
  // A signature is always confirmed.
  if (kind !== 'transfer' || movement.draft) return 'missing'
  if (!isPayment || beneficiary?.trusted) return {}
  const unconfirmed = {
    amount: before.amount + amount,
    count: before.count + 1,
    transferIds: [...before.transferIds, transferId],
  }
  const isSmall = amount <= exempt.amount && unconfirmed.amount <= exempt.sum
  return isSmall && unconfirmed.count <= unconfirmedCountMax ? { unconfirmed } : 'missing'
}

/**
 * Takes a payment that has come back out of the sum of its account, unless a confirmed one has
 * ended that sum since: undefined. It stays in the number of payments: it was ordered without a
 * confirmation.
 */
export function giveBackUnconfirmed(
  { id, amount }: Pick<Transfer, 'id' | 'amount'>,
  before: Unconfirmed | undefined,
): Unconfirmed | undefined {
  if (!before?.transferIds.includes(id)) return undefined
  const transferIds = before.transferIds.filter((each) => each !== id)
  return { ...before, amount: before.amount - amount, transferIds }
}

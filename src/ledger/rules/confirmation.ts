// Whether an order of a person with a second factor is confirmed, or needs no confirmation. Exempt
// are money that stays with the same customer, trusted beneficiaries and small sums (Regulation
// (EU) 2018/389, Articles 15, 13 and 16).
import { type Confirmed, confirms } from '../../gate/confirmations.ts'
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

type ConfirmationFacts = {
  now: number
  /** Confirmations that can be used up, by challenge. */
  confirmed: Map<string, Confirmed>
  /** By account. */
  unconfirmed: Map<string, Unconfirmed>
}

/** What is written of confirmations if the movement takes effect. */
export type ConfirmationPlan = {
  /** Challenges that are used up. */
  used: string[]
  /** By account. */
  unconfirmed: Map<string, Unconfirmed>
}

/**
 * Uses up the movement's confirmation and gives its event, or counts the payment among the
 * unconfirmed ones. Gives `missing` when the movement has to be confirmed first; then nothing is
 * changed.
 */
export function takeConfirmation(
  { confirmation, kind, fromAccountId, beneficiaryId, amount }: Movement,
  {
    transferId,
    beneficiary,
  }: {
    /** Of the payment, if it is made. */
    transferId: string
    beneficiary: { trusted: boolean } | undefined
  },
  { now, confirmed, unconfirmed }: ConfirmationFacts,
  plan: ConfirmationPlan,
): AuditEvent | 'missing' | undefined {
  if (!confirmation) return undefined
  const count = (payments: Unconfirmed): void => {
    unconfirmed.set(fromAccountId, payments)
    plan.unconfirmed.set(fromAccountId, payments)
  }
  const { challengeId, exempt } = confirmation
  const isPayment = kind === 'transfer' && beneficiaryId !== undefined
  if (challengeId !== undefined) {
    const challenge = confirmed.get(challengeId)
    if (!confirms(challenge, confirmation, now)) return 'missing'
    confirmed.delete(challengeId)
    plan.used.push(challengeId)
    if (isPayment) count(none)
    return confirmation.event
  }
  if (kind !== 'transfer') return 'missing'
  if (!isPayment || beneficiary?.trusted) return undefined
  const before = unconfirmed.get(fromAccountId) ?? none
  const payments = {
    amount: before.amount + amount,
    count: before.count + 1,
    transferIds: [...before.transferIds, transferId],
  }
  const isSmall = amount <= exempt.amount && payments.amount <= exempt.sum
  if (!isSmall || payments.count > unconfirmedCountMax) return 'missing'
  count(payments)
  return undefined
}

/**
 * Takes a payment that has come back out of the sum of its account, unless a confirmed one has
 * ended that sum since. It stays in the number of payments: it was ordered without a confirmation.
 */
export function giveBackUnconfirmed(
  { id, fromAccountId, amount }: Pick<Transfer, 'id' | 'fromAccountId' | 'amount'>,
  { unconfirmed }: Pick<ConfirmationFacts, 'unconfirmed'>,
  plan: ConfirmationPlan,
): void {
  const before = unconfirmed.get(fromAccountId)
  if (!before?.transferIds.includes(id)) return
  const transferIds = before.transferIds.filter((each) => each !== id)
  const payments = { ...before, amount: before.amount - amount, transferIds }
  unconfirmed.set(fromAccountId, payments)
  plan.unconfirmed.set(fromAccountId, payments)
}

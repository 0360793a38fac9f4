// Whether a payee was checked, as the payer is held to it (Regulation (EU) 2024/886, Article 5c):
// what the payer was told of the name, and that a name which does not match was accepted.
import type { RowOf } from '../../database/statements/statement.ts'
import type { CheckResult } from '../../domain/payee-name.ts'

/** How long a check is a fact: the account may be closed, or its holder renamed, after that. */
export const payeeCheckLifetimeMs = 15 * 60_000

/** A check that a payment, a payee or an order names. */
export type PayeeCheck = {
  id: string
  result: CheckResult
  /** The name that was told, of a close match. */
  holderName: string | null
  checkedAt: Date
  /** The payer accepts that the name does not match. */
  isAccepted: boolean
}

/** What is known of the payee of a change. */
export type PayeeProof = {
  /** The bank wants a check. */
  isRequired: boolean
  check?: PayeeCheck | undefined
}

/** Why the change is refused; undefined: its payee is known well enough. */
export function refusePayee(
  { isRequired, check }: PayeeProof,
  now: number,
): 'payee_check_required' | 'payee_not_accepted' | undefined {
  if (!check) return isRequired ? 'payee_check_required' : undefined
  if (now >= check.checkedAt.getTime() + payeeCheckLifetimeMs) return 'payee_check_required'
  return check.result === 'match' || check.isAccepted ? undefined : 'payee_not_accepted'
}

export const payeeColumns = {
  payeeResult: 'text?',
  payeeName: 'text?',
  payeeAccepted: 'bool?',
} as const

/** What is kept of a check by that which it was made for. */
export const toPayeeColumns = (check: PayeeCheck | undefined): RowOf<typeof payeeColumns> => ({
  payeeResult: check?.result ?? null,
  payeeName: check?.holderName ?? null,
  payeeAccepted: check?.isAccepted ?? null,
})

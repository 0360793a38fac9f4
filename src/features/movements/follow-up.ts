// Orders about an earlier transfer: to bring its money back, or to record that it was sent or
// settled.
import { formatAmount } from '../../domain/money.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import type { Caller, Role } from '../../gate/roles.ts'
import { isBack, type Movement, type Transfer as Row } from '../../ledger/rules/movement.ts'
import { toMovementCaller } from './movement-caller.ts'

type FollowUp = 'reversal' | 'return' | 'cancellation' | 'sending' | 'settlement'

/** The order that records a step of a transfer, or brings its money back by a new transfer. */
export function toFollowUp(
  original: Row,
  kind: FollowUp,
  reference: string,
  caller: Caller,
  role: Role = 'admin',
): Movement {
  const { id: originalId, fromAccountId, toAccountId, amount, currency } = original
  const { counterpartyName: name, counterpartyIban: iban } = original
  const movesBack = isBack(kind)
  return {
    kind,
    fromAccountId: movesBack ? toAccountId : fromAccountId,
    toAccountId: movesBack ? fromAccountId : toAccountId,
    amount,
    currency,
    reference,
    originalId,
    caller: toMovementCaller(caller, role),
    ...(movesBack && name !== null && { counterparty: { name, iban } }),
  }
}

/** What a person is shown of the transfer that a change is about. */
export const showTransfer = ({ amount, currency, counterpartyName: payee }: Row): ShownTerms => ({
  amount: formatAmount(amount, currency),
  currency,
  ...(payee !== null && { payee }),
})

// Movements about an earlier transfer: to bring its money back, or to record that it was sent or
// settled.
import { formatAmount } from '../../domain/money.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import type { Caller, Role } from '../../gate/roles.ts'
import type { Transfer as Row } from '../../ledger/rules/movement.ts'
import { toMovementCaller } from './movement-caller.ts'

/** The movement that records a step of a transfer, but for its kind. */
export const toStep = (
  { id: originalId, fromAccountId, toAccountId, amount, currency }: Row,
  caller: Caller,
) => ({
  fromAccountId,
  toAccountId,
  amount,
  currency,
  reference: '',
  originalId,
  caller: toMovementCaller(caller, 'admin'),
})

/** The movement that brings the money of a transfer back by a new one, but for its kind. */
export const toMoneyBack = (
  original: Row,
  reference: string,
  caller: Caller,
  role: Role = 'admin',
) => {
  const { fromAccountId, toAccountId, counterpartyName: name, counterpartyIban: iban } = original
  return {
    ...toStep(original, caller),
    fromAccountId: toAccountId,
    toAccountId: fromAccountId,
    reference,
    caller: toMovementCaller(caller, role),
    ...(name !== null && { counterparty: { name, iban } }),
  }
}

/** What a person is shown of the transfer that a change is about. */
export const showTransfer = ({ amount, currency, counterpartyName: payee }: Row): ShownTerms => ({
  amount: formatAmount(amount, currency),
  currency,
  ...(payee !== null && { payee }),
})

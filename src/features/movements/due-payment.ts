// What a run of a standing order, and a line of a payment list, has as a payment of the ledger.
import { type Config, ownBanks } from '../../config/config.ts'
import type { PlainCode } from '../../domain/errors.ts'
import type { Currency } from '../../domain/money.ts'
import type { TransferMovement } from '../../ledger/rules/movement.ts'
import { isAbove } from './answer.ts'
import { type Destination, toDestination } from './destination.ts'

export type DueConfig = Pick<Config, 'alertAbove' | 'bank' | 'bankAlso' | 'payeeCheck'>

/** Name and IBAN are null of a payee that was deleted. */
export type DuePayment = {
  accountId: string
  ownerId: string
  amount: bigint
  currency: Currency
  reference: string
  callerId: string
  sessionId: string
  isProgram: boolean
  toAccountId: string | null
  beneficiaryId: string | null
  payeeName: string | null
  payeeIban: string | null
  payeeAccountId: string | null
  /** What the check of the payee said; absent where it stands at the terms that were confirmed. */
  payeeResult?: string | null
}

/** The movement, and why there is no account to credit. */
export function toDueMovement(
  due: DuePayment,
  config: DueConfig,
): { movement: TransferMovement; refused?: { refusal: PlainCode } } {
  const { accountId, amount, currency, reference, callerId } = due
  const about = {
    kind: 'transfer',
    fromAccountId: accountId,
    amount,
    currency,
    reference,
    caller: {
      userId: callerId,
      sessionId: due.sessionId,
      kid: null,
      role: 'customer',
      ...(due.isProgram
        ? { operation: 'createTransfer' }
        : callerId !== due.ownerId && { memberFor: due.ownerId }),
    },
  } as const
  const found = findTarget(due, config)
  if (typeof found === 'string') {
    return { movement: { ...about, toAccountId: accountId }, refused: { refusal: found } }
  }
  const { named, ...sides } = found
  const isLarge = named !== undefined && isAbove(config.alertAbove, { amount, currency })
  return { movement: { ...about, ...sides, isLarge } }
}

/** The account to credit, or why there is none. */
function findTarget(
  { toAccountId, beneficiaryId, payeeName: name, payeeIban: iban, ...due }: DuePayment,
  config: DueConfig,
): Destination | PlainCode {
  if (toAccountId !== null) return { toAccountId }
  if (beneficiaryId === null || name === null || iban === null) return 'not_found'
  if (config.payeeCheck === 'required' && due.payeeResult === null) return 'payee_check_required'
  const target = { beneficiaryId, name, iban, targetId: due.payeeAccountId }
  return toDestination(target, due.currency, ownBanks(config)) ?? 'account_closed'
}

// Where the money of a transfer goes: to another account of the same customer, or to one of the
// customer's beneficiaries, at this bank or elsewhere.
import type { Db } from '../../database/statements/statement.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { isOwnIban } from '../../domain/iban.ts'
import type { BankCode } from '../../domain/bban.ts'
import type { Currency } from '../../domain/money.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import type { TransferMovement } from '../../ledger/rules/movement.ts'
import { beneficiaryTarget } from './sql.ts'

type NamedPayee = { toAccountId?: string; beneficiaryId?: string }
type Payee = { toAccountId: string } | { beneficiaryId: string }
type Body = NamedPayee & { fromAccountId: string; currency: Currency }

export type Destination = Pick<
  TransferMovement,
  'toAccountId' | 'beneficiaryId' | 'counterparty'
> & {
  /** The beneficiary, if it is one. */
  named?: { name: string; iban: string }
}

/** The payee of a body. Refuses a body that names none or two, or the account that pays. */
export function readPayee(
  fromAccountId: string,
  { toAccountId, beneficiaryId }: NamedPayee,
): Payee {
  if (beneficiaryId !== undefined) {
    if (toAccountId !== undefined) invalid('/body/toAccountId', 'cannot be beside beneficiaryId')
    return { beneficiaryId }
  }
  if (toAccountId === undefined) invalid('/body/toAccountId', 'is missing, or beneficiaryId is')
  if (toAccountId === fromAccountId) invalid('/body/toAccountId', 'is the same account')
  return { toAccountId }
}

/**
 * The account to credit: the clearing account for an IBAN elsewhere. Undefined when the beneficiary
 * is gone. An inactive beneficiary is refused under the locks alone, so that a repeated request
 * gets its first answer.
 *
 * @param banks the codes of this bank
 */
export async function findDestination(
  db: Db,
  body: Body,
  banks: readonly BankCode[],
): Promise<Destination | undefined> {
  const payee = readPayee(body.fromAccountId, body)
  if ('toAccountId' in payee) return payee
  const { beneficiaryId } = payee
  const target = await beneficiaryTarget(db, beneficiaryId)
  if (!target) return undefined
  return (
    toDestination({ ...target, beneficiaryId }, body.currency, banks) ?? refuse('account_closed')
  )
}

type Target = { beneficiaryId: string; name: string; iban: string; targetId: string | null }

/**
 * The account to credit for a beneficiary. Undefined of an IBAN of this bank without an account,
 * which is answered like one whose account was closed.
 */
export function toDestination(
  { beneficiaryId, name, iban, targetId }: Target,
  currency: Currency,
  banks: readonly BankCode[],
): Destination | undefined {
  const named = { name, iban }
  if (targetId !== null) {
    return { toAccountId: targetId, beneficiaryId, counterparty: { name, iban: null }, named }
  }
  if (isOwnIban(banks, iban)) return undefined
  const clearing = bankAccount('clearing', currency)
  return { toAccountId: clearing, beneficiaryId, counterparty: named, named }
}

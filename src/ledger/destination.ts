// Where the money of a transfer goes: to another account of the same customer, or to one of his
// beneficiaries, who may be at this bank or elsewhere.
import { beneficiaryTarget } from './beneficiaries-sql.ts'
import type { Db } from '../database/statement.ts'
import { invalid, refuse } from '../domain/errors.ts'
import { newIban } from '../domain/iban.ts'
import type { Currency } from '../domain/money.ts'
import { bankAccount } from './internal-accounts.ts'
import type { Order } from './order.ts'

export type Wanted = {
  fromAccountId: string
  toAccountId?: string
  beneficiaryId?: string
  currency: Currency
}

export type Target = Pick<Order, 'toAccountId' | 'beneficiaryId' | 'counterparty'>

/**
 * The account to credit: that of an IBAN elsewhere is the clearing account. Undefined when the
 * beneficiary is gone. Whether the beneficiary
 * is active is decided under the locks alone, so a request that is repeated gets its first answer.
 */
export async function findTarget(db: Db, wanted: Wanted): Promise<Target | undefined> {
  const { fromAccountId, toAccountId, beneficiaryId, currency } = wanted
  if (beneficiaryId === undefined) {
    if (toAccountId === undefined) invalid('/body/toAccountId', 'is missing, or beneficiaryId is')
    if (toAccountId === fromAccountId) invalid('/body/toAccountId', 'is the same account')
    return { toAccountId }
  }
  if (toAccountId !== undefined) invalid('/body/toAccountId', 'cannot be beside beneficiaryId')
  const found = await beneficiaryTarget(db, beneficiaryId)
  if (!found) return undefined
  const { name, iban, target_id: targetId } = found
  if (targetId !== null) {
    return { toAccountId: targetId, beneficiaryId, counterparty: { name, iban: null } }
  }
  // Never given out, for all anybody may know: the same as an account that was closed.
  if (isOfThisBank(iban)) refuse('account_closed')
  const clearing = bankAccount('clearing', currency)
  return { toAccountId: clearing, beneficiaryId, counterparty: { name, iban } }
}

/** Country and bank code, behind the check digits. */
const readBankCode = (iban: string): string => iban.slice(0, 2) + iban.slice(4, 12)
const thisBank = readBankCode(newIban())
const isOfThisBank = (iban: string): boolean => readBankCode(iban) === thisBank

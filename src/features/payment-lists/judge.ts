// Whom each line of a new list pays, and whether it can be paid at all.
import { isValidIBAN } from 'ibantools'
import { type BankCode } from '../../domain/bban.ts'
import { isOwnIban } from '../../domain/iban.ts'
import type { Currency } from '../../domain/money.ts'
import type { LineRefusal } from './reasons.ts'
import type { ListItem } from './schemas.ts'
import type { PayeeRow } from './sql.ts'

/** What lines are judged by, behind the lock of the account. */
export type ListFacts = {
  account: { iban: string; ownerId: string; currency: Currency }
  /** By IBAN. */
  payees: ReadonlyMap<string, PayeeRow>
  /** The IBANs of the beneficiaries that are named by identifier, and are of the account. */
  named: ReadonlyMap<string, string>
  /** The codes of this bank. */
  banks: readonly BankCode[]
  /** A program sends it: it pays payees of the account alone. */
  isProgram: boolean
  /** A member sends it: whose an account is, other than this one, it is not told. */
  isMember: boolean
  /** The bank wants payees to be checked. */
  isCheckRequired: boolean
}

export type JudgedLine = {
  beneficiaryId: string | null
  toAccountId: string | null
  payeeName: string | null
  payeeIban: string | null
  earlyRefusal: LineRefusal | null
}

/** Undefined: of no payee that the account has. */
const ibanOf = ({ beneficiaryId, iban }: ListItem, { named }: ListFacts): string | undefined =>
  beneficiaryId === undefined ? iban : named.get(beneficiaryId)

export function judgeLine(item: ListItem, facts: ListFacts): JudgedLine {
  const { account, payees } = facts
  const iban = ibanOf(item, facts)
  const nobody = { beneficiaryId: null, toAccountId: null }
  if (iban === undefined) {
    return { ...nobody, payeeName: null, payeeIban: null, earlyRefusal: 'forbidden' }
  }
  const found = payees.get(iban)
  const asked = { payeeName: item.name ?? null, payeeIban: iban }
  if (!isValidIBAN(iban) || iban === account.iban) {
    return { ...nobody, ...asked, earlyRefusal: 'invalid_request' }
  }
  const earlyRefusal = refuseTarget(found, facts)
  const beneficiaryId = found?.beneficiaryId ?? null
  if (beneficiaryId !== null) {
    const payeeName = found?.name ?? null
    const refusal = earlyRefusal ?? refuseKnown(found as PayeeRow, facts)
    return { ...asked, payeeName, beneficiaryId, toAccountId: null, earlyRefusal: refusal }
  }
  if (!facts.isMember && found?.targetOwnerId === account.ownerId) {
    return { ...asked, beneficiaryId, toAccountId: found.targetId, earlyRefusal }
  }
  return { ...nobody, ...asked, earlyRefusal: refuseUnknown(iban, facts) }
}

/** A list is ordered by one person: a line that two sign is made as a draft. */
export const judgeSigned = (line: JudgedLine, signatures: number): JudgedLine =>
  signatures === 1 ? line : { ...line, earlyRefusal: line.earlyRefusal ?? 'signature_required' }

/** Why an account at this bank is not paid. */
function refuseTarget(
  { targetCurrency, targetStatus }: Partial<PayeeRow> = {},
  { account }: ListFacts,
): LineRefusal | null {
  if (targetStatus === 'closed') return 'account_closed'
  const isOther = typeof targetCurrency === 'string' && targetCurrency !== account.currency
  return isOther ? 'currency_mismatch' : null
}

function refuseKnown(payee: PayeeRow, { banks, isCheckRequired }: ListFacts): LineRefusal | null {
  if (payee.status !== 'active') return 'beneficiary_inactive'
  if (payee.targetId === null && isOwnIban(banks, payee.iban)) return 'account_closed'
  return isCheckRequired && payee.payeeResult === null ? 'payee_check_required' : null
}

/**
 * A new payee elsewhere is added when the list is ordered. One at this bank has to be added before,
 * which counts as a payee check: a list is no way to try IBANs.
 */
function refuseUnknown(
  iban: string,
  { banks, isProgram, isCheckRequired }: ListFacts,
): LineRefusal | null {
  if (isProgram) return 'forbidden'
  return isCheckRequired || isOwnIban(banks, iban) ? 'payee_check_required' : null
}

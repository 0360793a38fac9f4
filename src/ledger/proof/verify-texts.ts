// Whether the texts of an entry agree with its transfer and the other account. The chain holds the
// texts of most entries, but not those that were filled in later or erased.
import { isBankAccountId } from '../rules/internal-accounts.ts'
import { isBack } from '../rules/movement.ts'
import type { Entry } from './verify-sql.ts'

/**
 * Compares the texts of an entry with all their sources. The name of a holder has no second source:
 * the chain alone proves it, and for filled-in entries nothing does.
 */
export function hasRightTexts(accountKind: string, entry: Entry): boolean {
  const { kind, salt, reference, counterpartyName, counterpartyIban } = entry
  const { ownReference, ownName, ownIban } = entry
  const isNameless = ownName === null && ownIban === null
  const isErased = salt === null
  // A mark has no text: that of a sending is empty, so that none is filled in.
  if (kind === 'sending' || kind === 'settlement') {
    const isEmpty = ownReference === (kind === 'sending' ? '' : null) && isNameless
    return isEmpty && !entry.textsInChain && entry.ownCommitment === null
  }
  if (!isErased && entry.ownCommitment !== null) return false
  if (entry.textsInChain && ownReference === null) return false
  if (isErased && (reference !== '' || counterpartyName !== null || counterpartyIban !== null)) {
    return false
  }
  // Not filled in yet: it shows what its transfer says.
  if (ownReference === null) return isNameless
  if (isErased) return ownReference === '' && isNameless
  if (ownReference !== reference) return false
  // An account of the bank sees no names.
  if (accountKind !== 'customer') return isNameless
  const isPayer = entry.amount > 0n === isBack(kind)
  const isShown = isPayer || isBankAccountId(entry.otherAccountId)
  // An instance of a version that knows no incoming payments reversed one.
  if (isShown && !isPayer && isBack(kind) && isNameless) return true
  const name = isShown ? counterpartyName : null
  const iban = isShown ? counterpartyIban : null
  if (name !== null && ownName !== name) return false
  if (iban !== null) return ownIban === iban
  if (entry.textsInChain) return true
  // The bank on the other side has neither a name nor an IBAN.
  return ownIban === entry.otherIban && (ownIban !== null || name !== null || ownName === null)
}

// Which entries a text finds: by the reference, the name and the IBAN of the counterparty as the
// account sees them, and the amount. What is typed and what is stored are folded by one rule.
import { foldText } from '../../domain/folding.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import type { SearchedEntry } from './history-sql.ts'

/** A part of an IBAN that is shorter is a part of too many. */
const ibanPartMin = 4
const ibanPart = new RegExp(`^[a-z0-9]{${ibanPartMin},34}$`)

/** Undefined when nothing is left of the text once it is folded. */
export function searchFor(
  text: string,
  currency: Currency,
): ((entry: SearchedEntry) => boolean) | undefined {
  const folded = foldText(text).trim()
  if (folded === '') return undefined
  const compact = folded.replaceAll(' ', '')
  const ofIban = ibanPart.test(compact) ? compact.toUpperCase() : undefined
  const units = parseAmount(folded, currency)
  return ({ reference, counterpartyName, counterpartyIban, amount }) =>
    foldText(reference).includes(folded) ||
    (counterpartyName !== null && foldText(counterpartyName).includes(folded)) ||
    (ofIban !== undefined && counterpartyIban !== null && counterpartyIban.includes(ofIban)) ||
    (units !== undefined && (amount === units || amount === -units))
}

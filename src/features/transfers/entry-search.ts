// Which entries a text finds: by the reference, the name and the IBAN of the counterparty as the
// account sees them, and the amount. What is typed and what is stored are folded by one rule.
import { foldText, isAscii } from '../../domain/folding.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import type { Matcher } from './history-sql.ts'

/** A part of an IBAN that is shorter is a part of too many. */
const ibanPartMin = 4
const ibanPart = new RegExp(`^[a-z0-9]{${ibanPartMin},34}$`)

/**
 * Of one search, in UTF-16 code units of texts that are not ASCII, before and after folding. One
 * takes 0.1 µs of the main thread at most, as in sequences of marks, and 0.03 µs in Greek names.
 */
const foldedMax = 500_000

/**
 * What finds the text, until it has folded {@link foldedMax}. Undefined when nothing is left of the
 * text once it is folded.
 */
export function searchFor(text: string, currency: Currency): Matcher | undefined {
  const folded = foldText(text).trim()
  if (folded === '') return undefined
  const compact = folded.replaceAll(' ', '')
  const ofIban = ibanPart.test(compact) ? compact.toUpperCase() : undefined
  const units = parseAmount(folded, currency)
  let size = 0
  function isIn(stored: string): boolean {
    const compared = foldText(stored)
    if (!isAscii(stored)) size += stored.length + compared.length
    return compared.includes(folded)
  }
  return ({ reference, counterpartyName, counterpartyIban, amount }) =>
    size >= foldedMax
      ? undefined
      : isIn(reference) ||
        (counterpartyName !== null && isIn(counterpartyName)) ||
        (ofIban !== undefined && counterpartyIban !== null && counterpartyIban.includes(ofIban)) ||
        (units !== undefined && (amount === units || amount === -units))
}

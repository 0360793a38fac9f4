// Searches entries by text: in the reference, the name and the IBAN of the counterparty as the
// account sees them, the amount, and for its owner the own note. The typed and the stored text are
// folded by one rule.
import { foldText, isAscii } from '../../domain/folding.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import type { Matcher } from './history-sql.ts'

/** A shorter part of an IBAN would find too many. */
const ibanPartMin = 4
const ibanPart = new RegExp(`^[a-z0-9]{${ibanPartMin},34}$`)

/**
 * Most UTF-16 code units that one search folds, before and after folding, of texts that are not
 * ASCII. One takes 0.1 µs of the main thread at most, as in sequences of marks, and 0.03 µs in
 * Greek names.
 */
const foldedMax = 500_000

/** Thousands in groups: a sign stands between them that is not the decimal sign. */
const inGroups = /^\d{1,3}([., ])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d{1,3})?$/

/**
 * An amount as people write it or copy it from a page, in minor units: `64.90`, `64,90`,
 * `1,234.50`, `-1.234,50`.
 */
function readAmount(folded: string, currency: Currency): bigint | undefined {
  const bare = folded.replace(/^[-+] ?/, '')
  const parse = (text: string) => parseAmount(text.replace(',', '.'), currency)
  const group = inGroups.exec(bare)?.[1]
  return parse(bare) ?? (group === undefined ? undefined : parse(bare.replaceAll(group, '')))
}

/**
 * The matcher of the text. It returns undefined once it has folded {@link foldedMax}. There is no
 * matcher if nothing of the text is left after folding.
 */
export function searchFor(text: string, currency: Currency): Matcher | undefined {
  const folded = foldText(text).trim()
  if (folded === '') return undefined
  const compact = folded.replaceAll(' ', '')
  const ofIban = ibanPart.test(compact) ? compact.toUpperCase() : undefined
  const units = readAmount(folded, currency)
  let size = 0
  function isIn(stored: string): boolean {
    const compared = foldText(stored)
    if (!isAscii(stored)) size += stored.length + compared.length
    return compared.includes(folded)
  }
  return ({ reference, counterpartyName, counterpartyIban, amount, note }) =>
    size >= foldedMax
      ? undefined
      : isIn(reference) ||
        (note !== undefined && isIn(note)) ||
        (counterpartyName !== null && isIn(counterpartyName)) ||
        (ofIban !== undefined && counterpartyIban !== null && counterpartyIban.includes(ofIban)) ||
        (units !== undefined && (amount === units || amount === -units))
}

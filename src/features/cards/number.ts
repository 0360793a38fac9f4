// Card numbers: made, hashed and forgotten in one breath. They are test numbers of a range that is
// nobody's, so none of them can ever be charged anywhere.
import { createHmac, randomInt } from 'node:crypto'

/**
 * The first six digits. 9 leads the numbers that national bodies give out under their ISO 3166
 * country code (ISO/IEC 7812-1), and 999 is no country's: no card network routes it.
 */
const issuer = '999900'
const customNumbers = 10 ** 9

/** A random number of 16 digits with a right check digit. Two may be equal, in the long run. */
export const newNumber = (): string =>
  toCardNumber(randomInt(customNumbers).toString().padStart(9, '0'))

/** The card number of nine digits: the issuer before them, the check digit after them. */
export const toCardNumber = (nineDigits: string): string =>
  issuer + nineDigits + luhnCheckDigit(issuer + nineDigits)

/** The digit that makes the number right (ISO/IEC 7812-1 annex B, the Luhn formula). */
function luhnCheckDigit(digits: string): number {
  let sum = 0
  for (const [index, digit] of [...digits].toReversed().entries()) {
    const value = digit.charCodeAt(0) - 48
    const weighted = index % 2 === 0 ? value * 2 : value
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return (10 - (sum % 10)) % 10
}

export type Kept = { lastFour: string; hmac: Buffer }

/** What may be kept of a number: the four digits that are shown, and its hash under that key. */
export const toStoredNumber = (number: string, key: Buffer): Kept => ({
  lastFour: number.slice(-4),
  hmac: createHmac('sha256', key).update(number).digest(),
})

/** How a card is shown. */
export const masked = (lastFour: string): string => `•••• •••• •••• ${lastFour}`

// International bank account numbers: their form, their check digits, and the making of our own.
import { randomInt } from 'node:crypto'
import { Type } from 'typebox'

/** An IBAN in its electronic form (ISO 13616): capitals and digits, no spaces. */
export const Iban = Type.String({
  title: 'Iban',
  pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$',
  minLength: 15,
  maxLength: 34,
  description: 'ISO 13616, without spaces.',
  examples: ['DE89370400440532013000'],
})

/** German bank codes begin with 1 to 8 (Deutsche Bundesbank): no real bank holds this one. */
export const bankCode = '00770077'
const accountNumbers = 10 ** 10

/**
 * A random, well-formed German IBAN of this bank. Two may be equal: whoever stores one has to
 * make another when it is taken.
 */
export function newIban(): string {
  const accountNumber = randomInt(accountNumbers).toString().padStart(10, '0')
  return createIban('DE', bankCode + accountNumber)
}

/** The IBAN of a national account number: check digits by ISO 7064 MOD 97-10. */
export function createIban(country: string, national: string): string {
  const checkDigits = 98n - remainder(`${national}${country}00`)
  return `${country}${checkDigits.toString().padStart(2, '0')}${national}`
}

/** Whether the check digits of a text of the form of {@link Iban} are right. */
export function hasRightCheckDigits(iban: string): boolean {
  const checkDigits = iban.slice(2, 4)
  // 00, 01 and 99 pass the division for some numbers, but are never given out.
  if (checkDigits < '02' || checkDigits > '98') return false
  return remainder(iban.slice(4) + iban.slice(0, 4)) === 1n
}

/** Modulo 97 of the number the text becomes when A is read as 10, B as 11 and so on. */
const remainder = (text: string): bigint =>
  BigInt(text.replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`)) % 97n

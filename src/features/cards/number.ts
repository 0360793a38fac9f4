// Card numbers are generated, hashed and never stored. They are test numbers of a range that no
// card network routes, so that no shop can charge one.
import { createHmac, randomInt } from 'node:crypto'
import { issuer, luhnCheckDigit } from '../../domain/card-number.ts'

const customNumbers = 10 ** 9

/** A random number of 16 digits with a valid check digit. It may be taken already. */
export const newNumber = (): string =>
  toCardNumber(randomInt(customNumbers).toString().padStart(9, '0'))

/** The card number of nine digits: the issuer before them, the check digit after them. */
export const toCardNumber = (nineDigits: string): string =>
  issuer + nineDigits + luhnCheckDigit(issuer + nineDigits)

export type StoredNumber = { lastFour: string; hmac: Buffer }

/** The parts of a number that are stored: its last four digits, and its keyed hash. */
export const toStoredNumber = (number: string, key: Buffer): StoredNumber => ({
  lastFour: number.slice(-4),
  hmac: createHmac('sha256', key).update(number).digest(),
})

export const maskedCardNumber = (lastFour: string): string => `•••• •••• •••• ${lastFour}`

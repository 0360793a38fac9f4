// International bank account numbers (ISO 13616): their form, and new ones for this bank.
import { randomInt } from 'node:crypto'
import { composeIBAN } from 'ibantools'
import { Type } from 'typebox'

/** An IBAN in its electronic form: capitals and digits, no spaces. */
export const Iban = Type.String({
  pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$',
  minLength: 15,
  maxLength: 34,
  description: 'ISO 13616, without spaces.',
})

/** German bank codes begin with 1 to 8 (Deutsche Bundesbank): no real bank has this one. */
const bankCode = '00770077'
const accountNumbers = 10 ** 10

/** A random German IBAN of this bank. It may be in use: its caller retries with another. */
export function newIban(): string {
  const accountNumber = randomInt(accountNumbers).toString().padStart(10, '0')
  return createIban('DE', bankCode + accountNumber)
}

/** The IBAN of a national account number. */
export function createIban(countryCode: string, bban: string): string {
  const iban = composeIBAN({ countryCode, bban })
  if (iban === null) throw new Error(`Not an account number of ${countryCode}`)
  return iban
}

// International bank account numbers (ISO 13616): their form, and new ones of this bank.
import { randomInt } from 'node:crypto'
import { composeIBAN, isValidBIC } from 'ibantools'
import { Type } from 'typebox'

export const exampleIban = 'DE89370400440532013000'

/**
 * An IBAN in its electronic form (ISO 13616): capitals and digits, no spaces. `isValidIBAN` of
 * ibantools checks its country's form and its check digits.
 */
export const Iban = Type.String({
  title: 'Iban',
  pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$',
  minLength: 15,
  maxLength: 34,
  description: 'ISO 13616, without spaces.',
  examples: [exampleIban],
})

const bicPattern = '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'

/** A business identifier code (ISO 9362) of 8 or 11 characters. */
export const Bic = Type.String({
  title: 'Bic',
  pattern: bicPattern,
  minLength: 8,
  maxLength: 11,
  description: 'ISO 9362.',
  examples: ['MARKDEFFXXX'],
})

const bicForm = new RegExp(bicPattern)

/** Whether the text is a BIC, in capitals and of a country that exists. */
export const isBic = (text: string): boolean => bicForm.test(text) && isValidBIC(text)

/** German bank codes begin with 1 to 8 (Deutsche Bundesbank): no real bank holds this one. */
export const bankCode = '00770077'
const countryCode = 'DE'
const accountNumbers = 10 ** 10

/** A random German IBAN of this bank. It may be taken already: store it under a constraint. */
export const newIban = (): string =>
  createIban(countryCode, bankCode + randomInt(accountNumbers).toString().padStart(10, '0'))

/** Whether an IBAN is one of this bank, with an account or without. */
export const isOwnIban = (iban: string): boolean =>
  iban.startsWith(countryCode) && iban.startsWith(bankCode, 4)

/** The IBAN of a national account number (BBAN), with its check digits. */
export function createIban(country: string, bban: string): string {
  const iban = composeIBAN({ countryCode: country, bban })
  if (iban === null) throw new RangeError(`${bban} is no account number of ${country}`)
  return iban
}

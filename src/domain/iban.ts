// International bank account numbers (ISO 13616): their form, and new ones of this bank.
import { randomInt } from 'node:crypto'
import { composeIBAN, isSEPACountry, isValidBIC } from 'ibantools'
import { Type } from './type.ts'
import { type BankCode, isOfBank, type NumberedBank, type Numbers, numbersOf } from './bban.ts'

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

/** An IBAN without its middle: a person that knows it finds it again. */
export const maskIban = (iban: string): string => `${iban.slice(0, 4)}…${iban.slice(-4)}`

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
export const fictitiousBank: BankCode = Object.freeze({ country: 'DE', prefix: '00770077' })

/** Whether a BIC may belong to a bank with IBANs of that country: some areas share its IBANs. */
export const isBicOf = (bic: string, country: string): boolean =>
  [country, ...(areas[country]?.split(' ') ?? [])].includes(bic.slice(4, 6))

const areas: Readonly<Record<string, string>> = {
  FI: 'AX',
  FR: 'BL GF GP MF MQ NC PF PM RE TF WF YT',
  GB: 'GG IM JE',
}

/** The countries that joined after the list of `ibantools` was made (EPC409-09). */
const joinedSepa: ReadonlySet<string> = new Set(['AL', 'MD', 'ME', 'MK', 'RS'])

/** Whether payments in euros to IBANs of that country are SEPA credit transfers. */
export const isInSepa = (country: string): boolean =>
  isSEPACountry(country) || joinedSepa.has(country)

/** The IBAN of a national account number (BBAN), with its check digits. */
export function createIban(country: string, bban: string): string {
  const iban = composeIBAN({ countryCode: country, bban })
  if (iban === null) throw new RangeError(`${bban} is no account number of ${country}`)
  return iban
}

/** An IBAN of that bank with these digits; undefined where no check digit fits them. */
export function toIban(bank: NumberedBank, digits: string): string | undefined {
  const bban = requireNumbers(bank).toBban(digits)
  return bban === undefined ? undefined : createIban(bank.country, bban)
}

/** Most draws have a check digit, whatever the bank: so many in a row without one do not happen. */
const drawsMax = 1000

/**
 * A random IBAN of that bank. It may be taken already: store it under a constraint. Undefined when
 * no draw had a check digit.
 */
export function newIban(bank: NumberedBank): string | undefined {
  const { length } = requireNumbers(bank)
  for (let draw = 0; draw < drawsMax; draw++) {
    const iban = toIban(bank, Array.from({ length }, () => randomInt(10)).join(''))
    if (iban !== undefined) return iban
  }
  return undefined
}

/** How many digits of a number of that bank are free. */
export const countFreeDigits = (bank: NumberedBank): number => requireNumbers(bank).length

function requireNumbers(bank: NumberedBank): Numbers {
  const numbers = numbersOf(bank)
  if (typeof numbers === 'string') throw new RangeError(`The bank code ${numbers}`)
  return numbers
}

/** Whether an IBAN is one of this bank, with an account or without. */
export const isOwnIban = (banks: readonly BankCode[], iban: string): boolean =>
  banks.some((bank) => isOfBank(bank, iban))

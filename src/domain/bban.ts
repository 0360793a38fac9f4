// National account numbers (BBAN, ISO 13616) of a bank: their form by country, and the check digits
// that a country has in them. The sources are the IBAN Registry (SWIFT) and each country's rule;
// test/ibans/examples.json compares the rules with those of another author.
import { getCountrySpecifications } from 'ibantools'
import {
  allOf,
  complement97,
  modulus11,
  type GermanMethod,
  germanMethods,
  modulus11And10,
  iso7064,
  luhn,
  mod97,
  replaceAt,
  type Rule,
  modulus10,
  twoDigits,
} from './check-digits.ts'

/** What is the same in every number of a bank: the country, and the first part of the BBAN. */
export type BankCode = Readonly<{ country: string; prefix: string }>

/** A bank whose numbers are made; `check` is the method of a German bank. */
export type NumberedBank = BankCode & Readonly<{ check?: GermanMethod | undefined }>

/** The key of a relevé d'identité bancaire. Letters count as digits of their own table. */
const frenchKey: Rule = {
  places: [21, 22],
  fill(bban) {
    const digits = bban.replace(/[A-Z]/g, (letter) => {
      const place = letter.charCodeAt(0) - 65
      return `${letter < 'S' ? (place % 9) + 1 : place - 16}`
    })
    const part = (from: number, to: number) => Number(digits.slice(from, to))
    const sum = 89 * part(0, 5) + 15 * part(5, 10) + 3 * part(10, 21)
    return replaceAt(bban, 21, twoDigits(97 - (sum % 97)))
  },
}

/** The letter before the number: characters at odd places have values of their own. */
const oddValues = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]
const italianLetter: Rule = {
  places: [0],
  fill(bban) {
    const sum = Array.from(bban.slice(1)).reduce((total, character, index) => {
      const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65
      return total + (index % 2 === 0 ? (oddValues[value] as number) : value)
    }, 0)
    return replaceAt(bban, 0, String.fromCharCode(65 + (sum % 26)))
  },
}

const belgianCheck: Rule = {
  places: [-2, -1],
  fill: (bban) => bban.slice(0, -2) + twoDigits(mod97(bban.slice(0, -2)) || 97),
}

/** Norwegian numbers with two zeros here are old ones, with a check digit of their own. */
const notOld: Rule = {
  places: [],
  fill: (bban) => (bban.startsWith('00', 4) ? undefined : bban),
}

/** A Hungarian number of 16 digits has eight zeros after it, and another check digit. */
const notPadded: Rule = {
  places: [],
  fill: (bban) => (bban.endsWith('00000000') ? undefined : bban),
}

const czechWeights = [6, 3, 7, 9, 10, 5, 8, 4, 2, 1]
const czech = allOf(
  modulus11(4, 9, czechWeights.slice(4, 9)),
  modulus11(10, 19, czechWeights.slice(0, 9)),
)
const spanishWeights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]
const hungarianWeights = [9, 7, 3, 1, 9, 7, 3, 1, 9, 7, 3, 1, 9, 7, 3]

/**
 * By country: the least length of the first part, which names the bank and its branch. Sweden is
 * not among them: the check digits there are those of each bank.
 */
const lengths =
  'AD8 AE3 AL8 AT5 AZ4 BG8 BH4 BY8 CH5 CR4 CY8 DE8 DK4 DO4 EG8 FO4 GB10 GE2 GI4 GL4 GR7 GT8 IE10 ' +
  'IL6 IQ7 JO8 KW4 KZ3 LB4 LC4 LI5 LT5 LU3 LV4 LY6 MD2 MN4 MT9 NI4 OM3 PK4 PS4 QA4 RO4 SA2 SD2 ' +
  'SO7 SV4 TR6 UA6 VA3 VG4 YE8 ' +
  'BA6 BE3 CZ4 EE2 ES8 FI3 FR10 HR7 HU7 IT10 MC10 ME3 MK3 MR10 NL4 NO4 PL7 PT8 RS3 SI5 SK4 ' +
  'SM10 TL3 TN5 XK4'
const lengthByCountry = new Map(
  lengths.split(' ').map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

/** The countries above that have check digits of their own behind the first part. */
const rules: Readonly<Record<string, Rule>> = {
  BA: iso7064,
  BE: belgianCheck,
  CZ: czech,
  EE: modulus10(2, 15, [7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7]),
  ES: allOf(modulus11(0, 8, spanishWeights.slice(2), 1), modulus11(10, 9, spanishWeights, 1)),
  FI: luhn(0, 13),
  FR: frenchKey,
  HR: allOf(modulus11And10(0, 6), modulus11And10(7, 16)),
  HU: allOf(
    modulus10(0, 7, hungarianWeights.slice(0, 7)),
    modulus10(8, 23, hungarianWeights),
    notPadded,
  ),
  IT: italianLetter,
  MC: frenchKey,
  ME: iso7064,
  MK: iso7064,
  MR: complement97,
  // The eleven test: asked for no more, but programs of payers still make it.
  NL: modulus11(4, 13, [10, 9, 8, 7, 6, 5, 4, 3, 2]),
  NO: allOf(modulus11(0, 10, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]), notOld),
  PL: modulus10(0, 7, [3, 9, 7, 1, 3, 9, 7]),
  PT: iso7064,
  RS: iso7064,
  SI: iso7064,
  SK: czech,
  SM: italianLetter,
  TL: iso7064,
  TN: complement97,
  XK: iso7064,
}

/** Where the first part begins: behind the check letter in Italy and San Marino. */
const startOf = (country: string): number => (rules[country] === italianLetter ? 1 : 0)

/** `[0-9]`, `[A-Z]` or `[A-Z0-9]` for each character. */
function formOf(country: string): RegExp[] {
  const pattern = getCountrySpecifications()[country]?.bban_regexp ?? ''
  return [...pattern.matchAll(/(\[[^\]]+\])\{(\d+)\}/g)].flatMap(([, kind = '', count]) =>
    Array.from({ length: Number(count) }, () => new RegExp(`^${kind}$`)),
  )
}

/** Where no rule of the country is known, fewer characters would hardly name one bank. */
const lengthMin = 3

/** Whether an IBAN begins as those of the bank do, with an account or without. */
export const isOfBank = ({ country, prefix }: BankCode, iban: string): boolean =>
  iban.startsWith(country) && iban.startsWith(prefix, 4 + startOf(country))

/** The same as a pattern of LIKE. */
export const toPattern = ({ country, prefix }: BankCode): string =>
  `${country}__${'_'.repeat(startOf(country))}${prefix}%`

/** The least code that an IBAN is of, as the setting is written. */
export function leastCode(iban: string): string {
  const country = iban.slice(0, 2)
  const start = 4 + startOf(country)
  return `${country}/${iban.slice(start, start + (lengthByCountry.get(country) ?? lengthMin))}`
}

/** How the numbers of a bank are made. */
export type Numbers = {
  /** How many digits each is made of. */
  length: number
  /** The BBAN of these digits; undefined where no check digit fits them. */
  toBban(digits: string): string | undefined
}

/** A number is made of at least this many digits. */
const digitsMin = 3

/** Why such a code names no bank, as the end of a sentence; undefined when it does. */
export function codeProblem({ country, prefix }: BankCode): string | undefined {
  const form = formOf(country)
  if (form.length === 0) return 'names a country that has no IBAN'
  const start = startOf(country)
  const least = lengthByCountry.get(country) ?? lengthMin
  const most = form.length - start - digitsMin
  if (prefix.length < least || prefix.length > most) {
    return `has to give ${least} to ${most} characters of the numbers of ${country}`
  }
  const isInForm = [...prefix].every((character, index) => form[start + index]?.test(character))
  return isInForm ? undefined : `has a character that numbers of ${country} do not have there`
}

/** Numbers that a bank code is tried with: all of three digits, repeated in longer ones. */
const trials = Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(3, '0'))

const known = new Map<string, Numbers | string>()

/** The numbers of a bank. Where they cannot be made, the reason, as the end of a sentence. */
export function numbersOf(bank: NumberedBank): Numbers | string {
  // Settings name few banks.
  const key = `${bank.country}/${bank.prefix}/${bank.check ?? ''}`
  const numbers = known.get(key) ?? findNumbers(bank)
  known.set(key, numbers)
  return numbers
}

function findNumbers(bank: NumberedBank): Numbers | string {
  const { country, prefix, check } = bank
  const problem = codeProblem(bank)
  if (problem !== undefined) return problem
  if (!lengthByCountry.has(country))
    return `names ${country}, whose check digits are not known here`
  const form = formOf(country)
  const start = startOf(country)
  const rule = country === 'DE' && check !== undefined ? germanMethods[check] : rules[country]
  const { places = [], fill = (bban: string) => bban } = rule ?? {}
  const checks = new Set(places.map((place) => (place + form.length) % form.length))
  const free = form
    .map((_, place) => place)
    .filter((place) => place >= start + prefix.length && !checks.has(place))
  function toBban(digits: string): string | undefined {
    const draft = Array.from({ length: form.length }, () => '0')
    for (const [index, character] of [...prefix].entries()) draft[start + index] = character
    for (const [index, place] of free.entries()) draft[place] = digits[index] ?? '0'
    return fill(draft.join(''))
  }
  // A first part that reaches into the check digits is lost there, or no number fits it.
  const made = trials
    .map((trial) => toBban(trial.repeat(Math.ceil(free.length / trial.length))))
    .filter((bban) => bban !== undefined)
  const isKept = made.length > 0 && made.every((bban) => bban.startsWith(prefix, start))
  if (!isKept || free.length === 0) return 'has a check digit that does not fit its numbers'
  return { length: free.length, toBban }
}

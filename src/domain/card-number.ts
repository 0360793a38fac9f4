// Card numbers (ISO/IEC 7812-1): their check digit, and whether a text holds one.
import { countrySpecs, isValidIBAN } from 'ibantools'
import { isPhone } from './phone.ts'

/**
 * The first six digits of this bank's cards. After a leading 9 comes the ISO 3166 code of a country
 * whose national body assigns the number (ISO/IEC 7812-1). No country has the code 999.
 */
export const issuer = '999900'

/** The check digit behind the digits of a card number: annex B, the Luhn formula. */
export function luhnCheckDigit(digits: string): number {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const value = digits.charCodeAt(digits.length - 1 - index) - 48
    const weighted = index % 2 === 0 ? value * 2 : value
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return (10 - (sum % 10)) % 10
}

const lengthMin = 13
const lengthMax = 19

/** How the numbers of card schemes begin, and their lengths: those of this bank, then of others. */
const schemes: readonly (readonly [start: RegExp, ...lengths: number[]])[] = [
  [new RegExp(`^${issuer}`), 13, 14, 15, 16, 17, 18, 19],
  // Visa
  [/^4/, 13, 16, 19],
  // Mastercard
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 16],
  // American Express
  [/^3[47]/, 15],
  // Diners Club, JCB
  [/^3(0[0-5]|095|[689]|52[89]|5[3-8])/, 14, 16, 19],
  // Discover, RuPay, UnionPay, Maestro, Mir
  [/^(6([0257]|4[4-9]|304|390)|81|5[0678]|220[0-4])/, 16, 17, 18, 19],
  // Troy
  [/^9792/, 16],
]

/** `schemes`: the numbers that a scheme issues; `any`: all that pass the formula. */
export type CardNumbers = 'any' | 'schemes'

/** Begins with 0 in no industry of cards (4.2). */
const isCardNumber = (digits: string, of: CardNumbers): boolean =>
  !digits.startsWith('0') &&
  luhnCheckDigit(digits.slice(0, -1)) === Number(digits.at(-1)) &&
  (of === 'any' ||
    schemes.some(([start, ...all]) => all.includes(digits.length) && start.test(digits)))

const digitOfAny = /^\p{Nd}$/u
const isDigit = (code: number): boolean => digitOfAny.test(String.fromCodePoint(code))

/** A digit of any script as 0 to 9: the digits of a script stand together, in tens. */
function toAscii(digit: string): string {
  const code = digit.codePointAt(0) as number
  let first = code
  while (isDigit(first - 1)) first--
  return String((code - first) % 10)
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** As they are written in letters: 2026-01-31 and 31.1.2026. */
const day = /(?<!\d)(?:(?:19|20)\d\d-\d\d-\d\d|\d\d?\.\d\d?\.(?:19|20)\d\d)(?!\d)/g
const ibanStart = /(?<![\p{L}\p{Nd}])[A-Z]{2}\d\d/giu
const phone = /(?<![\p{L}\p{Nd}])\+\d(?:[ .-]*\d){6,14}(?![ .-]*\d)/gu
const separators = /[ .-]/g

/** As long, and no part of a number. */
const blank = (text: string): string => '/'.repeat(text.length)

/** Without the IBANs in it, as they are printed or typed, that pass their check. */
function withoutIbans(text: string): string {
  for (const { index } of [...text.matchAll(ibanStart)].toReversed()) {
    const length = countrySpecs[text.slice(index, index + 2).toUpperCase()]?.chars ?? 0
    const [found = ''] =
      new RegExp(`^[A-Z]{2}(?:[ .-]*[A-Z0-9]){${Math.max(length - 2, 0)}}`, 'i').exec(
        text.slice(index),
      ) ?? []
    if (isValidIBAN(found.replace(separators, '').toUpperCase())) {
      text = text.slice(0, index) + blank(found) + text.slice(index + found.length)
    }
  }
  return text
}

/** One sign for each character of the text: its digits in ASCII, without what is no card number. */
function toPlain(characters: readonly string[]): string {
  const signs = characters.map((character) => {
    if (digitOfAny.test(character)) return toAscii(character)
    if (character.length === 1) return character
    return /^\p{L}$/u.test(character) ? 'x' : '/'
  })
  const plain = signs.join('').replace(uuid, blank).replace(day, blank)
  return withoutIbans(plain).replace(phone, (found) =>
    isPhone(found.replace(separators, '')) ? blank(found) : found,
  )
}

/** The places of the digits of each card number: whole groups of digits that follow each other. */
function* cardNumbersIn(characters: readonly string[], of: CardNumbers): Generator<number[]> {
  // Most texts have fewer digits.
  if (characters.filter((character) => digitOfAny.test(character)).length < lengthMin) return
  for (const { 0: run, index } of toPlain(characters).matchAll(/\d(?:[ .-]*\d)*/g)) {
    const digits = run.replace(separators, '')
    const places = Array.from(run.matchAll(/\d/g), ({ index: at }) => index + at)
    // Where a group ends, the next one begins: there is a separator, so a place is left out.
    const isEdge = (at: number): boolean => places[at] !== (places[at - 1] ?? -1) + 1
    for (let start = 0; start + lengthMin <= digits.length; start++) {
      if (start > 0 && !isEdge(start)) continue
      for (let end = start + lengthMin; end <= start + lengthMax && end <= digits.length; end++) {
        if (end < digits.length && !isEdge(end)) continue
        if (isCardNumber(digits.slice(start, end), of)) yield places.slice(start, end)
      }
    }
  }
}

/**
 * Whether the text holds a card number: 13 to 19 digits of any script that pass the Luhn formula
 * and do not begin with 0. Spaces, hyphens and dots between digits are ignored: the digits are
 * whole groups that follow each other, so that an expiry date behind the number hides nothing. An
 * identifier (UUID), a day, an IBAN and a telephone number with `+` are no part of one, if they are
 * valid.
 */
export const containsCardNumber = (text: string, of: CardNumbers = 'any'): boolean =>
  text.length >= lengthMin && cardNumbersIn(Array.from(text), of).next().done === false

/** The last digits of a card number may be shown (PCI DSS 3.4.1). */
const shownMax = 4

/** The text with a middle dot for each digit of a scheme's card number but the last four. */
export function maskCardNumbers(text: string): string {
  const characters = Array.from(text)
  const hidden = [...cardNumbersIn(characters, 'schemes')].flatMap((of) => of.slice(0, -shownMax))
  for (const place of hidden) characters[place] = '·'
  return characters.join('')
}

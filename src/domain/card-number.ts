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
  for (const [index, digit] of [...digits].toReversed().entries()) {
    const value = digit.charCodeAt(0) - 48
    const weighted = index % 2 === 0 ? value * 2 : value
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return (10 - (sum % 10)) % 10
}

const lengthMin = 13
const lengthMax = 19

/** Begins with 0 in no industry of cards (4.2). */
const isCardNumber = (digits: string, start: string): boolean =>
  digits.startsWith(start) &&
  digits.length >= lengthMin &&
  digits.length <= lengthMax &&
  !digits.startsWith('0') &&
  luhnCheckDigit(digits.slice(0, -1)) === Number(digits.at(-1))

const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code))

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

/** Without the IBANs in it, as they are printed or typed, that pass their check. */
function withoutIbans(text: string): string {
  for (const { index } of [...text.matchAll(ibanStart)].toReversed()) {
    const length = countrySpecs[text.slice(index, index + 2).toUpperCase()]?.chars ?? 0
    const [found = ''] =
      new RegExp(`^[A-Z]{2}(?:[ .-]*[A-Z0-9]){${Math.max(length - 2, 0)}}`, 'i').exec(
        text.slice(index),
      ) ?? []
    if (isValidIBAN(found.replace(separators, '').toUpperCase())) {
      text = `${text.slice(0, index)}/${text.slice(index + found.length)}`
    }
  }
  return text
}

/**
 * Whether the text holds a card number: 13 to 19 digits of any script that pass the Luhn formula
 * and do not begin with 0. Spaces, hyphens and dots between digits are ignored: the digits are
 * whole groups that follow each other, so that an expiry date behind the number hides nothing. An
 * identifier (UUID), a day, an IBAN and a telephone number with `+` are no part of one, if they are
 * valid.
 *
 * @param start the digits that the numbers begin with
 */
export function holdsCardNumber(text: string, start = ''): boolean {
  const plain = withoutIbans(
    text
      .replace(/\p{Nd}/gu, toAscii)
      .replace(uuid, '/')
      .replace(day, '/'),
  ).replace(phone, (found) => (isPhone(found.replace(separators, '')) ? '/' : found))
  return (plain.match(/\d(?:[ .-]*\d)*/g) ?? []).some((run) => holdsOne(run, start))
}

/** A group has a digit at least: no more of them are read than a number has digits. */
function holdsOne(run: string, start: string): boolean {
  const groups = run.split(/[ .-]+/)
  return groups.some((_, first) => {
    let digits = ''
    return groups
      .slice(first, first + lengthMax)
      .some((group) => isCardNumber((digits += group), start))
  })
}

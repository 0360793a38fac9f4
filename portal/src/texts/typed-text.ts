// What phones type and people paste, in the signs that the API takes.
import { optionalTextPattern, searchPattern } from '../../../src/domain/free-text.ts'

/** Signs that stand for another one, and that one. */
const standIns: readonly (readonly [RegExp, string])[] = [
  // Signs that show nothing (Default_Ignorable_Code_Point), but for the two that shape Persian and
  // Indic words: these stay between letters, and at the end as long as a letter may follow.
  [/(?![\u200c\u200d])\p{DI}/gu, ''],
  [/(?<!\p{L}\p{M}*)[\u200c\u200d]|[\u200c\u200d](?!\p{M}*\p{L}|$)/gu, ''],
  [/\s/g, ' '],
  [/[‘’‛′´`]/g, "'"],
  [/[\p{Pd}−]/gu, '-'],
  [/…/g, '...'],
]

/** `O’Brien – GmbH` → `O'Brien - GmbH`; a sign without a stand-in stays. */
export const toPlain = (typed: string): string =>
  standIns.reduce((text, [sign, other]) => text.replace(sign, other), typed)

/** The same in each line. */
export const toPlainLines = (typed: string): string => typed.split('\n').map(toPlain).join('\n')

/** `IBAN: de89-3704 …` → `DE893704…`, the electronic form of ISO 13616. */
export const toIban = (typed: string): string =>
  toPlain(typed)
    .replace(/^\s*IBAN\b:?/i, '')
    .replace(/[ -]/g, '')
    .toUpperCase()

/** Signs of the API's free text, of its search for people, and of an IBAN, each by itself. */
export const textSigns = new RegExp(optionalTextPattern, 'u')
export const searchSigns = new RegExp(searchPattern, 'u')
export const ibanSigns = /^[A-Z\d]$/

const joiner = /[\u200c\u200d]/

/**
 * The first sign of a text that is none of these, as it is shown, or as `U+E000` where it shows
 * nothing. Undefined: there is none.
 */
export function findUnfitSign(text: string, fit: RegExp): string | undefined {
  const sign = [...text].find((one) => !fit.test(one) && !joiner.test(one))
  if (sign === undefined || !/\p{C}/u.test(sign)) return sign
  return `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}

// Texts that other banks send, in the characters of free text: a credit must not bounce for a quote
// or an emoji in a name. What is mapped shows what it was, as banks do between character sets
// (EPC217-08); what has no likeness becomes a full stop.
import { containsCardNumber, maskCardNumbers } from './card-number.ts'
import { characterClass, joinerPattern } from './free-text.ts'

/** What each sign becomes, where NFKC has no likeness in the characters of free text. */
const likeness: Readonly<Record<string, string>> = {
  '"': "'",
  '`': "'",
  '´': "'",
  '‘': "'",
  '’': "'",
  '‚': "'",
  '“': "'",
  '”': "'",
  '„': "'",
  '«': "'",
  '»': "'",
  '‹': "'",
  '›': "'",
  '<': '(',
  '[': '(',
  '{': '(',
  '>': ')',
  ']': ')',
  '}': ')',
  _: '-',
  '~': '-',
  '=': '-',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  ';': ',',
  '!': '.',
  '*': '·',
  '•': '·',
  '|': '/',
  '\\': '/',
  '⁄': '/',
  '@': '(at)',
  '%': '(pct)',
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '^': '.',
}

const accepted = new RegExp(`^[${characterClass}]$`, 'u')
const spaceLike = /^[\p{Z}\p{Cc}]$/u
const invisible = /^\p{DI}$/u
const strayJoiner = new RegExp(`(?!${joinerPattern})[\\u200c\\u200d]`, 'gu')

function mapCharacter(character: string): string {
  if (character === '\u200c' || character === '\u200d') return character
  if (spaceLike.test(character)) return ' '
  if (invisible.test(character)) return ''
  if (accepted.test(character)) return character
  const known = likeness[character]
  if (known !== undefined) return known
  const compatible = character.normalize('NFKC')
  return compatible === character ? '.' : Array.from(compatible, mapCharacter).join('')
}

/** At the end of a text that was cut. */
const cutMark = '...'

/** The text in the characters of free text, at its length. */
export const toFreeText = (text: string): string =>
  Array.from(text.normalize('NFC'), mapCharacter)
    .join('')
    .replace(strayJoiner, '')
    .replace(/ +/g, ' ')
    .trim()

/**
 * The text as free text of at most `max` characters, without card numbers; a longer one is cut, and
 * ends in `...`. Empty when nothing of it can be seen.
 */
export function fromRail(text: string, max: number): string {
  const characters = Array.from(maskCardNumbers(toFreeText(text)))
  const cut =
    characters.length <= max
      ? characters.join('')
      : characters.slice(0, max - cutMark.length).join('') + cutMark
  // The joiner may have lost the letter behind it.
  const whole = cut.replace(strayJoiner, '')
  return /[^ \p{M}]/u.test(whole) ? whole : ''
}

/** The text as it came, without card numbers: mapped where one is written in other signs. */
export function asItCame(text: string): string {
  const masked = maskCardNumbers(text)
  const mapped = toFreeText(masked)
  return containsCardNumber(mapped, 'schemes') ? maskCardNumbers(mapped) : masked
}

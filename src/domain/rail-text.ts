// Texts that other banks send, in the characters of free text: a credit must not bounce for a quote
// or an emoji in a name. What is mapped shows what it was, as banks do between character sets
// (EPC217-08); what has no likeness becomes a full stop.
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

/**
 * The text as free text of at most `max` characters; a longer one is cut, and ends in `...`. Empty
 * when nothing of it can be seen.
 */
export function fromRail(text: string, max: number): string {
  const mapped = Array.from(text.normalize('NFC'), mapCharacter).join('')
  const characters = Array.from(mapped.replace(strayJoiner, '').replace(/ +/g, ' ').trim())
  const cut =
    characters.length <= max
      ? characters.join('')
      : characters.slice(0, max - cutMark.length).join('') + cutMark
  // The joiner may have lost the letter behind it.
  const whole = cut.replace(strayJoiner, '')
  return /[^ \p{M}]/u.test(whole) ? whole : ''
}

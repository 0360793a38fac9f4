// What a caller may mean by a text: a name in any order and with a wrong letter, a telephone
// number, the last digits of a card, an IBAN, an e-mail address or a user name.
import { foldName } from '../../domain/folding.ts'
import { fold } from '../../domain/usernames.ts'
import type { Look } from './find-sql.ts'

const iban = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/
const number = /^[+\d\s()/.-]+$/
const lastFour = /^\d{4}$/
/** With fewer a number is no telephone number. */
const phoneDigitsMin = 6
/** Shorter words are of a name whole and right alone, as the database keeps them. */
const longMin = 3
/** Beside others a shorter word is a whole one: too many begin with it. */
const begunMin = 4
/** More words find nobody that these do not, and take longer. */
const wordsMax = 6

const nothing: Look = {
  name: null,
  words: null,
  alike: null,
  beginning: null,
  phone: null,
  lastFour: null,
  iban: null,
}

/** A word of a `tsquery`: nothing in it is an operator. */
const quote = (word: string): string => `'${word.replace(/['\\]/g, (sign) => sign + sign)}'`

const lengthOf = (word: string): number => [...word].length
const exactly = (word: string): string => quote(word) + (lengthOf(word) < begunMin ? '' : ':*')

/**
 * The word, or one that differs by a letter: without it both are the same. Beside it letters may be
 * doubled or not: `Hofman` is `Hoffmann`, and the other way round.
 */
function nearly(word: string, said: string): string {
  if (lengthOf(word) < longMin) return said
  const letters = [...word]
  const shorter = letters.map((_, at) => letters.toSpliced(at, 1).join(''))
  const longer = letters.map((letter, at) => letters.toSpliced(at, 0, letter).join(''))
  const single = word.replace(/(.)\1+/gu, '$1')
  const tilded = [word, ...shorter, ...longer].map((text) => `~${text}`)
  return `(${[said, ...[...new Set([single, ...shorter, ...tilded])].map(quote)].join(' | ')})`
}

/** `030 231 25084`, `+49 (0)30 231 25084` and `0049…` → the digits of the number, backwards. */
function toPhone(text: string): string | null {
  const digits = text.replace('(0)', '').replace(/\D/g, '').replace(/^0+/, '')
  return digits.length < phoneDigitsMin ? null : [...digits].toReversed().join('')
}

/** Undefined: it has no word and no number. */
export function toLook(text: string): Look | undefined {
  const plain = text.normalize('NFKC').trim()
  const compact = plain
    .replace(/^IBAN\b:?/i, '')
    .replace(/[ -]/g, '')
    .toUpperCase()
  if (iban.test(compact)) return { ...nothing, iban: compact }
  if (plain.includes('@')) return { ...nothing, beginning: fold(plain) }
  if (number.test(plain) && !lastFour.test(plain)) {
    const phone = toPhone(plain)
    return phone === null ? undefined : { ...nothing, phone }
  }
  const said = foldName(plain).split(/[\s,]+/)
  const words = said.filter((word) => /[\p{L}\p{N}]/u.test(word) && !lastFour.test(word))
  const used = words.slice(0, wordsMax)
  const [only = '', ...more] = used
  const four = said.find((word) => lastFour.test(word)) ?? null
  if (only === '') return four === null ? undefined : { ...nothing, lastFour: four }
  if (more.length > 0 || four !== null) {
    const alike = used.map((word) => nearly(word, exactly(word)))
    return {
      ...nothing,
      words: used.map(exactly).join(' & '),
      alike: alike.join(' & '),
      lastFour: four,
    }
  }
  const beginning = said.length === 1 ? fold(plain) : null
  const alike = nearly(only, quote(only))
  return lengthOf(only) < longMin
    ? { ...nothing, words: quote(only), beginning }
    : { ...nothing, name: only, alike, beginning }
}

// Compares the name that a payer typed with that of the account's holder (Regulation (EU) 2024/886,
// Article 5c: match, close match, no match).
import { distance } from 'fastest-levenshtein'
import { foldText } from './folding.ts'

export const nameResults = ['match', 'close_match', 'no_match'] as const
export type NameResult = (typeof nameResults)[number]

/** What a check of a payee comes to. Not possible: the holder of the account is not known. */
export const checkResults = [...nameResults, 'not_possible'] as const
export type CheckResult = (typeof checkResults)[number]

/** Letters without their sign, and as they are written where a keyboard does not have them. */
const letters: Readonly<Record<string, readonly [plain: string, written: string]>> = {
  ä: ['a', 'ae'],
  ö: ['o', 'oe'],
  ü: ['u', 'ue'],
  å: ['a', 'aa'],
  ø: ['o', 'oe'],
  æ: ['ae', 'ae'],
  œ: ['oe', 'oe'],
  ł: ['l', 'l'],
  đ: ['d', 'dj'],
  ð: ['d', 'd'],
  þ: ['th', 'th'],
}
const special = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

/** A word in both readings: `müller` is `muller`, and `mueller` as well. */
type Word = readonly [plain: string, written: string]

const isSame = ([plain, written]: Word, other: Word): boolean =>
  other.includes(plain) || other.includes(written)

function toWords(name: string): Word[] {
  const text = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’ʼ`]/g, '')
  const read = (reading: 0 | 1) =>
    foldText(text.replace(special, (letter) => letters[letter]?.[reading] ?? letter))
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .filter((word) => word !== '')
  const written = read(1)
  return read(0).map((plain, index) => [plain, written[index] ?? plain])
}

/** Legal forms in the letters of their words alone, by what they are forms of. */
const forms: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'ab ad ag aktiengesellschaft=ag aps as asa bv corp corporation=corp doo eg ek eood eurl ev ' +
    'gbr gmbh gmbhcokg gmbhundcokg=gmbhcokg inc incorporated=inc kft kg kgaa limited=ltd llc llp ' +
    'ltd nv nyrt ohg ood oy oyj plc sa sarl sas sasu sci se sl slu snc spa spolsro=sro spzoo srl ' +
    'sro ug ughaftungsbeschrankt=ug vof zrt zs'
  )
    .split(' ')
    .map((entry) => {
      const [form = '', of = form] = entry.split('=')
      return [form, of]
    }),
)
/** `sp. z o. o.` */
const formWordsMax = 4

/** Without the legal form at the end, which is there as whole words: `s. r. o.`, never `…sro`. */
function takeForm(words: readonly Word[]): { base: readonly Word[]; form: string | undefined } {
  for (let count = Math.min(formWordsMax, words.length - 1); count > 0; count--) {
    const form = forms[join(words.slice(-count))]
    if (form !== undefined) return { base: words.slice(0, -count), form }
  }
  return { base: words, form: undefined }
}

const join = (words: readonly Word[]): string => words.map(([plain]) => plain).join('')

/** Scripts that write a name without spaces, so that its words are not told apart. */
const unspaced = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]+$/u

/** Whether the words, in an order of people's names, are the same without the spaces. */
function isJoined(words: readonly Word[], others: readonly Word[]): boolean {
  const typed = join(words)
  return others.some((_, first) => {
    return join([...others.slice(first), ...others.slice(0, first)]) === typed
  })
}

const isSameJoined = (words: readonly Word[], others: readonly Word[]): boolean =>
  (words.length === 1 && isJoined(words, others)) ||
  (others.length === 1 && isJoined(others, words))

/** The words of each that the other does not have, in any order. */
function unpaired(words: readonly Word[], others: readonly Word[]): [Word[], Word[]] {
  const left = [...others]
  const own = words.filter((word) => {
    const at = left.findIndex((other) => isSame(word, other))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return [own, left]
}

/** The shortest word in which one typo is still no other name. */
const longWord = 5

/** One letter more, less or another, or two neighbours changed places. */
function isTypo(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < longWord) return false
  if (distance(one, other) === 1) return true
  const at = [...one].findIndex((letter, index) => letter !== other[index])
  const swapped = one.slice(0, at) + one.charAt(at + 1) + one.charAt(at) + one.slice(at + 2)
  return swapped === other
}

const isInitial = ([one]: Word, [other]: Word): boolean =>
  Math.min(one.length, other.length) === 1 && one[0] === other[0]

const isTypoOf = (word: Word, other: Word): boolean =>
  word.some((one) => other.some((another) => isTypo(one, another)))

/** So many words of a name may differ, each by a typo or as an initial, or be typed in addition. */
const differentMax = 3

/**
 * How many pairs are typos, if each word stands for one of the others; else undefined. No initial
 * stands for the family name: with a given name alone it would be told after 26 guesses.
 */
function countTypos(
  [word, ...rest]: readonly Word[],
  others: readonly Word[],
  family: Word | undefined,
): number | undefined {
  if (word === undefined) return 0
  for (const [index, other] of others.entries()) {
    const typo = isTypoOf(word, other)
    if (!typo && (other === family || !isInitial(word, other))) continue
    const typos = countTypos(rest, others.toSpliced(index, 1), family)
    if (typos !== undefined) return typos + Number(typo)
  }
  return undefined
}

/**
 * Accents, case, the order of the words and legal forms written in another way do not count, nor do
 * the spaces in a name of Chinese, Japanese or Korean letters.
 * `close_match`: another legal form; or a typo in a long word, an initial of a given name, further
 * names left out, a few more names, or other gaps between the words.
 */
export function compareNames(typed: string, holder: string): NameResult {
  const [words, others] = [toWords(typed), toWords(holder)]
  if (words.length === 0 || others.length === 0) return 'no_match'
  if (unpaired(words, others).flat().length === 0) return 'match'
  if (unspaced.test(join(words)) && isSameJoined(words, others)) return 'match'
  const [one, other] = [takeForm(words), takeForm(others)]
  const [left, right] = unpaired(one.base, other.base)
  if (left.length + right.length === 0) return one.form === other.form ? 'match' : 'close_match'
  return one.form === other.form && isClose(one.base, other.base, left, right)
    ? 'close_match'
    : 'no_match'
}

function isClose(
  words: readonly Word[],
  others: readonly Word[],
  left: readonly Word[],
  right: readonly Word[],
): boolean {
  if (join(words) === join(others) || isSameJoined(words, others)) return true
  const sameCount = words.length - left.length
  // Two names agree: what is left out is a further one, or a title. A list of names is no name:
  // each of its pairs would be a guess.
  if (left.length === 0 || right.length === 0) return sameCount >= 2 && left.length <= differentMax
  if (left.length !== right.length || left.length > differentMax) return false
  const typos = countTypos(left, right, others.at(-1))
  // Initials alone are guessed too easily.
  return typos !== undefined && sameCount + typos > 0
}

// Fonts of a PDF by the characters that they have. The first one, for Latin, Greek and Cyrillic, is
// in the repository. The others are npm packages of one script each, cut into files by range of
// characters. A file is read when a text needs it.
import { readFileSync } from 'node:fs'
import { create, type Font } from 'fontkit'
import type { Steps } from './pace.ts'
import { keepShapedWords, quickenLayout, type ToCells } from './shaping.ts'
import { unpackWoff } from './woff.ts'

export type Weight = 'regular' | 'bold'
/**
 * A font with a name of its own in the document. A simple one is drawn letter by letter: the first
 * font, and those of Chinese, Japanese and Korean.
 */
export type Face = {
  name: string
  font: Font
  isFirst: boolean
  isSimple: boolean
  /** How a text is drawn; undefined for a simple one. */
  toCells: ToCells | undefined
  /** What is known of the graphemes that it has, and of their widths in thousandths. */
  has: Map<string, boolean>
  widths: Map<string, number>
}

const firstFiles = { regular: 'NotoSans-Regular.ttf', bold: 'NotoSans-SemiBold.ttf' } as const
const weightNumbers = { regular: 400, bold: 600 } as const

/** In the order in which they are asked; for Chinese characters see `orderScripts`. */
const scripts = [
  'hebrew',
  'arabic',
  'thai',
  'devanagari',
  'armenian',
  'georgian',
  'sc',
  'jp',
  'kr',
] as const
export type Script = (typeof scripts)[number]

const simple: readonly string[] = ['sc', 'jp', 'kr']

/** The order for a text: Chinese characters have the form of the language of the other letters. */
export function orderScripts(text: string): readonly Script[] {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return ['jp', ...scripts]
  return /\p{sc=Hangul}/u.test(text) ? ['kr', ...scripts] : scripts
}

/** A range of characters and the file that has them. */
type Range = { first: number; last: number; file: string }
const rangesOf = new Map<Script, Range[]>()

/** The ranges of a script in their order, without those of characters that the first font has. */
function readRanges(script: Script): Range[] {
  const known = rangesOf.get(script)
  if (known) return known
  const home = `@fontsource/noto-sans-${script}`
  const text = readFileSync(new URL(import.meta.resolve(`${home}/unicode.json`)), 'utf8')
  const ranges = Object.entries(JSON.parse(text) as Record<string, string>)
    .filter(([name]) => name === script || name.startsWith('['))
    .flatMap(([name, list]) => {
      const file = `${home}/files/noto-sans-${script}-${name.replaceAll(/[[\]]/g, '')}`
      return list.split(',').map((range): Range => {
        const [first = '', last = first] = range.slice(2).split('-')
        return { first: Number.parseInt(first, 16), last: Number.parseInt(last, 16), file }
      })
    })
    .toSorted((a, b) => a.first - b.first)
  rangesOf.set(script, ranges)
  return ranges
}

/** The file of a script for a character, by binary search. */
function findFile(script: Script, codePoint: number): string | undefined {
  const ranges = readRanges(script)
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle] as Range).first <= codePoint) low = middle + 1
    else high = middle
  }
  const range = ranges[low - 1]
  return range && codePoint <= range.last ? range.file : undefined
}

const readPart = (file: string, weight: Weight): Buffer => {
  const url = import.meta.resolve(`${file}-${weightNumbers[weight]}-normal.woff`)
  return unpackWoff(readFileSync(new URL(url)))
}

/** The text has only characters that the first font is known to have. */
export const isPlain = (text: string): boolean => /^[ -~]*$/.test(text)

/** No font shows them, and some would change what the reader sees of the text around them. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u
/** Signs that change the form of the letters beside them, and have none of their own. */
export const joiner = /[\u200c\u200d]/

/** The fonts of one document. They are released with it. */
export function openFaces() {
  const opened = new Map<string, Face>()
  const words = keepShapedWords()
  function open(name: string, script: Script | undefined, read: () => Buffer): Face {
    const known = opened.get(name)
    if (known) return known
    const isFirst = script === undefined
    const isSimple = isFirst || simple.includes(script)
    const font = create(read()) as Font
    const toCells = isFirst ? undefined : quickenLayout(font, name, isSimple, words)
    const face = { name, font, isFirst, isSimple, toCells, has: new Map(), widths: new Map() }
    opened.set(name, face)
    return face
  }

  const firstFace = (weight: Weight): Face =>
    open(weight, undefined, () =>
      readFileSync(new URL(`./fonts/${firstFiles[weight]}`, import.meta.url)),
    )

  function* candidates(codePoint: number, weight: Weight, order: readonly Script[]) {
    yield firstFace(weight)
    for (const script of order) {
      const file = findFile(script, codePoint)
      if (file) yield open(`${file} ${weight}`, script, () => readPart(file, weight))
    }
  }

  const found = new Map<string, Face | null>()
  const keyOf = (grapheme: string, weight: Weight, order: readonly Script[]) =>
    `${order[0]} ${weight} ${grapheme}`

  return {
    firstFace,
    /** Opens the fonts for a text, with a step for each new character: a file takes about 2 ms. */
    *prepare(text: string, weight: Weight): Steps<void> {
      if (isPlain(text)) return
      const order = orderScripts(text)
      for (const character of text) {
        if (found.has(keyOf(character, weight, order))) continue
        this.find(character, weight, order)
        yield
      }
    },
    /** The face that has all of a grapheme: the `current` one, or the first in `order`. */
    find(
      grapheme: string,
      weight: Weight,
      order: readonly Script[],
      current?: Face,
    ): Face | undefined {
      if (current && hasAll(current, grapheme)) return current
      const key = keyOf(grapheme, weight, order)
      let face = found.get(key)
      if (face === undefined) {
        const faces = candidates(grapheme.codePointAt(0) as number, weight, order)
        face = faces.find((candidate) => hasAll(candidate, grapheme)) ?? null
        found.set(key, face)
      }
      return face ?? undefined
    },
  }
}

function hasAll({ font, has }: Face, grapheme: string): boolean {
  let known = has.get(grapheme)
  if (known === undefined) {
    known = Array.from(grapheme).every(
      (character) =>
        (joiner.test(character) || !unprintable.test(character)) &&
        font.hasGlyphForCodePoint(character.codePointAt(0) as number),
    )
    has.set(grapheme, known)
  }
  return known
}

export type Faces = ReturnType<typeof openFaces>

// Text as it is drawn: pieces of one font and one direction, from left to right (Unicode Standard
// Annex 9). Letters that join, and marks, stay together with theirs.
import bidiModule from 'bidi-js'
import type { Direction } from './composed-glyphs.ts'
import { type Face, type Faces, isPlain, joiner, orderScripts, type Weight } from './faces.ts'
import type { ShapedText } from './shaping.ts'

// Its types are those of a module with a default export, which Node does not see.
const bidi = (bidiModule as unknown as typeof bidiModule.default)()
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
export const splitGraphemes = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment)

/** Letters, and digits, of scripts from right to left. */
export const readsFromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const ofRightToLeftScript = /[\p{sc=Hebrew}\p{sc=Arabic}]/u

/** The direction of a paragraph: that of its first letter. */
export function readDirection(text: string): Direction {
  if (!readsFromRight.test(text)) return 'ltr'
  return bidi.getEmbeddingLevels(text).paragraphs[0]?.level === 1 ? 'rtl' : 'ltr'
}

/** `width` is in thousandths of the size, `place` that of the run in the order of reading. */
export type Run = ShapedText & { face: Face; width: number; place: number }
type Piece = { text: string; face: Face | undefined }
type Found = { text: string; face: Face }

/** Graphemes with their fonts; one that no font has as a whole is divided into characters. */
function* split(text: string, weight: Weight, { find }: Faces): Generator<Piece> {
  const order = orderScripts(text)
  let current: Face | undefined
  for (const { segment } of graphemes.segment(text)) {
    const whole = find(segment, weight, order, current)
    for (const part of whole ? [segment] : segment) {
      const face = whole ?? (joiner.test(part) ? undefined : find(part, weight, order, current))
      yield { text: part, face }
      current = face
    }
  }
}

const toNumber = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`

/** The pieces with `U+XXXX`, between spaces, in place of each character that no font has. */
function* replaceMissing(pieces: Iterable<Piece>, first: Face): Generator<Found> {
  let last = ''
  let wasNumber = false
  for (const { text, face } of pieces) {
    const isNumber = face === undefined
    const isJoined = /\S$/.test(last) && /^\S/.test(text)
    if (isJoined && (isNumber || wasNumber)) yield { text: ' ', face: first }
    yield isNumber ? { text: toNumber(text), face: first } : { text, face }
    last = text
    wasNumber = isNumber
  }
}

/**
 * Thai writes the ring of sara am below a tone mark that is typed before it. OpenType leaves
 * the order to the shaper, and fontkit has none for Thai.
 */
const toShaped = (grapheme: string): string =>
  grapheme.replace(/([\u0e34-\u0e37\u0e47-\u0e4e]+)\u0e33/, '\u0e4d$1\u0e32')

/** `pieces` as they are shown, `written` as they were. */
type LevelRun = { pieces: string[]; written: string; face: Face; level: number; place: number }

const isReverse = (level: number): boolean => level % 2 === 1

/** Whether a piece is drawn with those before it: simple letters would be read in reverse. */
const isContinued = (last: LevelRun, face: Face, level: number): boolean =>
  last.face === face && last.level === level && !(face.isSimple && isReverse(level))

/**
 * The runs of one line of text, from left to right. `direction` is that of its paragraph, by
 * default that of its first letter.
 */
export function toRuns(
  text: string,
  weight: Weight,
  faces: Faces,
  direction?: Direction,
): { runs: Run[]; isReplaced: boolean } {
  const first = faces.firstFace(weight)
  if (isPlain(text)) return { runs: [toFirst(text, first, 0)], isReplaced: false }
  const normal = text.toWellFormed().normalize('NFC')
  const pieces = [...replaceMissing(split(normal, weight, faces), first)]
  const printable = pieces.map((piece) => piece.text).join('')
  const base = direction ?? readDirection(printable)
  const hasLevels = base === 'rtl' || readsFromRight.test(printable)
  const embedding = hasLevels ? bidi.getEmbeddingLevels(printable, base) : undefined
  const mirrored = embedding && bidi.getMirroredCharactersMap(printable, embedding.levels)
  const runs: LevelRun[] = []
  let start = 0
  for (const { text: part, face } of pieces) {
    const level = embedding?.levels[start] ?? 0
    const shown = mirrored?.get(start) ?? toShaped(part)
    const last = runs.at(-1)
    if (last && isContinued(last, face, level)) {
      last.pieces.push(shown)
      last.written += part
    } else runs.push({ pieces: [shown], written: part, face, level, place: runs.length })
    start += part.length
  }
  let isReplaced = printable !== normal
  const shaped = toVisualOrder(runs).map((run) => {
    const width = measureShaped(run)
    const { written, place, level } = run
    const direction: Direction = isReverse(level) ? 'rtl' : 'ltr'
    if (width !== undefined) return { ...toText(run), written, direction, place, width }
    isReplaced = true
    const numbers = run.pieces.flatMap((piece) => Array.from(piece, toNumber)).join(' ')
    return toFirst(numbers, first, place)
  })
  return { runs: shaped, isReplaced }
}

/** A run of the first font, in which each character has its own glyph. */
const toFirst = (text: string, face: Face, place: number): Run => ({
  text,
  written: text,
  direction: 'ltr',
  face,
  width: measureSimple(text, face),
  place,
})

/** Letters of a simple face have no ligatures and no kerning. */
function measureSimple(text: string, { font, widths }: Face): number {
  let sum = 0
  for (const character of text) {
    let width = widths.get(character)
    if (width === undefined) {
      const { advanceWidth } = font.glyphForCodePoint(character.codePointAt(0) as number)
      width = (advanceWidth * 1000) / font.unitsPerEm
      widths.set(character, width)
    }
    sum += width
  }
  return sum
}

/** Undefined for letters that fontkit fails on: it misses anchors of some Arabic ones. */
function measureShaped(run: LevelRun): number | undefined {
  const { text, face } = toText(run)
  if (face.isSimple) return measureSimple(text, face)
  try {
    return (face.font.layout(text, []).advanceWidth * 1000) / face.font.unitsPerEm
  } catch {
    return undefined
  }
}

function toText({ pieces, face, level }: LevelRun): Found {
  // fontkit writes a run from right to left by its script, not by its level.
  const isReversed = ofRightToLeftScript.test(pieces.join('')) !== isReverse(level)
  return { text: (isReversed ? pieces.toReversed() : pieces).join(''), face }
}

/** Reverses each sequence of runs from the highest level down to the lowest odd one (rule L2). */
function toVisualOrder(runs: LevelRun[]): LevelRun[] {
  let ordered = runs
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) {
    const next: LevelRun[] = []
    let reversed: LevelRun[] = []
    for (const run of ordered) {
      if (run.level >= level) {
        reversed.unshift(run)
        continue
      }
      next.push(...reversed, run)
      reversed = []
    }
    ordered = [...next, ...reversed]
  }
  return ordered
}

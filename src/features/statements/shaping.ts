// Glyphs of a text and their places. pdfkit asks a font three times for those of each text that it
// draws, and fontkit takes about 0.02 ms a letter to join and place them: words are kept.
import type { Font, Glyph, GlyphPosition, GlyphRun } from 'fontkit'
import { BoundedCache } from '../../domain/bounded-cache.ts'

type Shaped = Pick<GlyphRun, 'glyphs' | 'positions' | 'script' | 'direction'>
/** The shaped words of a document by font and text. */
export type ShapedWords = ReturnType<typeof keepShapedWords>

/** A glyph's place takes about 80 bytes, so the words of a document at most 1.6 MB. */
const placeBytes = 80
const bytesMax = 20_000 * placeBytes

/** One place more for the word itself. */
export const keepShapedWords = () =>
  new BoundedCache<string, Shaped>(
    bytesMax,
    (_, { positions }) => (positions.length + 1) * placeBytes,
  )

const toPlace = (xAdvance: number): GlyphPosition => ({
  xAdvance,
  yAdvance: 0,
  xOffset: 0,
  yOffset: 0,
})

/** fontkit reads the advance width from the font each time. */
const sumAdvances = (positions: readonly GlyphPosition[]): number =>
  positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)

/** Without marks and letters of Hangul, which join the letter before them. */
const separate = /^[^\p{M}\p{C}\p{Zl}\p{Zp}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]*$/u

/** In a simple font each character has its own glyph. */
function layOutSeparately(font: Font, text: string): Shaped {
  const glyphs = Array.from(text, (character) =>
    font.glyphForCodePoint(character.codePointAt(0) as number),
  )
  const positions = glyphs.map(({ advanceWidth }) => toPlace(advanceWidth))
  return { glyphs, positions, script: 'latn', direction: 'ltr' }
}

/** Words beside each other as fontkit sets them, or undefined where it depends on their text. */
function joinWords(font: Font, words: readonly Shaped[]): Shaped | undefined {
  const [first] = words
  if (!first || words.some(({ script }) => script !== first.script)) return undefined
  const space = font.glyphForCodePoint(0x20)
  const glyphs: Glyph[] = []
  const positions: GlyphPosition[] = []
  const ordered = first.direction === 'rtl' ? words.toReversed() : words
  for (const [index, word] of ordered.entries()) {
    if (index > 0) {
      glyphs.push(space)
      positions.push(toPlace(space.advanceWidth))
    }
    glyphs.push(...word.glyphs)
    positions.push(...word.positions)
  }
  return { ...first, glyphs, positions }
}

/**
 * Gives a font a quicker `layout` with the same results. Long texts in Devanagari take 12 % of the
 * time of the whole document, in Arabic 50 %, in Chinese 74 %. The first font is slower with it.
 */
export function quickenLayout(
  font: Font,
  name: string,
  isSimple: boolean,
  kept: ShapedWords,
): void {
  const shape = font.layout.bind(font)
  function layOut(text: string, features: Parameters<Font['layout']>[1]): Shaped {
    if (isSimple) return separate.test(text) ? layOutSeparately(font, text) : shape(text, features)
    const keep = (part: string): Shaped => {
      const key = `${name} ${part}`
      const known = kept.get(key)
      if (known) return known
      const shaped = shape(part, features)
      kept.set(key, shaped)
      return shaped
    }
    const parts = text.split(' ')
    const words = parts.every((part) => /^[^\s\p{M}\p{C}]/u.test(part)) ? parts.map(keep) : []
    return joinWords(font, words) ?? keep(text)
  }
  font.layout = (text, features) => {
    const { positions, ...run } = layOut(text, features)
    // pdfkit multiplies what it is given.
    const own = positions.map((position) => ({ ...position }))
    return { ...run, positions: own, advanceWidth: sumAdvances(own) } as unknown as GlyphRun
  }
}

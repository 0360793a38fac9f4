// Glyphs that are read as a word was written. Programs that take the text of a PDF read one
// character for each glyph, in the order in which glyphs are drawn; few of them know more. A shaped
// word has its letters in another order (Devanagari), from right to left (Arabic, Hebrew), or in
// parts that are no characters. So its width is divided into a cell for each character: the first
// one's glyph is composed of all letters of the word, those of the others are empty or hidden.
import type { Font, Glyph, GlyphPosition, GlyphRun, Subset } from 'fontkit'

export type Direction = 'ltr' | 'rtl'

/** What pdfkit uses of a glyph. */
type DrawnGlyph = Pick<Glyph, 'id' | 'advanceWidth' | 'codePoints'>
export type Shaped = Pick<GlyphRun, 'script' | 'direction'> & {
  glyphs: readonly DrawnGlyph[]
  positions: readonly GlyphPosition[]
}

/** In units of the font, as all that follows. */
type Component = { id: number; x: number; y: number }
type ComposedGlyph = DrawnGlyph & { components: readonly Component[] }
/**
 * A glyph of a text, in the order of reading: `left` is from the left edge of the text. A hidden
 * one is drawn by no program, and read by all.
 */
export type Cell = { glyph: DrawnGlyph; position: GlyphPosition; left: number; isHidden?: boolean }

/**
 * Above those of every font. A font in a PDF has up to 65,535 glyphs, more than words: a PDF has at
 * most 100,000 letters that are shaped (`pdf-size.ts`), and few words have one letter.
 */
const firstComposedId = 0x10000
/** The place of a component is a 16-bit number. */
const placeMax = 0x7fff
/**
 * Widths of glyphs are multiples of this, for a font has 65,535: those that draw nothing serve many
 * words. They are no less than their cells: programs read a gap as a space.
 */
const widthStep = 20

export const toPlace = (xAdvance: number): GlyphPosition => ({
  xAdvance,
  yAdvance: 0,
  xOffset: 0,
  yOffset: 0,
})

export const widthOf = ({ positions }: Shaped): number =>
  positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)

/** The glyphs of a text as they stand, from left to right. */
export function toCells({ glyphs, positions }: Shaped): Cell[] {
  let left = 0
  return glyphs.map(({ id, advanceWidth, codePoints }, at) => {
    const position = positions[at] as GlyphPosition
    // Programs fail on a glyph without any text: a part of a letter is a space of no width.
    const known = codePoints.length === 0 ? [0x200b] : codePoints
    const cell = { glyph: { id, advanceWidth, codePoints: known }, position, left }
    left += position.xAdvance
    return cell
  })
}

/** Composes glyphs of one font, and has them written into the subset of it that a PDF holds. */
export function openComposer(font: Font) {
  const composed: ComposedGlyph[] = []
  const known = new Map<string, ComposedGlyph>()
  /** What the glyph of a letter stands for, once it is drawn by itself. */
  const letters = new Map<number, string>()
  const createSubset = font.createSubset.bind(font)
  font.createSubset = () =>
    withComposed(createSubset() as unknown as TrueTypeSubset, font, composed)

  function toGlyph(key: string, make: () => Omit<ComposedGlyph, 'id'>): ComposedGlyph {
    const found = known.get(key)
    if (found) return found
    const glyph = { id: firstComposedId + composed.length, ...make() }
    composed.push(glyph)
    known.set(key, glyph)
    return glyph
  }

  /** Whether the glyphs, as they stand, are read as the text: a PDF has one text for each. */
  function isReadable({ glyphs }: Shaped, written: string): boolean {
    const texts = glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints))
    if (texts.some((text) => Array.from(text).length !== 1)) return false
    if (texts.join('') !== written) return false
    if (glyphs.some(({ id }, at) => (letters.get(id) ?? texts[at]) !== texts[at])) return false
    for (const [at, { id }] of glyphs.entries()) letters.set(id, texts[at] as string)
    return true
  }

  /**
   * The cells of a word, in the order of reading.
   *
   * @param text as fontkit takes it
   */
  return function compose(
    text: string,
    shaped: Shaped,
    { written, direction }: { written: string; direction: Direction },
  ): Cell[] {
    if (direction === 'ltr' && isReadable(shaped, written)) return toCells(shaped)
    const characters = Array.from(written)
    const whole = widthOf(shaped)
    // Wider than a line of any document.
    if (whole > placeMax) return toCells(shaped)
    const width = whole / characters.length
    const advanceWidth = Math.max(1, Math.ceil(width / widthStep)) * widthStep
    return characters.map((character, at) => {
      const left = direction === 'ltr' ? at * width : whole - (at + 1) * width
      const codePoint = character.codePointAt(0) as number
      const about = { advanceWidth, codePoints: [codePoint] }
      const isHidden = at > 0 && direction === 'rtl'
      const key = at === 0 ? `${text} ${written}` : `${advanceWidth} ${character}`
      const glyph = toGlyph(`${direction} ${key}`, () => {
        if (at === 0) return { ...about, components: toComponents(shaped, left) }
        // Chromium reads no text of which each glyph is empty.
        const { id } = font.glyphForCodePoint(codePoint)
        return { ...about, components: isHidden ? [{ id, x: 0, y: 0 }] : [] }
      })
      return { glyph, position: toPlace(width), left, isHidden }
    })
  }
}

function toComponents({ glyphs, positions }: Shaped, origin: number): Component[] {
  let left = -origin
  return glyphs.map(({ id }, index) => {
    const { xAdvance, xOffset, yOffset } = positions[index] as GlyphPosition
    const component = { id, x: Math.round(left + xOffset), y: Math.round(yOffset) }
    left += xAdvance
    return component
  })
}

/** What fontkit's types leave out. */
type TrueTypeSubset = {
  font: Font
  includeGlyph(id: number): number
  _addGlyph(id: number): number
  offset: number
  glyf: Uint8Array[]
  loca: { version: number; offsets: number[] }
  hmtx: { metrics: { advance: number; bearing: number }[] }
}
type MaximumProfile = Record<`maxComponent${'Elements' | 'Depth' | 'Points' | 'Contours'}`, number>

const uint16Max = 0xffff

function withComposed(
  subset: TrueTypeSubset,
  font: Font,
  composed: readonly ComposedGlyph[],
): Subset {
  const addGlyph = subset._addGlyph.bind(subset)
  let longest = 0
  subset._addGlyph = (id) => {
    const glyph = composed[id - firstComposedId]
    if (!glyph) return addGlyph(id)
    longest = Math.max(longest, glyph.components.length)
    const { bytes, left } = encodeComposed(font, glyph, subset)
    subset.glyf.push(bytes)
    // Offsets of 32 bits, which are written after all glyphs: those of 16 bits end at 128 KB.
    subset.loca.version = 1
    subset.loca.offsets.push(subset.offset)
    subset.offset += bytes.length
    subset.hmtx.metrics.push({ advance: glyph.advanceWidth, bearing: left })
    return subset.glyf.length - 1
  }
  const { maxp } = font as Font & {
    maxp: MaximumProfile & { maxPoints: number; maxContours: number }
  }
  const atMost = (each: number): number => Math.min(uint16Max, each * longest)
  // Read after all glyphs, too.
  const toProfile = (): MaximumProfile => ({
    ...maxp,
    maxComponentElements: Math.max(maxp.maxComponentElements, longest),
    maxComponentDepth: maxp.maxComponentDepth + 1,
    maxComponentPoints: Math.max(maxp.maxComponentPoints, atMost(maxp.maxPoints)),
    maxComponentContours: Math.max(maxp.maxComponentContours, atMost(maxp.maxContours)),
  })
  subset.font = Object.create(font, { maxp: { get: toProfile } }) as Font
  return subset as unknown as Subset
}

/** Flags of a component (OpenType, glyf): its place is two 16-bit numbers, and another follows. */
const hasWords = 0x0003
const moreFollow = 0x0020
const headLength = 10
const componentLength = 8

const inRange = (place: number): number => Math.max(-placeMax, Math.min(placeMax, place))

/** A composite glyph of TrueType, and its left edge. */
function encodeComposed(
  font: Font,
  { components }: ComposedGlyph,
  subset: TrueTypeSubset,
): { bytes: Uint8Array; left: number } {
  const visible = components.flatMap((component) => {
    const { path, bbox } = font.getGlyph(component.id)
    return path.commands.length === 0 ? [] : { ...component, bbox }
  })
  if (visible.length === 0) return { bytes: new Uint8Array(), left: 0 }
  const bytes = Buffer.alloc(headLength + visible.length * componentLength)
  const edges = [
    Math.floor(Math.min(...visible.map(({ x, bbox }) => x + bbox.minX))),
    Math.floor(Math.min(...visible.map(({ y, bbox }) => y + bbox.minY))),
    Math.ceil(Math.max(...visible.map(({ x, bbox }) => x + bbox.maxX))),
    Math.ceil(Math.max(...visible.map(({ y, bbox }) => y + bbox.maxY))),
  ].map(inRange)
  for (const [at, value] of [-1, ...edges].entries()) bytes.writeInt16BE(value, at * 2)
  for (const [at, { id, x, y }] of visible.entries()) {
    const offset = headLength + at * componentLength
    const isLast = at === visible.length - 1
    bytes.writeUInt16BE(isLast ? hasWords : hasWords | moreFollow, offset)
    bytes.writeUInt16BE(subset.includeGlyph(id), offset + 2)
    bytes.writeInt16BE(inRange(x), offset + 4)
    bytes.writeInt16BE(inRange(y), offset + 6)
  }
  return { bytes, left: edges[0] as number }
}

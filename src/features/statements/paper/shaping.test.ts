// The quicker layout of texts gives what fontkit gives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/random.ts'
import type { Font, GlyphPosition, GlyphRun } from 'fontkit'
import { type Face, openFaces } from './faces.ts'
import { toRuns } from './runs.ts'
import { keepShapedWords } from './shaping.ts'

const faces = openFaces()

/** What pdfkit uses of a layout. */
const toUsed = ({ glyphs, positions, advanceWidth }: GlyphRun) => ({
  advanceWidth,
  glyphs: glyphs.map(({ id }) => id),
  places: positions.map(({ xAdvance, xOffset, yOffset }) => [xAdvance, xOffset, yOffset]),
})

/** What pdfkit is told: a simple font is drawn without kerning. */
const featuresOf = ({ isSimple }: Face) => (isSimple ? { kern: false } : []) as []

/** The same font with the layout of its class. */
const layOutSlowly = (face: Face, text: string): GlyphRun =>
  (Object.getPrototypeOf(face.font) as Font).layout.call(face.font, text, featuresOf(face))

function assertSame(text: string): void {
  for (const { face, text: part } of toRuns(text, 'regular', faces).runs) {
    const wanted = toUsed(layOutSlowly(face, part))
    // The second time it is kept, and what was done to the first does not matter.
    for (let turn = 0; turn < 2; turn++) {
      const run = face.font.layout(part, featuresOf(face))
      assert.deepEqual(toUsed(run), wanted, JSON.stringify(part))
      for (const position of run.positions) position.xAdvance *= 2
    }
  }
}

const alphabets: [script: string, alphabet: string][] = [
  ['Hebrew', 'אבגדהוּ ָ ִ (1)'],
  ['Arabic', 'ابتثجحلآلله محمدکَُّ١٢ (-) ـ\u200c'],
  ['Thai', 'กขนสมชาย ้ำ ี 12'],
  ['Devanagari', 'कखरक्षत्रिय श्रीमती ्र ि १'],
  ['Armenian', 'Արմենև ֆի'],
  ['Georgian', 'გიორგი ა'],
  ['Chinese', '王伟直角。，々 〇'],
  ['Japanese', '山田カタガﾊﾟ゙ー 、'],
  ['Korean', '김철수ᄀ\u1161\u11a8'],
]
for (const [script, alphabet] of alphabets) {
  test(`texts in ${script} letters are laid out quicker as fontkit lays them out`, () => {
    assertSame(alphabet)
    const unit = fc.constantFrom(...alphabet)
    fc.assert(fc.property(fc.string({ unit, maxLength: 24 }), assertSame), { numRuns: 300 })
  })
}

test('a space in Korean is drawn as wide as it is measured', () => {
  const [run] = toRuns('김 철수', 'regular', faces).runs
  assert.ok(run)
  const { font } = run.face
  const { advanceWidth } = font.layout(run.text, [])
  assert.equal((advanceWidth * 1000) / font.unitsPerEm, run.width)
})

test('the kept words of a document are bounded', () => {
  const words = keepShapedWords()
  for (let word = 0; word < 100; word++) {
    const positions = Array.from({ length: 999 }, () => ({}) as GlyphPosition)
    words.set(`${word}`, { glyphs: [], positions, script: 'arab', direction: 'rtl' })
  }
  assert.equal(words.bytes, 1_600_000)
})

// Which fonts a text needs, and in which order its letters are drawn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { fc } from '../../../../test/support/random.ts'
import { openFaces } from './faces.ts'
import { openPaper } from './paper.ts'
import { textStyles } from '../pdf-style.ts'
import { readDirection, toRuns } from './runs.ts'

const faces = openFaces()
const drawn = (text: string) => toRuns(text, 'regular', faces)
const scriptOf = ({ name }: { name: string }) => /noto-sans-(\w+)\//.exec(name)?.[1] ?? 'first'
const scriptsOf = (text: string) => [...new Set(drawn(text).runs.map(({ face }) => scriptOf(face)))]

const samples: [script: string, text: string][] = [
  ['first', 'Łódź Ελένη Ольга Nguyễn ɔ̃'],
  ['hebrew', 'שלום עולם'],
  ['hebrew', 'דָּוִד'],
  ['arabic', 'محمد عبد الله'],
  ['arabic', 'کتاب\u200cها'],
  ['thai', 'สมชาย น้ำ'],
  ['devanagari', 'क्षत्रिय श्रीमती'],
  ['armenian', 'Արմեն'],
  ['georgian', 'გიორგი'],
  ['sc', '王伟'],
  ['jp', '山田カタカナ'],
  ['kr', '김철수'],
]
for (const [script, text] of samples) {
  test(`${text} is drawn in letters of the font of its script (${script}), marks with theirs`, () => {
    for (const weight of ['regular', 'bold'] as const) {
      const { runs, isReplaced } = toRuns(text, weight, faces)
      assert.equal(isReplaced, false)
      for (const { face, text: part } of runs) {
        if (part.trim() !== '') assert.equal(scriptOf(face), script)
        // No glyph is the box of a missing one.
        assert.ok(
          face.font.layout(part, []).glyphs.every(({ id }) => id !== 0),
          part,
        )
      }
    }
  })
}

test('Chinese characters have the form of the language of the other letters', () => {
  assert.deepEqual(scriptsOf('直角'), ['sc'])
  assert.deepEqual(scriptsOf('直角です'), ['jp'])
  assert.deepEqual(scriptsOf('김直角'), ['kr'])
})

/** The text from left to right, in which letters of a script from right to left are reversed. */
const leftToRight = (text: string): string =>
  drawn(text)
    .runs.map(({ text: part, face }) =>
      scriptOf(face) === 'hebrew' ? Array.from(part).toReversed().join('') : part,
    )
    .join('')

test('text from right to left is drawn in the order of Unicode, with numbers and mirrored brackets', () => {
  assert.equal(leftToRight('ABC אבג DEF'), 'ABC גבא DEF')
  assert.equal(leftToRight('Rent (אבג) 12'), 'Rent (גבא) 12')
  assert.equal(leftToRight('אבג (123) דהו'), 'והד (123) גבא')
  assert.equal(leftToRight('אבג 45.67, סוף!'), '!ףוס ,45.67 גבא')
  assert.equal(readDirection('אבג ABC'), 'rtl')
  assert.equal(readDirection('ABC אבג'), 'ltr')
  // Persian digits are of a script from right to left, and are read from left to right.
  const [digits] = drawn('کتاب ۱۲۳').runs
  assert.equal(digits?.text, '۳۲۱', 'fontkit reverses them again')
})

test('a line of a paragraph from right to left keeps its direction', () => {
  const line = (direction: 'ltr' | 'rtl') =>
    toRuns('ABC אבג', 'regular', faces, direction).runs.map(({ face }) => scriptOf(face))
  assert.deepEqual(line('ltr').at(0), 'first')
  assert.deepEqual(line('rtl').at(-1), 'first')
})

test('the ring of a Thai sara am is below the tone mark, as it is read', () => {
  assert.equal(drawn('น้ำ').runs[0]?.text, 'น\u0e4d\u0e49\u0e32')
  assert.equal(drawn('กำ').runs[0]?.text, 'กำ')
})

test('a character that no font has is drawn as its number, between spaces, and that is noticed', () => {
  const cases: [text: string, drawn: string][] = [
    ['a😀b', 'a U+1F600 b'],
    ['தம', 'U+0BA4 U+0BAE'],
    ['👩\u200d👧', 'U+1F469 U+200D U+1F467'],
    ['\u202eABC', 'U+202E ABC'],
    ['a\u0007', 'a U+0007'],
    ['\ud800', '\ufffd'],
    ['\u{10ffff}', 'U+10FFFF'],
  ]
  for (const [text, wanted] of cases) {
    const { runs, isReplaced } = drawn(text)
    assert.equal(runs.map((run) => run.text).join(''), wanted)
    assert.equal(isReplaced, text !== '\ud800')
  }
})

test('letters that the shaping fails on are drawn as their numbers', () => {
  const { runs, isReplaced } = drawn('\u0760')
  assert.deepEqual([runs.map((run) => run.text), isReplaced], [['U+0760'], true])
})

test('every text is drawn without the box of a missing character', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.integer({ min: 0x590, max: 0x97f }).map((code) => String.fromCodePoint(code)),
    }),
  )
  fc.assert(
    fc.property(unit, (text) => {
      for (const { face, text: part } of drawn(text).runs)
        assert.ok(
          face.font.layout(part, []).glyphs.every(({ id }) => id !== 0),
          part,
        )
    }),
    { numRuns: 300 },
  )
})

test('the tag of a line that is drawn otherwise holds the text as it was written', () => {
  const paper = openPaper({ title: 'Test', bankName: 'Test', issuedAt: 0, lang: 'en-GB' })
  const root = paper.openTag('Document')
  paper.addPage()
  const texts = ['שלום (1)', '😀', 'plain']
  const lines = texts.map((text, index) => ({
    text,
    x: 50,
    y: 50 * index,
    style: textStyles.plain,
  }))
  for (const _ of paper.addTag('P', root, lines)) continue
  assert.ok(paper.takeReplaced())
  assert.ok(!paper.takeReplaced())
  root.end()
  const bytes = Buffer.concat([...paper.end()]).toString('latin1')
  const actual = [...bytes.matchAll(/\/ActualText \((.*?)\)\n/gs)].map(([, text = '']) =>
    Buffer.from(text.replaceAll(/\\([()\\])/g, '$1'), 'latin1')
      .subarray(2)
      .swap16()
      .toString('utf16le'),
  )
  assert.deepEqual(actual, texts.slice(0, 2))
  const streams = [...bytes.matchAll(/FlateDecode\n>>\nstream\n(.*?)\nendstream/gs)]
  assert.ok(
    streams.some(([, data = '']) => inflateSync(Buffer.from(data, 'latin1')).includes('TJ')),
  )
})

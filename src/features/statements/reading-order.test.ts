// The text of a PDF, as programs read it that know no more than glyphs: one character each, by the
// map of the font, in the order in which they are drawn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { create, type Font } from 'fontkit'
import { fc } from '../../../test/support/random.ts'
import { openFaces } from './paper/faces.ts'
import { openPaper } from './paper/paper.ts'
import { textStyles } from './pdf-style.ts'
import { readsFromRight, toRuns } from './paper/runs.ts'

/** A PDF with a line for each text, at a height of its own. */
function draw(texts: readonly string[]): Buffer {
  const paper = openPaper({ title: 'Test', bankName: 'Test', issuedAt: 0, lang: 'en-GB' })
  const root = paper.openTag('Document')
  paper.addPage()
  for (const [index, text] of texts.entries()) {
    const line = { text, x: 50, y: 10 + index, style: textStyles.plain }
    for (const _ of paper.addTag('P', root, [line])) continue
  }
  root.end()
  return Buffer.concat([...paper.end()])
}

type DrawnText = { x: number; y: number; text: string; isHidden: boolean }
type OpenedFont = { toUnicode: Map<number, string>; font: () => Font; raw: string }

/** The objects of a PDF of pdfkit, by their numbers: their dictionary, and their stream. */
function readObjects(bytes: Buffer): Map<string, { head: string; stream: Buffer }> {
  const text = bytes.toString('latin1')
  const objects = [...text.matchAll(/(\d+) 0 obj\n(.*?)(?:\nstream\n(.*?)\nendstream)?\nendobj/gs)]
  return new Map(
    objects.map(([, number = '', head = '', data = '']) => {
      const stream = Buffer.from(data, 'latin1')
      return [number, { head, stream: head.includes('FlateDecode') ? inflateSync(stream) : stream }]
    }),
  )
}

/** The fonts by their names on a page, and the texts of the page in the order of its operators. */
function readPdf(bytes: Buffer): { fonts: Map<string, OpenedFont>; drawn: DrawnText[] } {
  const objects = readObjects(bytes)
  const find = (reference: RegExp, head: string) =>
    objects.get(reference.exec(head)?.[1] ?? '') ?? assert.fail(`${reference} in ${head}`)
  const [resources = ''] = [...objects.values()].flatMap(({ head }) =>
    [...head.matchAll(/\/Font <<(.*?)>>/gs)].map(([, list = '']) => list),
  )
  const fonts = new Map<string, OpenedFont>()
  for (const [, name = '', number = ''] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    const { head } = objects.get(number) ?? assert.fail()
    const raw = find(/\/ToUnicode (\d+) 0 R/, head).stream.toString('latin1')
    const descendant = find(/\/DescendantFonts \[(\d+) 0 R/, head).head
    const descriptor = find(/\/FontDescriptor (\d+) 0 R/, descendant).head
    const file = find(/\/FontFile2 (\d+) 0 R/, descriptor).stream
    const toUnicode = new Map<number, string>()
    for (const [, first = '', list = ''] of raw.matchAll(/<(\w+)> <\w+> \[(.*?)\]/g))
      for (const [at, [, code = '']] of [...list.matchAll(/<([^>]*)>/g)].entries()) {
        const units = Buffer.from(code.replaceAll(' ', ''), 'hex').swap16()
        toUnicode.set(Number.parseInt(first, 16) + at, units.toString('utf16le'))
      }
    fonts.set(name, { toUnicode, raw, font: () => create(file) as Font })
  }
  const page = [...objects.values()].map(({ stream }) => stream.toString('latin1'))
  const content = page.find((text) => text.includes(' TJ')) ?? assert.fail('no text')
  let isHidden = false
  const drawn: DrawnText[] = []
  for (const [operator, mode] of content.matchAll(/(\d) Tr\n|BT\n.*?ET\n/gs)) {
    if (mode !== undefined) isHidden = mode === '3'
    else drawn.push({ ...readTextObject(operator, fonts), isHidden })
  }
  return { fonts, drawn }
}

function readTextObject(operators: string, fonts: Map<string, OpenedFont>) {
  const [, x = '', y = ''] = /1 0 0 1 ([\d.-]+) ([\d.-]+) Tm/.exec(operators) ?? []
  const { toUnicode } = fonts.get(/\/(F\d+) /.exec(operators)?.[1] ?? '') ?? assert.fail(operators)
  const codes = [...operators.matchAll(/<([0-9a-f]+)>/g)].flatMap(
    ([, code = '']) => code.match(/.{4}/g) ?? [],
  )
  const text = codes.map((code) => toUnicode.get(Number.parseInt(code, 16)) ?? '?').join('')
  return { x: Number(x), y: Math.round(Number(y)), text }
}

/** By line, from the top. */
function byLine(drawn: readonly DrawnText[]): DrawnText[][] {
  const lines = Map.groupBy(drawn, ({ y }) => y)
  return [...lines].toSorted(([one], [other]) => other - one).map(([, line]) => line)
}

const toText = (line: readonly DrawnText[]): string => line.map(({ text }) => text).join('')

const words = [
  'क्षत्रिय श्रीमती',
  'प्रिया शर्मा',
  'हिन्दी कि र्क',
  'محمد عبد الله',
  'کتاب\u200cها',
  'لا إله مُحَمَّد',
  'שלום עולם',
  'דָּוִד',
  'สมชาย น้ำ กำ',
  'Արմեն և',
  'გიორგი',
]
const mixed = ['Rent محمد 12', 'ABC שלום DEF', 'محمد 123 ABC', 'کتاب ۱۲۳', 'फिर से 12 EUR']

test('Devanagari, Arabic and other shaped letters are read as they were written, in each line', () => {
  const texts = [...words, ...mixed].map((text) => text.normalize('NFC'))
  const { drawn } = readPdf(draw(texts))
  assert.deepEqual(byLine(drawn).map(toText), texts)
})

test('letters from right to left follow each other to the left, each a text of its own', () => {
  for (const word of ['محمد', 'שלום', 'לא']) {
    const [line = []] = byLine(readPdf(draw([word])).drawn)
    assert.deepEqual(
      line.map(({ text }) => text),
      Array.from(word),
    )
    const places = line.map(({ x }) => x)
    assert.deepEqual(
      places,
      places.toSorted((one, other) => other - one),
    )
    // What is seen is the first one, which has all letters.
    assert.deepEqual(
      line.map(({ isHidden }) => isHidden),
      Array.from(word, (_, at) => at > 0),
    )
  }
})

test('no glyph of a PDF is without text, or has more than a character', () => {
  const unit = fc.oneof(
    fc.constantFrom(...words.join('')),
    fc.constantFrom(...'مﷺﷲلا ﻻ\u0640\u200d'),
    fc.integer({ min: 0x590, max: 0x97f }).map((code) => String.fromCodePoint(code)),
  )
  const lines = fc.sample(fc.string({ unit, minLength: 1, maxLength: 30 }), { numRuns: 200 })
  const { fonts } = readPdf(draw(lines))
  assert.ok(fonts.size > 3)
  for (const { raw, toUnicode } of fonts.values()) {
    assert.ok(!raw.includes('<>'))
    for (const text of toUnicode.values()) assert.equal(Array.from(text).length, 1, text)
  }
})

test('a word that is one glyph has the outlines of its letters, in their places', () => {
  for (const word of ['प्रिया', 'क्षत्रिय', 'محمد', 'דִוִד', 'น้ำ']) {
    const { fonts, drawn } = readPdf(draw([word]))
    const [run] = toRuns(word, 'regular', openFaces()).runs
    assert.ok(run)
    const { glyphs, positions, advanceWidth } = run.face.font.layout(run.text, [])
    // In cells of one width. The glyph begins at the first one, which is on the right in Arabic.
    const cell = advanceWidth / Array.from(word.normalize('NFC')).length
    let left = readsFromRight.test(word) ? cell - advanceWidth : 0
    const wanted = glyphs.flatMap(({ path }, at) => {
      const { xAdvance, xOffset, yOffset } = positions[at] as (typeof positions)[number]
      const shift = [left + xOffset, yOffset]
      left += xAdvance
      return path.commands.flatMap(({ args }) =>
        args.map((value, axis) => value + (shift[axis % 2] as number)),
      )
    })
    const [first = ''] = drawn[0]?.text ?? ''
    const found = [...fonts.values()].flatMap(({ font, toUnicode }) =>
      [...toUnicode]
        .filter(([, text]) => text === first)
        .map(([id]) =>
          font()
            .getGlyph(id)
            .path.commands.flatMap(({ args }) => args),
        ),
    )
    const isSame = (outlines: readonly number[]): boolean =>
      outlines.length === wanted.length &&
      outlines.every((value, at) => Math.abs(value - (wanted[at] as number)) <= 1)
    assert.ok(found.some(isSame), word)
  }
})

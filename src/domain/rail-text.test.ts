// Whatever another bank sends becomes a text that the contract allows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/random.ts'
import { optionalTextPattern } from './free-text.ts'
import { asItCame, fromRail } from './rail-text.ts'

const allowed = new RegExp(optionalTextPattern, 'u')

test('every text becomes free text of the length that it may have', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(35, 140), (sent, max) => {
      const mapped = fromRail(sent, max)
      assert.match(mapped, allowed)
      assert.ok(Array.from(mapped).length <= max)
    }),
    { numRuns: 3000 },
  )
})

test('what is free text already stays as it is', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-zÄéЖ中0-9/?:().,'+&#·-]{1,140}$/), (text) => {
      assert.equal(fromRail(text, 140), text)
    }),
  )
})

const mapped: Record<string, string> = {
  '"ACME" <b>Ltd</b>': "'ACME' (b)Ltd(/b)",
  'Rent – March; 5 €': 'Rent - March, 5 EUR',
  'line one\nline two\t!': 'line one line two .',
  'a_b@c': 'a-b(at)c',
  '🙂 party': '. party',
  '½ price ﬁne №5': '1/2 price ﬁne No5',
  'A\u202eB\u200bC': 'ABC',
  'می\u200cخواهم': 'می\u200cخواهم',
  '  ': '',
  '\u0301': '',
  '': '',
}
for (const [sent, shown] of Object.entries(mapped)) {
  test(`${JSON.stringify(sent)} becomes ${JSON.stringify(shown)}`, () => {
    assert.equal(fromRail(sent, 140), shown)
  })
}

test('no card number is shown or kept, in whatever signs it is written', () => {
  for (const [sent, shown, kept] of [
    ['Card 4111_1111–1111\n1111!', 'Card ····-····-···· 1111.', 'Card ····-····-···· 1111.'],
    ['<4111111111111111>', '(············1111)', '<············1111>'],
    ['④①①①①①①①①①①①①①①①', '············1111', '············1111'],
    ['4111\u00ad111111111111', '············1111', '············1111'],
  ] as const) {
    assert.equal(fromRail(sent, 140), shown)
    assert.equal(asItCame(sent), kept)
  }
  // Before it is cut: a part of the number would be left.
  assert.ok(!fromRail(`${'x'.repeat(20)} 4111111111111111`, 35).includes('4111'))
  assert.equal(asItCame('"quoted" <1>'), '"quoted" <1>')
})

test('a text that is too long is cut and marked, and never within a character', () => {
  assert.equal(fromRail('x'.repeat(141), 140), `${'x'.repeat(137)}...`)
  assert.equal(fromRail('x'.repeat(140), 140), 'x'.repeat(140))
  assert.equal(fromRail('𠮷'.repeat(36), 35), `${'𠮷'.repeat(32)}...`)
})

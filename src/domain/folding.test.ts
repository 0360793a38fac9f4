// The folding of texts that are searched, over all of Unicode; in `npm test` over a tenth of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplesOf } from '../../test/support/sample.ts'
import { foldName, foldText } from './folding.ts'

/** All characters of free text. */
const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((each) => /[\p{L}\p{M}\p{Nd}]/u.test(each))

test('a text is folded the same in each Unicode form and each case, and only once', (t) => {
  assert.ok(characters.length > 130_000)
  // Their capital is two letters, of which one is a mark in small.
  const iotas = /[\u0345\u1f80-\u1faf\u1fb2-\u1fbc\u1fc2-\u1fcc\u1ff2-\u1ffc]/
  for (const character of samplesOf(t)(characters, 13_000)) {
    const word = `a${character}b`
    const folded = foldText(word)
    const code = character.codePointAt(0)?.toString(16)
    assert.equal(foldText(folded), folded, code)
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
      assert.equal(foldText(word.normalize(form)), folded, `${code} ${form}`)
    }
    assert.equal(foldText(word.toLowerCase()), folded, code)
    if (!iotas.test(character)) assert.equal(foldText(word.toUpperCase()), folded, code)
  }
})

test('what people take for the same letter is folded to one text', () => {
  const alike = [
    ['İbrahim', 'ibrahim', 'IBRAHIM', 'ıbrahım', 'i\u0307brahim', 'İBRAHİM'],
    ['ΠΑΠΑΔΟΠΟΥΛΟΣ', 'παπαδοπουλος', 'Παπαδόπουλος', 'παπαδοπουλοσ'],
    ['ΝΊΚΟΣ', 'Νίκος', 'νικος', 'ΝΙΚΟΣ', 'ν\u03b9\u0301κος'],
    ['Strauß', 'STRAUSS', 'STRAUẞ', 'strauss'],
    ['Müller', 'MU\u0308LLER', 'muller', 'Ｍüller'],
    ['می\u200cخواهم', 'میخواهم'],
    ['Жанна Й', 'ЖАННА Й', 'жанна и\u0306'],
  ]
  for (const [first = '', ...others] of alike) {
    for (const other of others) assert.equal(foldText(other), foldText(first), other)
  }
  assert.ok(foldText('ΝΙΚΟΣΙΑ').startsWith(foldText('ΝΙΚΟΣ')), 'also of a part of a word')
  assert.notEqual(foldText('कि'), foldText('की'), 'vowels of Indic scripts stay')
  assert.equal(foldName(' Anna-Maria  von\u2003Öst '), 'anna maria von ost')
})

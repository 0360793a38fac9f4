// Text as phones type it and people paste it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { optionalTextPattern } from '../../src/domain/free-text.ts'
import { units } from './units-support.ts'

test('signs of phones and word processors become those of a keyboard; letters stay', () => {
  const cases: [typed: string, plain: string][] = [
    ['O’Brien – GmbH', "O'Brien - GmbH"],
    ['O‘Brien O´Brien O`Brien O′Brien', "O'Brien O'Brien O'Brien O'Brien"],
    ['a—b‑c‐d‒e―f−g－h', 'a-b-c-d-e-f-g-h'],
    ['בן־גוריון', 'בן-גוריון'],
    ['a\u00a0b\u202fc\u2009d\u3000e\tf\u2028g', 'a b c d e f g'],
    ['\ufeffA\u200bd\u2060a\u00ad', 'Ada'],
    ['\u200eA\u200fd\u202aa\u202c\u2066\u2069\u061c', 'Ada'],
    ['Wait…', 'Wait...'],
    // Persian, Sinhalese and Malayalam spelling.
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['ක්\u200dෂ', 'ක්\u200dෂ'],
    ['അവന്\u200dറെ', 'അവന്\u200dറെ'],
    ['\u200dAda', 'Ada'],
    ['Ada\u200c 1\u200d2', 'Ada 12'],
    ['Ada\u200c', 'Ada\u200c'],
    ['👩\u200d💻', '👩💻'],
    ['Straße Ξένη 李小龙 شركة', 'Straße Ξένη 李小龙 شركة'],
    ['Мар’яна Марʼяна', "Мар'яна Марʼяна"],
    ['e\u0301', 'e\u0301'],
    ['“€”', '“€”'],
  ]
  for (const [typed, plain] of cases) assert.equal(units.toPlain(typed), plain)
})

test('an IBAN is read as it stands in letters, mails and applications', () => {
  for (const typed of [
    'DE89370400440532013000',
    'de89 3704 0044 0532 0130 00',
    'IBAN: DE89 3704 0044 0532 0130 00',
    'Iban DE89-3704-0044-0532-0130-00',
    'IBAN:DE89–3704–0044–0532–0130–00 ',
    '\u200eDE89\u00a03704\u202f0044\u200b0532\u20600130\u200f00\u202c',
  ]) {
    assert.equal(units.toIban(typed), 'DE89370400440532013000', typed)
  }
})

test('what has no sign that the page names is taken by the API, and the other way round', () => {
  const taken = new RegExp(optionalTextPattern, 'u')
  const wrong: string[] = []
  for (let point = 0; point <= 0x10_ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue
    const sign = String.fromCodePoint(point)
    const text = `a${sign}a`
    const plain = units.toPlain(text)
    const isFit = units.findUnfitSign(plain, units.textSigns) === undefined
    if (isFit !== taken.test(plain)) wrong.push(point.toString(16))
    if (taken.test(text) && plain !== text) wrong.push(`${point.toString(16)} is changed`)
  }
  assert.deepEqual(wrong, [])
})

test('the sign that the API does not take is named, by its number where it shows nothing', () => {
  const { findUnfitSign, textSigns, searchSigns, ibanSigns } = units
  assert.equal(findUnfitSign('Ada & Söhne · 2', textSigns), undefined)
  assert.equal(findUnfitSign('10 € <b>', textSigns), '€')
  assert.equal(findUnfitSign('Ada 👩💻', textSigns), '👩')
  assert.equal(findUnfitSign('a\u0007', textSigns), 'U+0007')
  assert.equal(findUnfitSign('a\ue000', textSigns), 'U+E000')
  assert.equal(findUnfitSign('a_b@c', textSigns), '_')
  assert.equal(findUnfitSign('a_b@c', searchSigns), undefined)
  assert.equal(findUnfitSign('DE89ß', ibanSigns), 'ß')
})

test('only the shared field has an input for text', () => {
  const folder = path.join(import.meta.dirname, '../src')
  for (const file of globSync('**/*.tsx', { cwd: folder })) {
    const code = readFileSync(path.join(folder, file), 'utf8')
    const found = code.matchAll(/<(?:input|Input|textarea)\b[^]*?\/>/g)
    const inputs = [...found].map(([input]) => input)
    const ofText = inputs.filter((input) => !/type=("|\{\w+ \? ')(checkbox|file|radio)/.test(input))
    assert.equal(ofText.length, file === path.join('parts', 'field.tsx') ? 1 : 0, file)
  }
})

// What a caller may mean by a text, as the look-up that it becomes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLook } from './spoken.ts'

/** What of a look-up is there. */
const shown = (text: string): object | undefined => {
  const look = toLook(text)
  return look && Object.fromEntries(Object.entries(look).filter(([, value]) => value !== null))
}

test('an IBAN, an address, a telephone number and the end of a card are known by their form', () => {
  const iban = 'DE89370400440532013000'
  for (const [text, expected] of [
    [iban, { iban }],
    ['IBAN: de89-3704 0044 0532 0130 00', { iban }],
    ['Ada@Example.org ', { beginning: 'ada@example.org' }],
    ['030 231 25084', { phone: '4805213203' }],
    ['+49 (0)30 231 25084', { phone: '480521320394' }],
    ['0049 30/231-25.084', { phone: '480521320394' }],
    ['123456', { phone: '654321' }],
    ['000123456', { phone: '654321' }],
    ['12345', undefined],
    ['00012345', undefined],
    ['1234', { lastFour: '1234' }],
    ['- 1234', undefined],
    ['-, 1234 x', { words: "'x'", alike: "'x'", lastFour: '1234' }],
    ['', undefined],
    [' ,-', undefined],
    ['?', undefined],
  ] as const) {
    assert.deepEqual(shown(text), expected, text)
  }
})

const nearAda =
  "('ada' | 'ada' | 'da' | 'aa' | 'ad' | '~ada' | '~da' | '~aa' | '~ad' | '~aada' | '~adda' | " +
  "'~adaa')"

test('one word is a name or the beginning of a user name, nearly right from three letters on', () => {
  assert.deepEqual(shown('Li'), { words: "'li'", beginning: 'li' })
  assert.deepEqual(shown('Ädä'), { name: 'ada', alike: nearAda, beginning: 'ädä' })
  assert.deepEqual(shown('Ada ?'), { name: 'ada', alike: nearAda }, 'no user name has a space')
  const { alike } = shown('Hoffmann') as { alike: string }
  for (const near of ["'hofman'", "'~hoffman'", "'~hooffmann'"]) {
    assert.ok(alike.includes(near), near)
  }
})

test('several words are of one name in any order: short ones whole, longer ones begun or nearly right', () => {
  const words = (text: string) => (shown(text) as { words?: string }).words
  assert.equal(words('von der Ada'), "'von' & 'der' & 'ada'")
  assert.equal(words('Ada Love'), "'ada' & 'love':*")
  assert.equal(words("O'Brien, Ann"), "'o''brien':* & 'ann'")
  assert.equal(words('a\\b c'), "'a\\\\b' & 'c'")
  assert.equal(words('ab cd - ef'), "'ab' & 'cd' & 'ef'")
  assert.equal(words('a b c d e f g'), "'a' & 'b' & 'c' & 'd' & 'e' & 'f'")
  const { alike, lastFour } = shown('Jo Ada 4711') as { alike: string; lastFour: string }
  assert.equal(lastFour, '4711')
  assert.equal(alike, `'jo' & ${nearAda}`)
  assert.deepEqual(shown('Lovelace 4711'), {
    ...shown('4711 Lovelace'),
    lastFour: '4711',
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/random.ts'
import { Refusal } from './errors.ts'
import { canonicalJson, parseJson } from './json.ts'
import { withoutMarkup } from '../http/error-response.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
const isMalformed = (thrown: unknown) =>
  thrown instanceof Refusal && thrown.code === 'malformed_json'

test('any plain JSON value is parsed unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!/__proto__|constructor|prototype|\\u0000/.test(text))
      assert.deepEqual(parse(text), JSON.parse(text))
    }),
  )
})

const refused: [why: string, text: string][] = [
  ['a duplicate key', '{"a":1,"a":2}'],
  ['a duplicate key that is escaped', '{"amount":"1","\\u0061mount":"2"}'],
  ['a duplicate key deep inside', '{"x":[{"a":1,"b":{"c":1,"c":1}}]}'],
  ['a duplicate key beside strings full of colons', '{"a":"::\\"::","a":":"}'],
  ['__proto__', '{"__proto__":{"admin":true}}'],
  ['__proto__ that is escaped', '{"\\u005f_proto__":{}}'],
  ['constructor', '{"constructor":{"prototype":{}}}'],
  ['a lone surrogate in a value', '{"a":"\\ud800"}'],
  ['a lone surrogate in a key', '{"\\udc00":1}'],
  ['NUL', '{"a":"\\u0000"}'],
  ['nesting of 17', `${'['.repeat(17)}${']'.repeat(17)}`],
  ['nesting that overflows a stack', '['.repeat(60_000)],
  ['two values', '{} {}'],
  ['a trailing comma', '{"a":1,}'],
  ['NaN', '{"a":NaN}'],
  ['a byte order mark', '\ufeff{}'],
  ['nothing', ' '],
]
for (const [why, text] of refused) {
  test(`refuses ${why}`, () => assert.throws(() => parse(text), isMalformed))
}

test('refuses bytes that are not UTF-8', () => {
  assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), isMalformed)
  assert.throws(() => parseJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), isMalformed)
})

test('nesting of 16 is accepted', () => {
  assert.ok(parse(`${'['.repeat(16)}${']'.repeat(16)}`))
})

test('JSON without markup is the same value, in bytes without markup', () => {
  const value = { a: '<script>&\u2028\u2029</script>', 'k<': ['>'] }
  const text = withoutMarkup(JSON.stringify(value))
  assert.doesNotMatch(text, /[<>&\u2028\u2029]/)
  assert.deepEqual(JSON.parse(text), value)
})

test('equal values have one canonical text, however their members are ordered and nested', () => {
  const cases: [value: unknown, text: string][] = [
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ a: 2, b: 1, c: 0 }, '{"a":2,"b":1,"c":0}'],
    [
      { c: { z: 1, y: [{ d: 1, c: null }] }, b: 'x' },
      '{"b":"x","c":{"y":[{"c":null,"d":1}],"z":1}}',
    ],
    [[3, 1, 2], '[3,1,2]'],
    [['b', 'a'], '["b","a"]'],
    ['text', '"text"'],
    [null, 'null'],
    [{ a: undefined, b: true }, '{"b":true}'],
  ]
  for (const [value, text] of cases) assert.equal(canonicalJson(value), text)
})

test('a text with colons alone has no keys that could be twice', () => {
  assert.deepEqual(parse('["a:b",":"]'), ['a:b', ':'])
  assert.deepEqual(parse('{"a":{"b":"c:d"}}'), { a: { b: 'c:d' } })
})

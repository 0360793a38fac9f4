// Bodies that are no JSON, or JSON that two readers could read differently, and those that are
// good JSON and no request: what each is, its bytes, and the code of the refusal.
import type { Code } from '../../src/domain/errors.ts'
import { canary } from './fields.ts'

type Row = readonly [what: string, body: string | Buffer, code?: Code]

const nested = (depth: number): string =>
  `{"name":${'['.repeat(depth - 1)}"${canary}"${']'.repeat(depth - 1)}}`

/** A body with those bytes in the middle of a string. */
const around = (...bytes: number[]): Buffer =>
  Buffer.concat([Buffer.from('{"currency":"EUR","name":"a'), Buffer.from(bytes), Buffer.from('"}')])

const named = (text: string): string => `{"currency":"EUR","name":${text}}`

export const jsonRows: readonly Row[] = [
  ['a key twice', '{"currency":"EUR","currency":"JPY"}'],
  ['a key twice, once escaped', '{"currency":"EUR","\\u0063urrency":"EUR"}'],
  ['a key twice, with other escapes', '{"currency":"EUR","curr\\u0065nc\\u0079":"EUR"}'],
  ['an unknown key twice', '{"currency":"EUR","x":1,"x":1}'],
  ['a key twice, deep inside', named('{"a":[{"b":1,"b":2}]}')],
  ['an empty key twice', '{"":1,"":1}'],
  ['__proto__', '{"currency":"EUR","__proto__":{"polluted":true}}'],
  ['__proto__, escaped', '{"currency":"EUR","\\u005f\\u005fproto__":{"polluted":true}}'],
  ['__proto__, nested', named('{"__proto__":{"polluted":true}}')],
  ['__proto__, in a list', named('[{"__proto__":null}]')],
  ['constructor', '{"currency":"EUR","constructor":{"prototype":{"polluted":true}}}'],
  ['constructor, escaped', '{"currency":"EUR","constr\\u0075ctor":1}'],
  ['prototype', '{"currency":"EUR","prototype":{"polluted":true}}'],
  ['prototype, nested and escaped', named('{"x":{"\\u0070rototype":1}}')],
  ['toString', '{"currency":"EUR","toString":"x"}', 'invalid_request'],
  ['hasOwnProperty', '{"currency":"EUR","hasOwnProperty":null}', 'invalid_request'],
  ['a high surrogate alone', named('"a\\ud83d"')],
  ['a low surrogate alone', named('"\\ude00a"')],
  ['surrogates the wrong way round', named('"\\ude00\\ud83d"')],
  ['a lone surrogate in a key', '{"currency":"EUR","\\ud83d":1}'],
  ['a lone surrogate deep inside', named('[{"a":["\\udfff"]}]')],
  ['a surrogate as bytes', around(0xed, 0xa0, 0xbd)],
  ['two surrogates as bytes', around(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)],
  ['NUL, escaped', named('"a\\u0000"')],
  ['NUL, escaped in a key', '{"currency":"EUR","a\\u0000":1}'],
  ['NUL as a byte', around(0)],
  ['a control character as a byte', around(0x1f)],
  ['an overlong slash', around(0xc0, 0xaf)],
  ['an overlong NUL', around(0xc0, 0x80)],
  ['an overlong less-than in three bytes', around(0xe0, 0x80, 0xbc)],
  ['a byte that never begins a character', around(0xff)],
  ['a character that is cut short', around(0xe2, 0x82)],
  ['beyond Unicode', around(0xf4, 0x90, 0x80, 0x80)],
  ['Latin-1', Buffer.from(named('"é"'), 'latin1')],
  ['UTF-16', Buffer.from(named('"a"'), 'utf16le')],
  ['a byte order mark', `\ufeff${named('"a"')}`],
  ['depth 16', nested(16), 'invalid_request'],
  ['depth 17', nested(17)],
  ['a depth that overflows a stack', '['.repeat(30_000) + ']'.repeat(30_000)],
  ['objects to a depth of 17', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`],
  ['NaN', named('NaN')],
  ['Infinity', named('-Infinity')],
  ['undefined', named('undefined')],
  ['minus nothing', named('-0'), 'invalid_request'],
  ['a number beyond all', named('1e400'), 'invalid_request'],
  ['a number that no double holds', named('9007199254740993'), 'invalid_request'],
  ['a leading zero', named('01')],
  ['a plus', named('+1')],
  ['a bare point', named('.5')],
  ['a point with nothing after it', named('1.')],
  ['a hexadecimal number', named('0x10')],
  ['a comma after the last', '{"currency":"EUR",}'],
  ['a comma after the last item', named('[1,]')],
  ['a comment', '{"currency":"EUR"/* */}'],
  ['a comment at the end', '{"currency":"EUR"}// '],
  ['single quotes', "{'currency':'EUR'}"],
  ['a key without quotes', '{currency:"EUR"}'],
  ['an escape there is none of', named('"\\x41"')],
  ['a line break in a string', named('"a\nb"')],
  ['two values', '{"currency":"EUR"}{"currency":"EUR"}'],
  ['two lines of JSON', '{"currency":"EUR"}\n{"currency":"EUR"}'],
  ['a value and a remainder', '{"currency":"EUR"}x'],
  ['a space that JSON does not know', '{"currency":\u00a0"EUR"}'],
  ['half a value', '{"currency":"EUR"'],
  ['white space alone', ' \n\t'],
  ['nothing', '', 'invalid_request'],
  ['a list', '[{"currency":"EUR"}]', 'invalid_request'],
  ['null', 'null', 'invalid_request'],
  ['a word', '"EUR"', 'invalid_request'],
]

/** What no UTF-8 text comes to when it is percent-encoded. */
export const encodings: readonly string[] = [
  '%ff',
  '%c0%af',
  '%ed%a0%bd',
  '%e2%82',
  '%f4%90%80%80',
  '%zz',
  '%2-',
  '%',
  '%u0041',
]

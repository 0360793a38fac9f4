// What leaves is what the schema names, in a value that may be null as well.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '../domain/type.ts'
import { closed, nullable } from '../domain/schema.ts'
import { createSerializer } from './validation.ts'

const person = closed({ name: nullable(Type.String({ maxLength: 3 })) })
const serialize = createSerializer(closed({ person: nullable(person), note: Type.String() }))

test('an answer has the members of its schema and no others, below a value that may be null too', () => {
  const secret = { password: 'secret' }
  for (const [value, text] of [
    [{ name: 'Ada', ...secret }, '{"name":"Ada"}'],
    [{ name: null, ...secret }, '{"name":null}'],
    [{ name: '<b>', ...secret }, '{"name":"\\u003cb\\u003e"}'],
    [null, 'null'],
  ] as const) {
    assert.equal(serialize({ note: '', person: value, ...secret }), `{"person":${text},"note":""}`)
  }
  for (const incomplete of [{ note: '' }, { note: '', person: {} }]) {
    assert.throws(() => serialize(incomplete), /required/)
  }
})

// What a confirmation binds of a body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closed, Name, nullable, secretKey } from '../domain/schema.ts'
import { Type } from '../domain/type.ts'
import { withoutSecrets } from './confirmation.ts'

const Secret = Type.String({ maxLength: 6, [secretKey]: true })
const Named = Type.String({ maxLength: 3, [secretKey]: false })
const schema = closed({
  name: Name,
  pinCode: Secret,
  countryCode: Named,
  by: nullable(
    closed({ name: Name, pinCode: Secret, in: closed({ pinCode: Secret, name: Name }) }),
  ),
})

test('all of a body but its secrets is bound, however deep they are', () => {
  for (const [body, bound] of [
    [
      { name: 'a', pinCode: '1', countryCode: 'IE' },
      { name: 'a', countryCode: 'IE' },
    ],
    [
      { name: 'a', by: null },
      { name: 'a', by: null },
    ],
    [{ by: { name: 'b', pinCode: '1' }, pinCode: '2' }, { by: { name: 'b' } }],
    [
      { by: { name: 'b', pinCode: '1', in: { pinCode: '2', name: 'c' } } },
      { by: { name: 'b', in: { name: 'c' } } },
    ],
    [{ by: { in: { name: 'c' } } }, { by: { in: { name: 'c' } } }],
    [{}, {}],
    [undefined, undefined],
  ]) {
    const text = JSON.stringify(body)
    assert.equal(JSON.stringify(withoutSecrets(schema, body)), JSON.stringify(bound))
    assert.equal(JSON.stringify(body), text, 'the body is as it was')
  }
})

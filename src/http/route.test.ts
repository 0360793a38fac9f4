import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Type } from '../domain/type.ts'
import { AccountId, CardId, resourceKey } from '../domain/ids.ts'
import { FileReply, route } from './route.ts'
import { findSecrets } from './route-check.ts'
import {
  closed,
  Name,
  Nothing,
  nullable,
  open,
  secretKey,
  Text,
  withExample,
} from '../domain/schema.ts'

const Ownerless = Type.String({ maxLength: 36, [resourceKey]: 'request' })

const Secret = Type.String({ maxLength: 6, [secretKey]: true, examples: ['123456'] })

const good = {
  method: 'POST',
  path: '/api/v1/accounts/:accountId/name',
  operation: 'updateAccount',
  summary: 'Name an account.',
  access: { customer: 'own' },
  limit: 'sensitive',
  params: closed({ accountId: AccountId }),
  body: closed({ name: Name }),
  reply: { 204: Nothing },
  handle: async () => {},
}

const declare = (change: object) => route({ ...good, ...change } as never)

test('a complete definition becomes a route', () => {
  assert.equal(declare({}).success, 204)
})

const read = { method: 'GET', body: undefined, row: {} }

test('a body says by a mark of each secret that it is one, or is none', () => {
  const Marked = withExample(Type.String({ maxLength: 3, [secretKey]: false }), 'IE')
  const body = closed({ pinCode: Type.Optional(nullable(Secret)), countryCode: Marked })
  assert.equal(declare({ body }).success, 204)
  assert.deepEqual(findSecrets(body), [['pinCode']])
})

test('a read of one resource has a row', () => {
  assert.equal(declare(read).success, 204)
})

const refused: [why: string, change: object, says: RegExp][] = [
  ['no operation', { operation: 'x y' }, /no operation/],
  ['a change with a row', { row: {} }, /only a read/],
  ['a public read with a row', { ...read, access: 'public' }, /only a read/],
  ['a row without an owner', { ...read, access: { customer: 'self' } }, /only a read/],
  ['a row of one of two', { ...read, query: closed({ toAccountId: AccountId }) }, /only a read/],
  [
    'a row of what lies in another resource',
    { ...read, path: '/api/v1/cards/:cardId', params: closed({ cardId: CardId }) },
    /only a read/,
  ],
  ['no access', { access: undefined }, /no access/],
  ['access for no role', { access: {} }, /no role/],
  ['an unknown role', { access: { auditor: 'any' } }, /unknown role auditor/],
  ['an unknown grant', { access: { customer: 'all' } }, /unknown grant all/],
  ['no limit class', { limit: undefined }, /limit class/],
  ['an unknown limit class', { limit: 'sometimes' }, /unknown limit class/],
  [
    'an identifier without a resource',
    { body: closed({ cardId: Type.String({ maxLength: 36 }) }) },
    /cardId is an identifier without a resource/,
  ],
  [
    'own without an identifier',
    { path: '/api/v1/x', params: undefined, body: undefined },
    /no identifier is named/,
  ],
  ['own of a resource without a known owner', { body: closed({ requestId: Ownerless }) }, /owner/],
  ['a body open to unknown keys', { body: Type.Object({ name: Name }) }, /open to unknown keys/],
  [
    'an object inside that is open',
    { body: closed({ in: Type.Object({ a: Name }) }) },
    /body\.in is open/,
  ],
  [
    'a reply that is declared open',
    { reply: { 200: open({}, { description: 'Any' }) } },
    /reply is open/,
  ],
  ['a reply open to unknown keys', { reply: { 200: Type.Object({}) } }, /reply is open/],
  [
    'a field that no example shows',
    { body: closed({ name: nullable(closed({ first: Type.String({ maxLength: 9 }) })) }) },
    /^Error: Route POST \S+: body\.name\.first has no example$/,
  ],
  ['an answer that no example shows', { reply: { 200: Text } }, /name: reply has no example/],
  ['a string without a bound', { body: closed({ name: Type.String() }) }, /name has no bound/],
  ['an array without a bound', { body: closed({ names: Type.Array(Name) }) }, /names has no bound/],
  ['an integer without bounds', { body: closed({ n: Type.Integer() }) }, /n has no bound/],
  [
    'a secret of a body without its mark',
    { body: closed({ by: closed({ pinCode: Type.Optional(nullable(Name)) }) }) },
    /body\.by\.pinCode is a secret by its name/,
  ],
  [
    'a list of secrets in a body',
    { body: closed({ codes: Type.Array(Secret, { maxItems: 2, [secretKey]: false }) }) },
    /codes is a list with secrets/,
  ],
  ['no 2xx reply', { reply: { 404: Nothing } }, /exactly one 2xx/],
  [
    'a change by staff that neither names its target nor creates it',
    {
      path: '/api/v1/x',
      params: undefined,
      body: closed({ accountId: AccountId }),
      access: { admin: 'any' },
    },
    /no target/,
  ],
  ['two 2xx replies', { reply: { 200: closed({}), 204: Nothing } }, /exactly one 2xx/],
  [
    'a list without the capped limit',
    { reply: { 200: closed({ items: Type.Array(Name) }) } },
    /without the capped limit/,
  ],
  ['a path parameter that is not declared', { path: '/api/v1/:other' }, /path and params/],
  ['a change at a standby', { atStandby: true }, /only a read is made at a standby/],
  ['a GET with a body', { method: 'GET' }, /GET has no body/],
]
test('the name of a file cannot change the header field that it stands in', () => {
  const named = (name: string) => new FileReply('text/csv', name, Readable.from([]))
  assert.equal(named('statement-2026-01_1.csv').name, 'statement-2026-01_1.csv')
  for (const name of ['', 'a"; x="b', 'a\r\nb', '../a', 'ä']) {
    assert.throws(() => named(name), TypeError)
  }
})

for (const [why, change, says] of refused) {
  test(`does not boot: ${why}`, () => assert.throws(() => declare(change), says))
}

// The requests that tests of every route are made of: a new endpoint needs no test code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '../src/domain/type.ts'
import { AccountId } from '../src/domain/ids.ts'
import { closed, Day, Nothing } from '../src/domain/schema.ts'
import { type Route, route } from '../src/http/route.ts'
import { toParts, toPath, toTarget } from './support/requests.ts'

const fixture: Route = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/fixture',
  operation: 'getAccount',
  summary: 'Read a fixture.',
  access: { customer: 'own' },
  limit: 'read',
  params: closed({ accountId: AccountId }),
  query: closed({ on: Day, until: Type.Optional(Day) }),
  reply: { 204: Nothing },
  handle: async () => {},
})

test('a request of a route has an example of each query parameter that the route requires', () => {
  const parts = toParts(fixture, () => 'a')
  assert.deepEqual(Object.keys(parts.query), ['on'])
  const on = String(parts.query['on'])
  assert.match(on, /^\d{4}-\d\d-\d\d$/)
  const path = '/api/v1/accounts/a/fixture'
  assert.equal(toPath(fixture, parts), `${path}?on=${on}`)
  assert.equal(toTarget(fixture, parts, 'on=x'), `${path}?on=x`)
  assert.equal(toTarget(fixture, parts, 'other=x'), `${path}?on=${on}&other=x`)
})

// The identifiers that a request names, which its caller's rights are judged by.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { Identifier } from '../domain/ids.ts'
import { namedIn } from './context.ts'

const identifiers: Identifier[] = [
  { part: 'params', keys: ['accountId'], resource: 'account' },
  { part: 'query', keys: ['cardId'], resource: 'card' },
  { part: 'body', keys: ['to', 'payee', 'id'], resource: 'beneficiary' },
]
const named = (parts: object) => namedIn(parts as FastifyRequest, identifiers)

test('identifiers are found in path, query and body, however deep, in this order', () => {
  const all = {
    params: { accountId: 'a' },
    query: { cardId: 'c' },
    body: { to: { payee: { id: 'p' } } },
  }
  assert.deepEqual(named(all), [
    { resource: 'account', id: 'a' },
    { resource: 'card', id: 'c' },
    { resource: 'beneficiary', id: 'p' },
  ])
})

test('what is not there, or is no text, names nothing', () => {
  const params = { accountId: 'a' }
  const account = [{ resource: 'account', id: 'a' }]
  for (const body of [
    undefined,
    null,
    {},
    { to: null },
    { to: { payee: null } },
    { to: 'payee' },
  ]) {
    assert.deepEqual(named({ params, query: {}, body }), account, JSON.stringify(body))
  }
  for (const cardId of [undefined, null, 1, ['c'], { id: 'c' }]) {
    assert.deepEqual(named({ params, query: { cardId } }), account)
  }
})

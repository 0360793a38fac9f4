import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RedisOptions } from 'ioredis'
import { describeReason, toOptions } from './redis-link.ts'

test('the URL of the store determines socket or host and port, login, database and TLS', () => {
  const parts = (url: string) => {
    const options: RedisOptions = toOptions(url)
    const { host, port, username, password, db, tls } = options
    return [host, port, username, password, db, tls !== undefined]
  }
  assert.deepEqual(parts('redis://store.example'), [
    'store.example',
    6379,
    undefined,
    undefined,
    0,
    false,
  ])
  assert.deepEqual(parts('rediss://me:p%40ss@[::1]:7000/3'), ['::1', 7000, 'me', 'p@ss', 3, true])
  const { path, username }: RedisOptions = toOptions('unix://me:pw@localhost/run/a%20b/valkey.sock')
  assert.deepEqual([path, username], ['/run/a b/valkey.sock', 'me'])
})

test('pauses between attempts to connect grow up to a bound', () => {
  const { retryStrategy } = toOptions('redis://store.example')
  assert.deepEqual([1, 2, 3, 30, 1000].map(retryStrategy), [100, 200, 400, 1000, 1000])
})

test('the reason of a loss is a code and nothing that the store or the network says besides', () => {
  const thrown = [
    Object.assign(new Error('connect 10.0.0.7:6379'), { code: 'ECONNREFUSED' }),
    new Error('WRONGPASS invalid username-password pair'),
    new Error('The store is away'),
    undefined,
  ]
  const reasons = ['ECONNREFUSED', 'WRONGPASS', 'no answer', 'no answer']
  assert.deepEqual(thrown.map(describeReason), reasons)
})

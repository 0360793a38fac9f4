import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOptions } from './redis-link.ts'

test('the URL of the store determines host, port, login, database and TLS', () => {
  const parts = (url: string) => {
    const { host, port, username, password, db, tls } = toOptions(url)
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
})

test('pauses between attempts to connect grow up to a bound', () => {
  const { retryStrategy } = toOptions('redis://store.example')
  assert.deepEqual([1, 2, 3, 30, 1000].map(retryStrategy), [100, 200, 400, 1000, 1000])
})

import assert from 'node:assert/strict'
import dns from 'node:dns'
import { test } from 'node:test'
import { PassingStartupError } from '../domain/startup-error.ts'
import { prepareDatabase } from './serve.ts'

test('of a server with one address or several it is told why the first one was not reached', async (t) => {
  const all = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
  let addresses = all.slice(0, 1)
  const lookup = (_: string, __: object, found: (thrown: null, all: object[]) => void) =>
    found(null, addresses)
  t.mock.method(dns, 'lookup', lookup as never)
  const connectionString = 'postgres://someone@bank.example:1/bank?sslmode=disable'
  for (addresses of [addresses, all]) {
    await assert.rejects(prepareDatabase({ connectionString }), (thrown) => {
      assert.ok(thrown instanceof PassingStartupError)
      const told = 'The database cannot be used: connect ECONNREFUSED 127.0.0.1:1.'
      assert.equal(thrown.message, told)
      return true
    })
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/domain/clock.ts'
import { openPayeeResponder } from '../../src/features/payee-checks/responder.ts'
import { payees } from './payees.ts'

test('the responder to try a bank with has each answer, by the last digit of the IBAN', async () => {
  const stop = new AbortController()
  const ready = Promise.withResolvers<string>()
  const options = { folder: '', wait: 1, json: true, port: 0, signal: stop.signal }
  const running = payees(options, ready.resolve)
  const config = { payeeCheckUrl: await ready.promise, payeeCheckSecret: undefined }
  const log = { warn() {}, over() {} }
  const asking = openPayeeResponder({ config, log, clock: systemClock() })
  const ask = (digit: number) => asking.ask({ name: 'Ada Okafor', iban: `GB33BUKB${digit}` })
  assert.deepEqual(await Promise.all([0, 1, 2, 3].map(ask)), [
    { result: 'match' },
    { result: 'close_match', name: 'Ada Alex Okafor' },
    { result: 'no_match' },
    { result: 'not_possible' },
  ])
  assert.equal(asking.failedCount(), 0)
  assert.equal((await fetch(config.payeeCheckUrl, { method: 'POST', body: '{}' })).status, 400)
  stop.abort()
  await running
})

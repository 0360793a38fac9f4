// What a client is told of a COMMIT without an answer: to repeat by its key where that is read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneIn, transferBody } from '../support/fixture.ts'
import { proxiedWorld } from './proxied-world.ts'

test('an outcome that is unknown is repeated by its key where the request has one that is read, and nowhere else', async (t) => {
  const bank = await proxiedWorld(t)
  const { ada, from, to } = await sceneIn(bank)
  const order = { toAccountId: to, amount: '1.00', currency: 'EUR' }
  const days = { rhythm: 'weekly', firstOn: '2026-02-01' }
  const path = `/api/v1/accounts/${from}/orders`
  const made = await ada.post(path, { ...order, ...days })
  assert.equal(made.status, 201, made.text)
  const key = { headers: { 'idempotency-key': 'one' } }
  const of = `/api/v1/orders/${made.body.id}`
  const byKey = 'The outcome is unknown; repeat the request with the same Idempotency-Key.'
  const bySight = 'The outcome is unknown; look whether it took effect before you send it again.'
  for (const [send, message] of [
    [() => ada.post(path, { ...order, ...days }, key), byKey],
    [() => ada.post(path, { ...order, ...days }), bySight],
    [() => ada.post(`${of}/pause`, undefined, key), bySight],
    [() => ada.patch(of, { amount: '2.00' }), bySight],
  ] as const) {
    bank.proxy.swallowCommit()
    const reply = await send()
    assert.deepEqual([reply.status, reply.body.code], [503, 'outcome_unknown'], reply.text)
    assert.equal(reply.body.message, message)
    bank.proxy.heal()
  }
  const sent = await ada.post('/api/v1/transfers', transferBody(from, to, '1.00'))
  assert.ok(sent.status < 300, sent.text)
})

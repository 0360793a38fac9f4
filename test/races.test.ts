// Concurrent requests: in any order and on any number of instances, each promise holds for every
// single request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSound,
  readBalance,
  many,
  deposit,
  scene,
  tally,
  transferBody,
} from './support/fixture.ts'
import type { Reply } from './support/world.ts'

test('fifty at once with one key take effect once, and every answer says the same', async (t) => {
  const made = await scene(t)
  const { ada, from, to } = made
  const headers = { 'idempotency-key': 'one' }
  const body = transferBody(from, to)
  const replies = await many(50, () => ada.post('/api/v1/transfers', body, { headers }))
  const counts = tally(replies)
  assert.equal((counts['201'] ?? 0) + (counts['409 request_in_progress'] ?? 0), 50)
  const done = replies.filter(({ status }) => status === 201)
  assert.equal(done.filter((reply) => !reply.headers['idempotency-replayed']).length, 1)
  assert.equal(new Set(done.map(({ text }) => text)).size, 1)
  assert.equal(await readBalance(ada, to), '1.00')
  await assertSound(made)
})

test('fifty identical ones without a key take effect once', async (t) => {
  const made = await scene(t)
  const { ada, from, to } = made
  const replies = await many(50, () => ada.post('/api/v1/transfers', transferBody(from, to)))
  assert.deepEqual(tally(replies), { '201': 1, '409 duplicate_transfer': 49 })
  const first = replies.find(({ status }) => status === 201) as Reply
  for (const reply of replies) {
    assert.equal(reply.headers['location'], `/api/v1/transfers/${first.body.id}`)
  }
  assert.equal(await readBalance(ada, to), '1.00')
  await assertSound(made)
})

test('thirty that together take more than there is: as many succeed as there is money for', async (t) => {
  const made = await scene(t)
  const { ada, from, to } = made
  const replies = await many(30, (index) =>
    ada.post('/api/v1/transfers', { ...transferBody(from, to, '7.00'), reference: `${index}` }),
  )
  assert.deepEqual(tally(replies), { '201': 14, '409 insufficient_funds': 16 })
  assert.equal(await readBalance(ada, from), '2.00')
  await assertSound(made)
})

test('twenty reversals of one transfer: one', async (t) => {
  const made = await scene(t)
  const { ada, root, from, to } = made
  const { body } = await ada.post('/api/v1/transfers', transferBody(from, to, '10.00'))
  const replies = await many(20, () =>
    root.post(`/api/v1/admin/transfers/${body.id}/reversal`, { reason: 'Twice' }),
  )
  assert.deepEqual(tally(replies), { '201': 1, '409 already_reversed': 19 })
  assert.equal(await readBalance(ada, from), '100.00')
  await assertSound(made)
})

test('a freeze against a storm: once it is answered, no money leaves', async (t) => {
  const made = await scene(t)
  const { ada, root, from, to } = made
  let frozenAt: string | undefined
  const send = (index: number) =>
    ada.post('/api/v1/transfers', { ...transferBody(from, to, '0.01'), reference: `${index}` })
  const storm = many(200, async (index) => {
    if (index === 100) {
      const reply = await root.post(`/api/v1/admin/accounts/${from}/freeze`, {
        reason: 'Suspicion',
      })
      assert.equal(reply.status, 200, reply.text)
      frozenAt = await readBalance(root, from)
    }
    return send(index)
  })
  const replies = await storm
  const late = await many(20, (index) => send(1000 + index))
  assert.deepEqual(tally(late), { '409 account_frozen': 20 })
  const left = replies.filter(({ status }) => status === 201).length
  assert.equal(await readBalance(ada, to), (left / 100).toFixed(2))
  assert.equal(await readBalance(ada, from), frozenAt)
  await assertSound(made)
})

test('opposite transfers between two hot accounts, on two instances, never lock each other', async (t) => {
  const made = await scene(t)
  const { ada, root, from, to } = made
  await deposit(root, to, '100.00')
  const second = await made.another()
  const { token } = ada
  const replies = await many(300, (index) => {
    const [source, target] = index % 2 ? [from, to] : [to, from]
    const body = { ...transferBody(source, target, '0.01'), reference: `${index}` }
    const send = index % 3 ? made.send : second.send
    return send('POST', '/api/v1/transfers', { token, body })
  })
  assert.deepEqual(tally(replies), { '201': 300 })
  assert.equal(await readBalance(ada, from), '100.00')
  const locks = await made.sql(`select deadlocks::int from pg_stat_database
    where datname = current_database()`)
  assert.equal(locks.rows[0]?.['deadlocks'], 0)
  await assertSound(made)
})

test('two instances: one key and one duplicate are one on both', async (t) => {
  const made = await scene(t)
  const { ada, from, to } = made
  const second = await made.another()
  const ask = (index: number, headers: Record<string, string>, reference: string) => {
    const send = index % 2 ? made.send : second.send
    const body = { ...transferBody(from, to), reference }
    return send('POST', '/api/v1/transfers', { token: ada.token, body, headers })
  }
  for (let round = 0; round < 5; round++) {
    const keyed = await many(20, (index) => ask(index, { 'idempotency-key': `k${round}` }, 'a'))
    const fresh = keyed.filter(
      ({ status, headers }) => status === 201 && !headers['idempotency-replayed'],
    )
    assert.equal(fresh.length, 1)
    const keyless = await many(20, (index) => ask(index, {}, `b${round}`))
    assert.deepEqual(tally(keyless), { '201': 1, '409 duplicate_transfer': 19 })
  }
  assert.equal(await readBalance(ada, to), '10.00')
  await assertSound(made)
})

test('a session that is revoked in a storm: from its answer on, every request is refused', async (t) => {
  const made = await scene(t)
  const { from, to } = made
  const ada = await made.login('ada')
  const send = (index: number) => {
    const body = { ...transferBody(from, to, '0.01'), reference: `${index}` }
    return ada.post('/api/v1/transfers', body)
  }
  const late: Promise<Reply>[] = []
  const replies = await many(150, async (index) => {
    if (index === 75) {
      const out = await ada.post('/api/v1/auth/logout')
      assert.equal(out.status, 204, out.text)
      for (let each = 0; each < 20; each++) late.push(send(1000 + each))
    }
    return send(index)
  })
  assert.deepEqual(tally(await Promise.all(late)), { '401 session_revoked': 20 })
  const counts = tally(replies)
  assert.equal((counts['201'] ?? 0) + (counts['401 session_revoked'] ?? 0), 150)
  const arrived = (counts['201'] ?? 0) / 100
  assert.equal(await readBalance(await made.as('ada'), to), arrived.toFixed(2))
  await assertSound(made)
})

// Concurrent requests, on one instance and on two: each promise holds for every single one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSound,
  readBalance,
  many,
  patiently,
  deposit,
  scene,
  tally,
  transferBody,
} from './support/fixture.ts'
import type { ApiClient, Reply } from './support/world.ts'

type Post = ApiClient['post']

/** By a key of its own, so that a repetition tells what became of the first attempt. */
function payOnce(post: Post, body: object, index: number): Promise<Reply> {
  const headers = { 'idempotency-key': `payment-${index}` }
  const each = { ...body, reference: `${index}` }
  return patiently(() => post('/api/v1/transfers', each, { headers }))
}

/** One took effect; nobody may have heard of it, if its outcome was unknown at first. */
function assertOnce(replies: readonly Reply[], refusal: string): void {
  const { 201: done = 0, [`409 ${refusal}`]: refused = 0, ...others } = tally(replies)
  assert.deepEqual([done + refused, others], [replies.length, {}])
  assert.ok(done <= 1)
}

test('fifty concurrent requests with one key take effect once, and have the same answer', async (t) => {
  const fixture = await scene(t)
  const { ada, from, to } = fixture
  const headers = { 'idempotency-key': 'one' }
  const body = transferBody(from, to)
  const replies = await many(50, () =>
    patiently(() => ada.post('/api/v1/transfers', body, { headers })),
  )
  const counts = tally(replies)
  assert.equal((counts['201'] ?? 0) + (counts['409 request_in_progress'] ?? 0), 50)
  const done = replies.filter(({ status }) => status === 201)
  assert.ok(done.filter((reply) => !reply.headers['idempotency-replayed']).length <= 1)
  assert.equal(new Set(done.map(({ text }) => text)).size, 1)
  assert.equal(await readBalance(ada, to), '1.00')
  await assertSound(fixture)
})

test('fifty identical concurrent requests without a key take effect once', async (t) => {
  const fixture = await scene(t)
  const { ada, from, to } = fixture
  const replies = await many(50, () =>
    patiently(() => ada.post('/api/v1/transfers', transferBody(from, to))),
  )
  assertOnce(replies, 'duplicate_transfer')
  const first = replies.find(({ status }) => status === 201)
  const places = new Set(replies.map(({ headers }) => headers['location']))
  assert.equal(places.size, 1)
  if (first) assert.deepEqual([...places], [`/api/v1/transfers/${first.body.id}`])
  assert.equal(await readBalance(ada, to), '1.00')
  await assertSound(fixture)
})

test('of thirty concurrent transfers, as many succeed as there is money for', async (t) => {
  const fixture = await scene(t)
  const { ada, from, to } = fixture
  const replies = await many(30, (index) =>
    payOnce(ada.post, transferBody(from, to, '7.00'), index),
  )
  assert.deepEqual(tally(replies), { '201': 14, '409 insufficient_funds': 16 })
  assert.equal(await readBalance(ada, from), '2.00')
  await assertSound(fixture)
})

test('of twenty concurrent reversals of one transfer, one succeeds', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, to } = fixture
  const { body } = await ada.post('/api/v1/transfers', transferBody(from, to, '10.00'))
  const replies = await many(20, () =>
    patiently(() => root.post(`/api/v1/admin/transfers/${body.id}/reversal`, { reason: 'Twice' })),
  )
  assertOnce(replies, 'already_reversed')
  assert.equal(await readBalance(ada, from), '100.00')
  await assertSound(fixture)
})

test('a freeze among concurrent transfers: after its answer no money leaves', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, to } = fixture
  let frozenAt: string | undefined
  const send = (index: number) => payOnce(ada.post, transferBody(from, to, '0.01'), index)
  const replies = await many(200, async (index) => {
    if (index === 100) {
      const reason = { reason: 'Suspicion' }
      const freeze = () => root.post(`/api/v1/admin/accounts/${from}/freeze`, reason)
      const reply = await patiently(freeze)
      const isFrozen = reply.status === 200 || reply.body.code === 'illegal_transition'
      assert.ok(isFrozen, reply.text)
      frozenAt = await readBalance(root, from)
    }
    return send(index)
  })
  const late = await many(20, (index) => send(1000 + index))
  assert.deepEqual(tally(late), { '409 account_frozen': 20 })
  const left = replies.filter(({ status }) => status === 201).length
  assert.equal(await readBalance(ada, to), (left / 100).toFixed(2))
  assert.equal(await readBalance(ada, from), frozenAt)
  await assertSound(fixture)
})

test('opposite transfers between two hot accounts, on two instances, never deadlock', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, to } = fixture
  await deposit(root, to, '100.00')
  const second = await fixture.another()
  const { token } = ada
  const replies = await many(300, (index) => {
    const [source, target] = index % 2 ? [from, to] : [to, from]
    const { send } = index % 3 ? fixture : second
    const post: Post = (path, body, more) => send('POST', path, { token, body, ...more })
    return payOnce(post, transferBody(source, target, '0.01'), index)
  })
  assert.deepEqual(tally(replies), { '201': 300 })
  assert.equal(await readBalance(ada, from), '100.00')
  const locks = await fixture.sql(`select deadlocks::int from pg_stat_database
    where datname = current_database()`)
  assert.equal(locks.rows[0]?.['deadlocks'], 0)
  await assertSound(fixture)
})

test('a key and a duplicate take effect once on two instances', async (t) => {
  const fixture = await scene(t)
  const { ada, from, to } = fixture
  const second = await fixture.another()
  const post = (index: number, headers: Record<string, string>, reference: string) => {
    const send = index % 2 ? fixture.send : second.send
    const body = { ...transferBody(from, to), reference }
    return patiently(() => send('POST', '/api/v1/transfers', { token: ada.token, body, headers }))
  }
  for (let round = 0; round < 5; round++) {
    const keyed = await many(20, (index) => post(index, { 'idempotency-key': `k${round}` }, 'a'))
    const fresh = keyed.filter(
      ({ status, headers }) => status === 201 && !headers['idempotency-replayed'],
    )
    assert.ok(fresh.length <= 1)
    const keyless = await many(20, (index) => post(index, {}, `b${round}`))
    assertOnce(keyless, 'duplicate_transfer')
  }
  assert.equal(await readBalance(ada, to), '10.00')
  await assertSound(fixture)
})

test('a logout among concurrent transfers: after its answer every request is refused', async (t) => {
  const fixture = await scene(t)
  const { from, to } = fixture
  const ada = await fixture.login('ada')
  const send = (index: number) => payOnce(ada.post, transferBody(from, to, '0.01'), index)
  const late: Promise<Reply>[] = []
  const replies = await many(150, async (index) => {
    if (index === 75) {
      const out = await patiently(() => ada.post('/api/v1/auth/logout'))
      const isOut = out.status === 204 || out.body.code === 'session_revoked'
      assert.ok(isOut, out.text)
      for (let number = 0; number < 20; number++) late.push(send(1000 + number))
    }
    return send(index)
  })
  assert.deepEqual(tally(await Promise.all(late)), { '401 session_revoked': 20 })
  const counts = tally(replies)
  assert.equal((counts['201'] ?? 0) + (counts['401 session_revoked'] ?? 0), 150)
  const received = (counts['201'] ?? 0) / 100
  assert.equal(await readBalance(await fixture.as('ada'), to), received.toFixed(2))
  await assertSound(fixture)
})

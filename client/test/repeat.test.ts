// What the client does when an answer is late, lost, or a refusal that passes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiError,
  ApprovalPendingError,
  createClient,
  isBankError,
  OutcomeUnknownError,
} from '../src/index.ts'
import { type Answer, fakeBank, lost, refusal, reply } from './fake-bank.ts'

const body = { fromAccountId: 'a', toAccountId: 'b', amount: '1.00', currency: 'EUR' } as const
const made = reply(201, { id: 't' })
const keysOf = (requests: readonly { headers: Headers }[]) =>
  new Set(requests.map(({ headers }) => headers.get('idempotency-key')))

test('a payment is repeated under its one key until its outcome is known', async () => {
  const answers = [
    lost(),
    refusal(503, 'outcome_unknown', 2),
    refusal(409, 'request_in_progress'),
    refusal(500, 'internal_error'),
    () => new Response('<html>', { status: 502 }),
    () => new Response('{"id":', { status: 201 }),
    made,
  ]
  const { bank, requests, waits } = fakeBank(answers)
  assert.deepEqual(await bank.transfers.create(body), { id: 't' })
  assert.equal(requests.length, answers.length)
  const keys = keysOf(requests)
  assert.equal(keys.size, 1)
  assert.match([...keys][0] as string, /^[0-9a-f-]{36}$/)
  assert.deepEqual(new Set(requests.map((each) => JSON.stringify(each.body))).size, 1)
  assert.equal(waits[1], 2000)
})

test('a change that a second person has to approve is told apart from one that is done', async () => {
  const approvalId = '01981f7e-4c00-7000-8000-617070726f76'
  const location = `/api/v1/admin/approvals/${approvalId}`
  const held = reply(202, { approvalId, status: 'pending' }, { location })
  const { bank, requests } = fakeBank([lost(), held])
  const paidIn = { amount: '1.00', currency: 'EUR', reason: 'Counter' } as const
  await assert.rejects(bank.admin.accounts.createDeposit('a', paidIn), (thrown) => {
    assert.ok(thrown instanceof ApprovalPendingError && isBankError(thrown))
    assert.deepEqual([thrown.approvalId, thrown.location], [approvalId, location])
    return true
  })
  assert.equal(keysOf(requests).size, 1)
  const delivery = fakeBank([reply(202, { id: 'd' })])
  assert.deepEqual(await delivery.bank.admin.webhooks.test('w'), { id: 'd' })
})

test('each payment has a key of its own, or the one that is given', async () => {
  const { bank, requests } = fakeBank([made])
  await bank.transfers.create(body)
  await bank.transfers.create(body)
  await bank.transfers.create(body, { idempotencyKey: 'mine' })
  assert.equal(keysOf(requests).size, 3)
  assert.equal(requests[2]?.headers.get('idempotency-key'), 'mine')
})

test('a confirmation is sent with the request, under the key of the first attempt', async () => {
  const { bank, requests } = fakeBank([made])
  await bank.transfers.create(body, { confirmation: 'c', idempotencyKey: 'mine' })
  const [sent] = requests
  assert.equal(sent?.headers.get('confirmation'), 'c')
  assert.equal(sent.headers.get('idempotency-key'), 'mine')
})

test('a refusal after a lost answer is the outcome only if it tells of every attempt', async () => {
  for (const [status, code] of [
    [400, 'invalid_request'],
    [404, 'not_found'],
    [409, 'insufficient_funds'],
    [422, 'idempotency_key_reused'],
  ] as const) {
    const { bank } = fakeBank([lost(), refusal(status, code)])
    await assert.rejects(bank.transfers.create(body), { name: 'ApiError', code, status })
  }
  for (const [status, code] of [
    [401, 'session_expired'],
    [403, 'forbidden'],
  ] as const) {
    const { bank, requests } = fakeBank([lost(), refusal(status, code)])
    const thrown = await bank.transfers.create(body).catch((error: unknown) => error)
    assert.ok(thrown instanceof OutcomeUnknownError)
    assert.equal(thrown.idempotencyKey, requests[0]?.headers.get('idempotency-key'))
    assert.equal((thrown.cause as ApiError).code, code)
    const direct = fakeBank([refusal(status, code)])
    await assert.rejects(direct.bank.transfers.create(body), { name: 'ApiError', code })
  }
})

test('an attempt that surely had no effect does not settle an earlier one that may have', async () => {
  for (const last of [refusal(503, 'unavailable', 1), lost('ECONNREFUSED')]) {
    const { bank } = fakeBank([lost(), last], { deadlineSeconds: 10 })
    await assert.rejects(bank.transfers.create(body), { code: 'outcome_unknown' })
    const direct = fakeBank([last], { deadlineSeconds: 10 })
    await assert.rejects(direct.bank.transfers.create(body), { code: /unavailable|not_reached/ })
  }
})

test('after the deadline the error holds the key, and the payment goes on under it', async () => {
  const { bank, requests, clock, waits } = fakeBank([lost()], { deadlineSeconds: 20 })
  const startedAt = clock.at
  const thrown = await bank.transfers.create(body).catch((error: unknown) => error)
  assert.ok(isBankError(thrown) && thrown.code === 'outcome_unknown')
  assert.ok(clock.at - startedAt <= 20_000 && clock.at - startedAt > 14_000)
  assert.ok(waits.every((wait) => wait <= 5000))
  assert.deepEqual([...keysOf(requests)], [thrown.idempotencyKey])
  const later = fakeBank([made])
  await later.bank.transfers.create(body, { idempotencyKey: thrown.idempotencyKey })
  assert.deepEqual([...keysOf(later.requests)], [thrown.idempotencyKey])
})

test('Retry-After is waited for exactly, and a longer one than wanted is thrown at once', async () => {
  const answers: Answer[] = [
    refusal(429, 'rate_limited', 7),
    refusal(503, 'unavailable', 1),
    reply(200, { id: 'a' }),
  ]
  const { bank, waits } = fakeBank(answers)
  await bank.accounts.get('a')
  assert.deepEqual(waits, [7000, 1000])

  const impatient = fakeBank([refusal(429, 'rate_limited', 7)], { retryAfterSecondsMax: 6 })
  await assert.rejects(impatient.bank.accounts.get('a'), {
    code: 'rate_limited',
    retryAfterSeconds: 7,
  })
  assert.deepEqual(impatient.waits, [])

  const late = fakeBank([refusal(429, 'rate_limited', 7)], { deadlineSeconds: 15 })
  await assert.rejects(late.bank.accounts.get('a'), { code: 'rate_limited' })
  assert.deepEqual(late.waits, [7000, 7000])
})

test('the clock of the client itself waits no less than it is told', async () => {
  const answers = [refusal(429, 'rate_limited', 1), reply(200, {})]
  const startedAt = performance.now()
  const bank = createClient({
    baseUrl: 'https://bank.example',
    fetch: async () => (answers.shift() as () => Response)(),
  })
  await bank.me.get()
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs >= 999 && tookMs < 5000, String(tookMs))
})

test('a change without a key is repeated only while it surely had no effect', async () => {
  const card = reply(200, { id: 'c' })
  const safe = fakeBank([lost('ECONNREFUSED'), refusal(503, 'unavailable', 1), card])
  assert.deepEqual(await safe.bank.cards.freeze('c'), { id: 'c' })
  for (const answer of [
    lost(),
    refusal(503, 'outcome_unknown', 1),
    refusal(500, 'internal_error'),
  ]) {
    const { bank, requests } = fakeBank([answer, card])
    await assert.rejects(bank.cards.freeze('c'), {
      code: 'outcome_unknown',
      idempotencyKey: undefined,
    })
    assert.equal(requests.length, 1)
  }
})

test('what has an external identifier is repeated by it, and takes no key', async () => {
  const answers = [lost(), refusal(503, 'outcome_unknown', 1), reply(200, { id: 't' })]
  const sent = fakeBank(answers)
  await sent.bank.admin.transfers.send('t', { externalId: 'A' })
  assert.equal(sent.requests.length, 3)
  assert.deepEqual([...keysOf(sent.requests)], [null])
  const returned = fakeBank(answers)
  await returned.bank.admin.transfers.return('t', { body: { externalId: 'B' } })
  assert.equal(returned.requests.length, 3)
  const plain = fakeBank(answers)
  await assert.rejects(plain.bank.admin.transfers.return('t'), { code: 'outcome_unknown' })
  assert.equal(plain.requests.length, 1)
  // Many at once: where each has one.
  const many = fakeBank(answers)
  const numbered = { id: 't', externalId: 'A' }
  await many.bank.admin.transfers.settleBatch({ items: [numbered, numbered] })
  assert.equal(many.requests.length, 3)
  assert.deepEqual([...keysOf(many.requests)], [null])
  const some = fakeBank(answers)
  const items = [numbered, { id: 'u' }]
  await assert.rejects(some.bank.admin.transfers.settleBatch({ items }), {
    code: 'outcome_unknown',
  })
  assert.equal(some.requests.length, 1)
})

test('a read is repeated until it is answered, and ends as not reached', async () => {
  const { bank, requests } = fakeBank([lost(), lost('ECONNREFUSED'), reply(200, { id: 'a' })])
  await bank.accounts.get('a')
  assert.equal(requests.length, 3)
  const away = fakeBank([lost('ECONNREFUSED')], { deadlineSeconds: 5 })
  await assert.rejects(away.bank.accounts.get('a'), { code: 'not_reached' })
  await assert.rejects(away.bank.transfers.create(body), { code: 'not_reached' })
})

test('what a repeat cannot help is not repeated', async () => {
  for (const answer of [
    lost('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    () => new Response('<html>', { status: 404 }),
    () => new Response(null, { status: 301, headers: { location: 'https://elsewhere' } }),
  ]) {
    const { bank, requests } = fakeBank([answer])
    await assert.rejects(bank.transfers.create(body), { code: 'not_reached' })
    assert.equal(requests.length, 1)
  }
})

test('an aborted read throws the reason, an aborted payment that was sent holds its key', async () => {
  const reason = new Error('enough')
  const stop = new AbortController()
  const hang: Answer = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
      stop.abort(reason)
    })
  const { bank, requests } = fakeBank([hang])
  const { signal } = stop
  const thrown = await bank.transfers.create(body, { signal }).catch((error: unknown) => error)
  assert.ok(thrown instanceof OutcomeUnknownError)
  assert.equal(thrown.cause, reason)
  assert.deepEqual([...keysOf(requests)], [thrown.idempotencyKey])

  await assert.rejects(bank.transfers.create(body, { signal }), reason)
  await assert.rejects(bank.accounts.get('a', { signal }), reason)
  assert.equal(requests.length, 1, 'nothing is sent with a signal that is aborted')
  const during = new AbortController()
  const read = fakeBank([
    () => {
      during.abort(reason)
      throw new TypeError('fetch failed')
    },
  ])
  await assert.rejects(read.bank.accounts.get('a', { signal: during.signal }), reason)
})

test('an attempt is given up after its time, and no attempt outlives the deadline', async () => {
  const late: Answer = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    )
  const { bank, requests } = fakeBank([late, made], { attemptSeconds: 0.02 })
  await bank.transfers.create(body)
  assert.equal(requests.length, 2)
})

// Requests of a whole service, as the collector sees them and as the log names them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { attribute, type Collector, collector, type Received } from './support/collector.ts'
import { many, scene, sceneIn, tally, transferBody } from './support/fixture.ts'
import { waitingForLock } from './support/locks.ts'
import { people, world, type World } from './support/world.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`
const details = '/api/v1/accounts/:accountId/details'

const answered = ({ logged }: Pick<World, 'logged'>, route: string) =>
  logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['message'] === 'answered' && line['route'] === route)

const tracing = ({ url }: Collector, ratio = '1') => ({
  settings: { OTLP_URL: url, TRACE_RATIO: ratio },
})

const requestsTo = ({ spans }: Collector, route: string): Received[] =>
  spans.filter(({ name }) => name.endsWith(` ${route}`))

test('without a collector, log lines name the span of the caller; a forged one is ignored', async (t) => {
  const { ada, from, logged } = await scene(t)
  const path = `/api/v1/accounts/${from}/details`
  await ada.get(path, { headers: { traceparent } })
  await ada.get(path)
  for (const forged of ['x'.repeat(55), `00-${traceId}-${'0'.repeat(16)}-01`]) {
    const reply = await ada.get(path, { headers: { traceparent: forged } })
    assert.equal(reply.status, 200)
  }
  await ada.get(path, { headers: { traceparent: [traceparent, traceparent] } })
  const named = answered({ logged }, details).map((line) => [line['traceId'], line['spanId']])
  const nothing = [undefined, undefined]
  assert.deepEqual(named, [[traceId, spanId], nothing, nothing, nothing, nothing])
})

test('a request is a span with its gate and its statements, and without what it was about', async (t) => {
  const to = await collector(t)
  const bank = await sceneIn(await world(t, tracing(to)))
  const { ada, from } = bank
  const { body } = await ada.get(`/api/v1/accounts/${from}/details`, { headers: { traceparent } })
  assert.equal((await ada.get('/api/v1/accounts?limit=7&cursor=secret')).status, 400)
  assert.equal((await ada.get('/api/v1/admin/users?search=mallory')).status, 403)
  assert.equal((await bank.send('GET', '/nowhere/mumble')).status, 404)
  const target = `/portal/api/v1/accounts/${from}/details`
  const page = { 'sec-fetch-site': 'same-origin' }
  assert.equal((await bank.send('GET', target, { headers: page })).status, 401)
  await bank.running.close()

  const [root] = requestsTo(to, details)
  const [onPortal] = requestsTo(to, details).filter(
    (one) => attribute(one, 'http.response.status_code') === '401',
  )
  assert.ok(root)
  assert.deepEqual([root.traceId, root.parentSpanId, root.kind], [traceId, spanId, 2])
  assert.equal(attribute(root, 'http.response.status_code'), '200')
  const url = (of: Received | undefined) =>
    ['scheme', 'path'].map((part) => attribute(of ?? assert.fail(), `url.${part}`))
  assert.deepEqual(url(root), ['https', '/api/v1/accounts/REDACTED/details'])
  const below = (parent: Received) => to.spans.filter((one) => one.parentSpanId === parent.spanId)
  assert.deepEqual(
    below(root).map(({ name }) => name),
    ['gate.admit', 'gate.ownership'],
  )
  const [admit] = below(root)
  assert.deepEqual(
    below(admit ?? assert.fail())
      .map(({ name, kind }) => `${name} ${kind}`)
      .toSorted(),
    ['accounts_read_details 3', 'gate_read_sessions 3'],
    'looked up together',
  )
  const [line] = answered(bank, details)
  assert.deepEqual([line?.['traceId'], line?.['spanId']], [traceId, root.spanId])

  const [forbidden] = requestsTo(to, '/api/v1/admin/users').filter(
    (one) => attribute(one, 'http.response.status_code') === '403',
  )
  assert.equal(attribute(forbidden ?? assert.fail(), 'error.type'), 'forbidden')
  const [lost] = to.spans.filter(({ name }) => name === 'none')
  assert.ok(lost)
  assert.equal(attribute(lost, 'http.route'), undefined)
  assert.equal(attribute(lost, 'http.request.method'), '_OTHER')
  assert.deepEqual(url(lost), ['https', '/REDACTED'])
  assert.deepEqual(url(onPortal), ['https', '/portal/api/v1/accounts/REDACTED/details'])

  const secrets = [from, people.ada.id, body.iban, ada.token, ada.sessionId, body.holder.email]
  for (const text of [
    ...secrets,
    'cursor',
    'mallory',
    'mumble',
    '127.0.0.1',
    'nowhere',
    '/api/v1/me?',
  ]) {
    assert.ok(!to.bodies.join('').includes(text), text)
  }
})

test('a statement that answers many requests is linked to each of them, and so is a batch', async (t) => {
  /** Twenty reads and twenty payments at once; undefined if a busy machine refused one of them. */
  async function crowds() {
    const to = await collector(t)
    const bank = await sceneIn(await world(t, tracing(to)))
    const { ada, from, to: other } = bank
    // While the look-ups of two wait for a lock, those of the others gather.
    await bank.sql('begin')
    await bank.sql('lock table accounts')
    const once = { isPatient: false }
    const reading = many(20, () => ada.get(`/api/v1/accounts/${from}/details`, once))
    await waitingForLock(bank)
    assert.equal((await bank.send('GET', '/healthz')).status, 200)
    await bank.sql('commit')
    const read = await reading
    const paid = await many(20, (index) =>
      ada.post('/api/v1/transfers', transferBody(from, other, `1.${10 + index}`), once),
    )
    await bank.running.close()
    const counts = tally([...read, ...paid])
    if (Object.keys(counts).some((told) => told.startsWith('503 '))) return undefined
    assert.deepEqual(counts, { 200: 20, 201: 20 })
    return to
  }
  const to = (await crowds()) ?? (await crowds()) ?? (await crowds()) ?? assert.fail('refused')

  const served = (name: string, roots: readonly Received[]): string[] => {
    const statements = to.spans.filter((span) => span.name === name)
    assert.ok(statements.length < roots.length, `${statements.length} ${name} are shared`)
    assert.ok(statements.some(({ links = [] }) => links.length > 0))
    return statements.flatMap((span) => [
      span.parentSpanId ?? '',
      ...(span.links ?? []).map((link) => link.spanId),
    ])
  }
  const ids = (spans: readonly Received[]) => spans.map((span) => span.spanId).toSorted()
  const reads = requestsTo(to, details)
  assert.equal(reads.length, 20)
  const admissions = to.spans.filter(
    ({ name, parentSpanId }) =>
      name === 'gate.admit' && reads.some(({ spanId }) => spanId === parentSpanId),
  )
  assert.deepEqual(served('accounts_read_details', reads).toSorted(), ids(admissions))
  const transfers = to.spans.filter(({ name }) => name === 'POST /api/v1/transfers')
  assert.equal(transfers.length, 20)
  const inBatches = new Set(served('ledger.batch', transfers))
  for (const id of ids(transfers)) assert.ok(inBatches.has(id), 'each transfer is in one')
  const batches = to.spans.filter(({ name }) => name === 'ledger.batch')
  const sizes = batches.map((span) => Number(attribute(span, 'db.operation.batch.size')))
  // The deposit is one of them.
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    21,
  )
  const [batch] = batches.filter(({ links }) => links)
  const within = to.spans.filter((span) => span.parentSpanId === batch?.spanId)
  for (const name of ['ledger_lock_accounts', 'ledger_write_batch', 'commit']) {
    assert.ok(
      within.some((span) => span.name === name),
      name,
    )
  }
})

test('a collector that hangs delays no request, and the end by two seconds at most', async (t) => {
  const to = await collector(t)
  to.mood = 'hangs'
  const bank = await sceneIn(await world(t, tracing(to)))
  /** Whether fifty requests are answered during one attempt at the collector, of five seconds. */
  async function isAnswered(): Promise<boolean> {
    while (to.hanging === undefined) await sleep(20)
    const before = to.hanging
    const replies = await many(50, () => bank.ada.get(`/api/v1/accounts/${bank.from}`))
    assert.ok(replies.every(({ status }) => status === 200))
    return to.hanging === before
  }
  // One that waited for the collector would never be; a busy machine takes longer now and then.
  let turns = 1
  while (!(await isAnswered())) assert.ok(turns++ < 10, 'requests wait for the collector')
  const closing = bank.running.close().then(() => 'closed')
  assert.equal(await Promise.race([closing, sleep(8000, 'late', { ref: false })]), 'closed')
})

test('with the ratio 0, only callers that ask are traced, ten in a second between them', async (t) => {
  const to = await collector(t)
  const bank = await sceneIn(await world(t, tracing(to, '0')))
  const path = `/api/v1/accounts/${bank.from}/details`
  const replies = await many(40, () => bank.ada.get(path, { headers: { traceparent } }))
  assert.ok(replies.every(({ status }) => status === 200))
  await bank.running.close()
  assert.equal(requestsTo(to, details).length, 10)
  assert.equal(
    to.spans.every((span) => span.traceId === traceId),
    true,
  )
  // A busy machine refuses one of a crowd, which asks again.
  assert.ok(answered(bank, details).filter((line) => line['traceId'] === traceId).length >= 40)
})

// What the page does without a browser: addresses, days, and how long a call waits.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { findPage, type PageName, pages, to } from '../src/state/paths.ts'
import { speak, units } from './units-support.ts'

type Answered = { status: number; body?: object; headers?: Record<string, string> } | 'lost'

const limited = (seconds: number): Answered => ({
  status: 429,
  body: { code: 'rate_limited' },
  headers: { 'retry-after': String(seconds) },
})
const refused = (status: number, code: string, headers = {}): Answered => ({
  status,
  body: { code },
  headers,
})
const done = (body = {}): Answered => ({ status: 200, body })

type SentRequest = { url: string; method: string; key: string | null }

/** Answers the requests in turn. Pauses end at once, and are written down in seconds. */
function answerWith(t: TestContext, ...answers: Answered[]) {
  const asked: SentRequest[] = []
  const waits: number[] = []
  // One that stands over another would put that one back at the end of the test.
  t.mock.restoreAll()
  t.mock.method(globalThis, 'fetch', async (url: string, { method, headers }: RequestInit) => {
    asked.push({ url, method: method ?? '', key: (headers as Headers).get('idempotency-key') })
    const answer = answers.shift() ?? assert.fail(`${method} ${url} was not expected`)
    if (answer === 'lost') throw new TypeError('network')
    const { status, body, headers: fields = {} } = answer
    return new Response(status === 204 ? null : JSON.stringify(body), { status, headers: fields })
  })
  t.mock.method(globalThis, 'setTimeout', (run: () => void, milliseconds: number) => {
    waits.push(milliseconds / 1000)
    queueMicrotask(run)
    return 0
  })
  return { asked, waits, left: answers }
}

const failsWith = (code: string) => (thrown: unknown) =>
  thrown instanceof units.Failure && thrown.code === code

test('each page has one address, and each address one page; fixed ones come first', () => {
  for (const name of Object.keys(pages) as PageName[]) {
    const address = pages[name].path.replace(/:\w+/g, '019b7def-6680-708c-92a4-f972713f3d30')
    assert.equal(findPage(address)?.name, name, address)
    assert.equal(findPage(`${address}/more`)?.name === name, false)
  }
  assert.deepEqual(findPage('/portal/accounts/7/entries/8'), {
    name: 'entry',
    parameters: { accountId: '7', transactionId: '8' },
  })
  assert.equal(findPage('/portal/accounts/new')?.name, 'accountNew')
  assert.equal(findPage('/portal/staff/users/new')?.name, 'userNew')
  for (const unknown of ['/portal', '/portal/accounts/', '/portal/x', '/portal/accounts//close']) {
    assert.equal(findPage(unknown), undefined, unknown)
  }
  assert.equal(to('account', { accountId: 'a/b?c' }), '/portal/accounts/a%2Fb%3Fc')
})

test('amounts are shown and added exactly, with all their digits', () => {
  speak('en-GB')
  assert.equal(units.formatMoney('-999999999999999.99', 'EUR'), '\u2212€999,999,999,999,999.99')
  assert.equal(units.formatMoney('5.00', 'EUR', 'exceptZero'), '+€5.00')
  assert.equal(units.formatMoney('0.00', 'EUR', 'exceptZero'), '€0.00')
  assert.equal(units.formatMoney('1.005', 'KWD'), 'KWD\u00a01.005')
  assert.equal(units.formatMoney('7000', 'JPY'), 'JP¥7,000')
  speak('de-DE')
  assert.equal(units.formatMoney('-1234.50', 'EUR'), '\u22121.234,50\u00a0€')
  assert.equal(units.formatCount(12_345), '12.345')
  assert.equal(units.sum(['0.10', '0.20', '-0.05'], 'EUR'), '0.25')
  assert.equal(units.sum(['999999999999999.99', '0.01'], 'EUR'), '1000000000000000.00')
  assert.equal(units.sum([], 'JPY'), '0')
  assert.equal(units.negate('-1.00') + units.negate('1.00'), '1.00-1.00')
})

test('a day begins with its first moment, also where its midnight is skipped or comes twice', (t) => {
  t.after(() => units.changePreferences({ timeZone: 'auto' }))
  const skipped = ['Asia/Beirut', 'Africa/Cairo', 'America/Santiago']
  const skippedAndTwice = ['America/Havana', 'Atlantic/Azores']
  const others = ['Europe/Berlin', 'Pacific/Kiritimati', 'UTC']
  for (const zone of [...skipped, ...skippedAndTwice, ...others]) {
    units.changePreferences({ timeZone: zone })
    const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
    for (let [at, days] = [Date.UTC(2026, 0, 1), 0]; days < 365; days++, at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10)
      const start = Date.parse(units.dayStart(day))
      assert.equal(format.format(start), day, `${zone}: the first moment`)
      assert.ok(format.format(start - 1) < day, `${zone} ${day}: the moment before`)
      assert.equal(units.dayStart('2026-01-01', days), new Date(start).toISOString())
    }
  }
  units.changePreferences({ timeZone: 'Asia/Beirut' })
  assert.equal(units.dayStart('2026-03-29'), '2026-03-28T22:00:00.000Z')
})

test('a refusal tells its code, its fields, its wait and its request', async (t) => {
  const headers = { 'retry-after': '7', 'x-request-id': 'r', location: '/api/v1/transfers/1' }
  const details = [{ path: '/body/amount' }, { path: '/body/payee/name' }]
  const answer = { status: 400, body: { code: 'invalid_request', details }, headers }
  answerWith(t, answer, 'lost', { status: 502 }, { status: 204 })
  const send = () => units.send({ method: 'GET', path: '/me' })
  await assert.rejects(send(), {
    code: 'invalid_request',
    status: 400,
    fields: ['amount', 'name'],
    waitSeconds: 7,
    requestId: 'r',
    location: '/api/v1/transfers/1',
  })
  await assert.rejects(send(), { code: 'offline', status: 0, fields: [] })
  await assert.rejects(send(), { code: 'internal_error', status: 502 })
  assert.equal(await send(), undefined)
})

test('what waits for a second person is not done, also where an answer was lost before', async (t) => {
  const headers = { location: '/api/v1/admin/approvals/1' }
  const held = { status: 202, body: { id: '1', status: 'pending' }, headers }
  answerWith(t, held)
  await assert.rejects(units.send({ method: 'POST', path: '/x' }), failsWith('approval_pending'))
  const { asked } = answerWith(t, 'lost', held)
  const change = { method: 'POST', path: '/x', key: 'k', isRepeatable: true }
  await assert.rejects(
    units.sendUntilKnown(change, () => undefined),
    failsWith('approval_pending'),
  )
  assert.equal(asked.length, 2)
})

test('a read waits for its turn by itself, but not long and not for ever', async (t) => {
  const read = () => units.readOnce('/me', new AbortController().signal)
  const first = answerWith(t, limited(2), refused(503, 'unavailable'), 'lost', done({ id: 1 }))
  assert.deepEqual(await read(), { id: 1 })
  assert.deepEqual(first.waits, [2, 1, 1])
  const { waits } = answerWith(t, limited(11))
  await assert.rejects(read(), failsWith('rate_limited'))
  assert.deepEqual(waits, [])
  const four = answerWith(t, 'lost', 'lost', 'lost', 'lost', done())
  await assert.rejects(read(), failsWith('offline'))
  assert.equal(four.asked.length, 4)
  answerWith(t, refused(404, 'not_found'))
  await assert.rejects(read(), failsWith('not_found'))
})

const change = { method: 'POST', path: '/transfers', body: {}, key: 'k' } as const
const repeatable = { ...change, isRepeatable: true }
const once = { ...change, isRepeatable: false }
const never = () => assert.fail('no answer was lost')

test('a change waits a short Retry-After, three times; a longer one is told', async (t) => {
  const { waits } = answerWith(t, limited(3), limited(1), done({ id: 1 }))
  assert.deepEqual(await units.sendUntilKnown(repeatable, never), { id: 1 })
  assert.deepEqual(waits, [3, 1])
  const long = answerWith(t, limited(4))
  await assert.rejects(units.sendUntilKnown(repeatable, never), failsWith('rate_limited'))
  assert.deepEqual(long.waits, [])
  const many = answerWith(t, limited(1), limited(1), limited(1), limited(1), done())
  await assert.rejects(units.sendUntilKnown(repeatable, never), failsWith('rate_limited'))
  assert.equal(many.asked.length, 4)
  answerWith(t, refused(409, 'insufficient_funds'))
  await assert.rejects(units.sendUntilKnown(repeatable, never), failsWith('insufficient_funds'))
})

test('after a lost answer only an answer ends it, and each repeat carries the same key', async (t) => {
  const unknown = refused(503, 'outcome_unknown', { 'retry-after': '5' })
  const running = refused(409, 'request_in_progress')
  const { asked, waits } = answerWith(
    t,
    'lost',
    unknown,
    running,
    limited(60),
    'lost',
    done({ id: 1 }),
  )
  let lost = 0
  assert.deepEqual(await units.sendUntilKnown(repeatable, () => void lost++), { id: 1 })
  assert.deepEqual(waits, [1, 5, 4, 60, 8])
  assert.equal(lost, 5)
  assert.deepEqual(
    asked.map(({ key }) => key),
    Array(6).fill('k'),
  )
  answerWith(t, 'lost', refused(409, 'insufficient_funds'))
  const later = units.sendUntilKnown(repeatable, () => undefined)
  await assert.rejects(later, failsWith('insufficient_funds'))
  for (const [answer, code] of [
    ['lost', 'offline'],
    [unknown, 'outcome_unknown'],
  ] as const) {
    const { asked: sent } = answerWith(t, answer)
    await assert.rejects(units.sendUntilKnown(once, never), failsWith(code))
    assert.equal(sent.length, 1, 'what is not repeatable is sent once')
  }
})

test('what was sent in one session is not sent again in the next one', async (t) => {
  for (const answer of ['lost', limited(1), refused(503, 'outcome_unknown')] as const) {
    const ending = new AbortController()
    const { asked } = answerWith(t, answer, done({ id: 1 }))
    // The session ends while the answer is awaited.
    const { fetch } = globalThis
    t.mock.method(globalThis, 'fetch', (...sent: Parameters<typeof fetch>) => {
      ending.abort()
      return fetch(...sent)
    })
    await assert.rejects(
      units.sendUntilKnown(repeatable, () => undefined, ending.signal),
      { name: 'AbortError' },
    )
    assert.equal(asked.length, 1)
    await assert.rejects(units.pauseFor(1, ending.signal), { name: 'AbortError' })
  }
})

test('a payment is settled once: a lost answer is looked for in the payment', async (t) => {
  const run = async (...answers: Answered[]) => {
    const { asked, waits, left } = answerWith(t, ...answers)
    const told: string[] = []
    const outcome = await units.endPayment({ id: '1' }, 'settle', {
      tell: ({ state }) => void (told.at(-1) === state || told.push(state)),
    })
    assert.equal(left.length, 0)
    return { outcome, told, waits, methods: asked.map(({ method }) => method).join(' ') }
  }
  const [settled, returned] = [{ status: 'completed' }, { status: 'returned' }]
  const [pending, conflict] = [{ status: 'pending' }, refused(409, 'illegal_transition')]
  assert.deepEqual(await run(limited(1), done(settled)), {
    outcome: { state: 'done', status: 'completed' },
    told: ['sending'],
    waits: [1],
    methods: 'POST POST',
  })
  assert.deepEqual(await run('lost', 'lost', done(settled)), {
    outcome: { state: 'done', status: 'completed' },
    told: ['sending', 'checking'],
    waits: [2, 2],
    methods: 'POST GET GET',
  })
  const again = await run('lost', done(pending), done(settled))
  assert.deepEqual([again.outcome.state, again.methods], ['done', 'POST GET POST'])
  const others = await run(conflict, done(settled))
  assert.deepEqual(others.outcome, { state: 'others', status: 'completed' })
  const other = await run('lost', done(returned))
  assert.deepEqual(other.outcome, { state: 'others', status: 'returned' })
  const closed = await run(refused(409, 'account_closed'))
  assert.deepEqual([closed.outcome.state, closed.methods], ['refused', 'POST'])
  const broken = Array.from({ length: 5 }, () => [refused(500, 'internal_error'), done(pending)])
  assert.equal((await run(...broken.flat())).outcome.state, 'refused')
  answerWith(t, limited(61))
  await assert.rejects(
    units.endPayment({ id: '1' }, 'settle', { tell: () => undefined }),
    units.RunEnded,
  )
})

// What the page does without a browser: addresses, days, and how long a call waits.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { texts as common } from '../../languages/en/portal/common.ts'
import { texts as ofLedger } from '../../languages/en/portal/ledger.ts'
import { texts as many } from '../../languages/en/portal/many-postings.ts'
import { findPage, type PageName, pages, to } from '../src/state/paths.ts'
import { speak, units } from './units-support.ts'

const { required } = common.form
const { cash } = ofLedger

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
    // A mock over that of `answerWith` would put that one back at the end of the test.
    globalThis.fetch = (...sent: Parameters<typeof fetch>) => {
      ending.abort()
      return fetch(...sent)
    }
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

test('of many payments each has its own outcome: what may pass is sent again, all else is told', async (t) => {
  type Result = { id: string; transfer?: { status: string }; error?: { code: string } }
  const gives = (...results: Result[]) => done({ results })
  const isDone = (id: string) => ({ id, transfer: { status: 'completed' } })
  const fails = (id: string, code: string) => ({ id, error: { code } })
  const run = async (count: number, ...answers: Answered[]) => {
    const { asked, waits, left } = answerWith(t, ...answers)
    const told = new Map<string, string[]>()
    const payments = Array.from({ length: count }, (_, at) => ({ id: String(at + 1) }))
    const isMade = await units.moveMany(payments, 'settle', {
      tell: (id, { state }) => void told.set(id, [...(told.get(id) ?? []), state]),
      signal: new AbortController().signal,
    })
    assert.equal(left.length, 0)
    const states = [...told.values()].map((each) => each.join(' '))
    return { isMade, states, waits, methods: asked.map(({ method }) => method).join(' ') }
  }
  assert.deepEqual(await run(2, gives(isDone('1'), fails('2', 'account_closed'))), {
    isMade: true,
    states: ['sending done', 'sending refused'],
    waits: [],
    methods: 'POST',
  })
  assert.deepEqual(
    await run(2, gives(fails('1', 'unavailable'), isDone('2')), gives(isDone('1'))),
    {
      isMade: true,
      states: ['sending sending done', 'sending done'],
      waits: [2],
      methods: 'POST POST',
    },
  )
  assert.deepEqual((await run(1, 'lost', gives(isDone('1')))).states, ['sending checking done'])
  for (const [status, state] of [
    ['completed', 'others'],
    ['returned', 'others'],
    ['pending', 'refused'],
    ['sent', 'refused'],
  ] as const) {
    const ended = await run(1, gives(fails('1', 'illegal_transition')), done({ status }))
    assert.deepEqual([ended.states, ended.methods], [[`sending ${state}`], 'POST GET'], status)
  }
  for (const code of ['unavailable', 'outcome_unknown', 'internal_error', 'request_in_progress']) {
    const passing = Array.from({ length: 5 }, () => gives(fails('1', code)))
    for (const [status, state] of [
      ['completed', 'done'],
      ['returned', 'others'],
      ['pending', 'refused'],
    ] as const) {
      const { states, waits } = await run(1, ...passing, done({ status }))
      assert.deepEqual([states, waits], [[`${'sending '.repeat(5)}${state}`], [2, 2, 2, 2]], code)
    }
  }
  const ids = Array.from({ length: 1001 }, (_, at) => String(at + 1))
  const rest = await run(1001, gives(...ids.slice(0, 1000).map(isDone)), gives(isDone('1001')))
  assert.deepEqual([rest.methods, new Set(rest.states)], ['POST POST', new Set(['sending done'])])
  assert.equal((await run(1, refused(403, 'forbidden'))).isMade, false)
  await assert.rejects(run(1, refused(401, 'unauthenticated')), units.RunEnded)
  assert.deepEqual((await run(0)).states, [])
})

test('rows of postings are read line by line, and what is wrong with one is told with its line', async () => {
  speak('en-GB')
  await units.loadTexts('accounts', 'manyPostings')
  const { faults: t } = many.postings
  const [iban, id] = ['DE89370400440532013000', '01940000-0000-7000-8000-000000000001']
  const row = { line: 1, from: iban, to: 'fees' }
  const item = { amount: '1.50', currency: 'EUR', kind: 'fee', reason: 'Card', externalId: 'N-1' }
  const good = `${iban};fees;1.50;EUR;fee;Card;N-1`
  const read = (text: string) => units.readRows(text, 's')
  for (const text of [
    good,
    `\ufeff${good}`,
    `${good};`,
    good.replaceAll(';', '\t'),
    good.replaceAll(';', ','),
    good.replace('EUR', 'eur').replace('fee;', 'Fee;').replace(iban, 'de89 3704 0044 0532 0130 00'),
  ]) {
    assert.deepEqual(read(text), { rows: [{ ...row, item }], faults: [] }, text)
  }
  const head = `From;To;Amount;Currency;Kind;Reason;Number\n\n${good}`
  assert.deepEqual(read(head).rows, [{ ...row, line: 3, item }])
  const own = read(`fees;${id.toUpperCase()};1.50;EUR;interest;Card`)
  const { from, to, item: paid } = own.rows[0] ?? assert.fail()
  assert.deepEqual(
    [from, to, paid['kind'], paid['externalId']],
    ['fees', id, 'interest', 'row-s-1'],
  )
  const long = (cell: string, length: number) => good.replace(cell, cell[0]?.repeat(length) ?? '')
  assert.deepEqual([read(long('Card', 140)).faults, read(long('N-1', 64)).faults], [[], []])
  for (const [text, message] of [
    ['', required],
    ['\n;;\n', required],
    ['a;b', t.cells('from;to;amount;currency;kind;reason;number')],
    [`${good};N-2`, t.cells('from;to;amount;currency;kind;reason;number')],
    [good.replace(iban, 'F'), t.side('F')],
    [good.replace('fees', 'DE88370400440532013000'), t.side('DE88370400440532013000')],
    [good.replace('fees', id), t.sides],
    [good.replace(iban, 'fees'), t.same],
    [good.replace('EUR', 'XXX'), t.currency('XXX')],
    [good.replace('1.50', ''), required],
    [good.replace(';fee;', ';tip;'), t.kind('Fee, Interest, Correction')],
    [good.replace('Card', ''), required],
    [long('Card', 141), t.long(140)],
    [long('N-1', 65), t.long(64)],
    ['"a;b', t.quote],
  ] as const) {
    assert.deepEqual(read(text).faults, [{ line: 1, message }], text)
  }
  assert.deepEqual(read(`${good}\n${good}`).faults, [{ line: 2, message: t.twice('N-1') }])
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => good.replace('N-1', `N-${at}`)).join('\n')
  assert.equal(read(rows(100)).rows.length, 100)
  const { tooMany } = many.postings
  assert.deepEqual(read(rows(101)), { rows: [], faults: [{ line: 101, message: tooMany(100) }] })
})

test('rows of postings become postings once each account that they name takes them', async (t) => {
  speak('en-GB')
  await units.loadTexts('accounts', 'manyPostings', 'ledger')
  const iban = 'DE89370400440532013000'
  const id = '01940000-0000-7000-8000-000000000001'
  const item = { amount: '1.50', currency: 'EUR', kind: 'fee', reason: 'Card' }
  const rows = [
    { line: 1, from: iban, to: 'fees', item: { ...item, externalId: 'N-1' } },
    { line: 3, from: 'fees', to: id, item: { ...item, externalId: 'row-1-3' } },
    { line: 4, from: 'fees', to: 'cash', item: { ...item, externalId: 'N-3' } },
  ]
  const banks = done({ items: ['fees', 'cash'].map((code) => ({ code, currency: 'EUR' })) })
  const account = { id: 'A', iban, ownerId: 'ada', status: 'active', currency: 'EUR' }
  const other = { ...account, id, iban: 'DE02120300000000202051' }
  const check = async (first: Answered, second: Answered, bank = banks) => {
    const { left } = answerWith(t, bank, first, second)
    const looked: string[] = []
    const tell = (at: number, all: number) => void looked.push(`${at} of ${all}`)
    const checked = await units.checkRows(rows, tell, new AbortController().signal)
    assert.deepEqual([left, looked], [[], ['0 of 2', '1 of 2']])
    return checked
  }
  const found = (more: object = {}) => done({ items: [{ ...account, ...more }] })
  const { items = assert.fail(), checked } = await check(found(), done(other))
  assert.deepEqual(items, [
    { ...rows[0]?.item, fromAccountId: 'A', toCode: 'fees' },
    { ...rows[1]?.item, fromCode: 'fees', toAccountId: id },
    { ...rows[2]?.item, fromCode: 'fees', toCode: 'cash' },
  ])
  const ibans = { A: iban, [id]: other.iban }
  assert.deepEqual(checked, { ibans, lines: { 'N-1': 1, 'row-1-3': 3, 'N-3': 4 } })
  assert.deepEqual(units.groupAmounts([...items, ...items.slice(0, 1)]), [
    { key: 'out EUR', direction: 'out', currency: 'EUR', amounts: ['1.50', '1.50'] },
    { key: 'in EUR', direction: 'in', currency: 'EUR', amounts: ['1.50'] },
    { key: 'between EUR', direction: 'between', currency: 'EUR', amounts: ['1.50'] },
  ])
  assert.equal(
    units.toRows(items, ibans),
    [
      `${iban}\tfees\t1.50\tEUR\tfee\tCard\tN-1`,
      `fees\t${other.iban}\t1.50\tEUR\tfee\tCard\t`,
      'fees\tcash\t1.50\tEUR\tfee\tCard\tN-3',
    ].join('\n'),
  )
  const { faults: f } = many.postings
  const { errors } = common
  for (const [first, second, faults, bank] of [
    [found({ status: 'frozen' }), done(other), [[1, cash.frozen]]],
    [found(), done({ ...other, status: 'frozen' }), []],
    [found({ status: 'closed' }), done(other), [[1, errors.account_closed]]],
    [found({ currency: 'USD' }), done(other), [[1, errors.currency_mismatch]]],
    [
      done({ items: [] }),
      refused(404, 'not_found'),
      [
        [1, f.noAccount(iban)],
        [3, f.noAccount(id)],
      ],
    ],
    [
      found(),
      done(other),
      [1, 3, 4].map((line) => [line, f.noBank('fees', 'EUR')]),
      done({ items: [] }),
    ],
    [
      found(),
      done(other),
      [1, 3, 4].map((line) => [line, f.noBank('fees', 'EUR')]),
      done({ items: [{ code: 'fees', currency: 'USD' }] }),
    ],
  ] as [Answered, Answered, unknown[], Answered?][]) {
    const told = (await check(first, second, bank)).faults ?? []
    assert.deepEqual(
      told.map(({ line, message }) => [line, message]),
      faults,
    )
  }
  await assert.rejects(check(found(), refused(403, 'forbidden')), failsWith('forbidden'))
})

test('a person is named by an identifier, or by a user name that the bank may not take', async (t) => {
  const id = '01940000-0000-7000-8000-000000000001'
  const find = async (typed: string, ...answers: Answered[]) => {
    const { asked } = answerWith(t, ...answers)
    return [await units.findPerson(typed), ...asked.map(({ url }) => url.split('/').at(-1))]
  }
  assert.deepEqual(await find(''), [''])
  assert.deepEqual(await find(` ${id} `), [id])
  const asked = 'users?username=a%26b'
  assert.deepEqual(await find(' a&b ', done({ items: [{ id }] })), [id, asked])
  assert.deepEqual(await find('a&b', done({ items: [] })), [undefined, asked])
  assert.deepEqual(await find('a&b', refused(400, 'invalid_request')), [undefined, asked])
  await assert.rejects(find('a&b', refused(403, 'forbidden')), failsWith('forbidden'))
})

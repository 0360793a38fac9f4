// The endpoints of transfers and transactions as a client meets them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deposit,
  openAccount,
  readBalance,
  readPages,
  scene,
  transferBody,
} from '../../../test/support/fixture.ts'
import { newId } from '../../domain/ids.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

test('a transfer is answered 201 with what was done, and can be read again', async (t) => {
  const { ada, from, to } = await scene(t)
  const body = transferBody(from, to, '12.5')
  const reply = await ada.post('/api/v1/transfers', { ...body, reference: 'Rent' })
  assert.equal(reply.status, 201, reply.text)
  const { id, createdAt, ...rest } = reply.body
  assert.deepEqual(rest, {
    kind: 'transfer',
    ...body,
    amount: '12.50',
    reference: 'Rent',
    status: 'completed',
  })
  assert.match(createdAt, /^2026-01-02T09:00:00.000Z$/)
  assert.equal(reply.headers['location'], `/api/v1/transfers/${id}`)
  assert.equal(reply.headers['idempotency-replayed'], undefined)
  assert.deepEqual((await ada.get(`/api/v1/transfers/${id}`)).body, reply.body)
  assert.deepEqual((await ada.get(`/transfers/${id}`)).body, reply.body)
  assert.equal(await readBalance(ada, from), '87.50')
  assert.equal(await readBalance(ada, to), '12.50')
})

test('bad input is refused and changes nothing', async (t) => {
  const { ada, from, to } = await scene(t)
  const good = transferBody(from, to)
  const amounts: unknown[] = [
    '0',
    '0.00',
    '-1',
    '+1',
    '1e2',
    '1.',
    '.5',
    '01',
    '1.005',
    '1,5',
    '1_000',
    ' 1',
    '0x10',
    '١٢',
    '１２',
    'NaN',
    'Infinity',
    '',
    '1000000000000000',
    1,
    1.5,
    null,
    ['1'],
    { a: 1 },
  ]
  const bodies: unknown[] = [
    ...amounts.map((amount) => ({ ...good, amount })),
    ...['eur', 'XXX', '', null, 978].map((currency) => ({ ...good, currency })),
    ...['JPY'].map((currency) => ({ ...good, currency, amount: '10.5' })),
    ...['x', '', null, from.toUpperCase(), `${from} `].map((toAccountId) => ({
      ...good,
      toAccountId,
    })),
    { ...good, toAccountId: from },
    { ...good, reference: '<b>' },
    { ...good, reference: 'x'.repeat(141) },
    { ...good, status: 'completed' },
    { ...good, fromAccountId: undefined },
    {},
    [],
  ]
  for (const body of bodies) {
    const reply = await ada.post('/api/v1/transfers', body)
    assert.equal(reply.status, 400, `${JSON.stringify(body)}: ${reply.text}`)
  }
  for (const key of ['', 'a b', 'é', 'x'.repeat(256), '\t']) {
    const headers = { 'idempotency-key': key }
    const reply = await ada.post('/api/v1/transfers', good, { headers })
    assert.equal(reply.status, 400, `${JSON.stringify(key)}: ${reply.text}`)
  }
  assert.equal(await readBalance(ada, from), '100.00')
  const dollars = await ada.post('/api/v1/transfers', { ...good, currency: 'USD' })
  assert.deepEqual([dollars.status, dollars.body.code], [409, 'currency_mismatch'])
})

test('the same amount in two notations is one request, which gets its first answer again', async (t) => {
  const { ada, from, to, clock } = await scene(t)
  const headers = { 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' }
  const body = transferBody(from, to, '1.5')
  const first = await ada.post('/api/v1/transfers', body, { headers })
  clock.advance(60_000)
  const again = await ada.post('/api/v1/transfers', { ...body, amount: '1.50' }, { headers })
  assert.equal(again.status, 201)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  const other = await ada.post('/api/v1/transfers', { ...body, amount: '1.51' }, { headers })
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  assert.equal(await readBalance(ada, to), '1.50')
})

test('without a key, a repetition is a duplicate, whose Location is the first transfer', async (t) => {
  const { ada, from, to, clock } = await scene(t)
  const body = transferBody(from, to, '1.5')
  const first = await ada.post('/api/v1/transfers', body)
  const again = await ada.post('/api/v1/transfers', body)
  assert.deepEqual([again.status, again.body.code], [409, 'duplicate_transfer'])
  assert.equal(again.headers['location'], `/api/v1/transfers/${first.body.id}`)
  assert.equal(again.body.details, undefined)
  clock.advance(10_000)
  assert.equal((await ada.post('/api/v1/transfers', body)).status, 201)
})

test('a customer sees and moves only money of own accounts', async (t) => {
  const { ada, as, root, from, to } = await scene(t)
  const ben = await as('ben')
  const bens = await openAccount(ben)
  const body = transferBody(from, to)
  const { body: posted } = await ada.post('/api/v1/transfers', body)
  const unknownId = newId(1)
  const denied = [
    await ben.post('/api/v1/transfers', body),
    await ben.post('/api/v1/transfers', { ...body, fromAccountId: bens }),
    await ada.post('/api/v1/transfers', { ...body, toAccountId: bens }),
    await ada.post('/api/v1/transfers', { ...body, toAccountId: unknownId }),
    await ada.post('/api/v1/transfers', { ...body, toAccountId: bankAccount('cash', 'EUR') }),
    await ben.get(`/api/v1/transfers/${posted.id}`),
    await ben.get(`/api/v1/transfers/${unknownId}`),
    await ben.get(`/api/v1/transfers?accountId=${from}`),
    await ben.get(`/api/v1/accounts/${from}/transactions`),
    await ben.get(`/api/v1/accounts/${bens}/transactions/${posted.id}`),
    await ben.get(`/api/v1/accounts/${bankAccount('cash', 'EUR')}/transactions`),
    await root.post('/api/v1/transfers', body),
    await ada.post(`/api/v1/admin/accounts/${from}/deposits`, { amount: '1' }),
  ]
  for (const reply of denied) assert.equal(reply.text, denied[0]?.text)
  for (const reply of denied) assert.equal(reply.status, 403)
  assert.deepEqual((await ben.get('/api/v1/transfers')).body.items, [])
  assert.equal((await ada.get('/api/v1/transfers')).body.items.length, 1)
  assert.equal((await root.get(`/api/v1/transfers/${unknownId}`)).status, 404)
})

test('transfers are listed by their source, page by page, newest first', async (t) => {
  const { ada, root, from, to, clock } = await scene(t)
  const ids: string[] = []
  for (let number = 1; number <= 5; number++) {
    clock.advance(1)
    const [source, target] = number % 2 ? [from, to] : [to, from]
    const body = { ...transferBody(source, target), reference: `${number}` }
    const reply = await ada.post('/api/v1/transfers', body)
    assert.equal(reply.status, 201, reply.text)
    ids.unshift(reply.body.id)
  }
  assert.deepEqual(
    (await readPages(ada, '/api/v1/transfers?limit=2')).map(({ id }) => id),
    ids,
  )
  const ofTarget = await readPages(ada, `/api/v1/transfers?accountId=${to}`)
  assert.deepEqual(
    ofTarget.map(({ id }) => id),
    [ids[1], ids[3]],
  )
  const all = await root.get('/api/v1/transfers')
  assert.equal(all.body.items.length, 6)
  const { body } = await ada.get('/api/v1/transfers?limit=2')
  const stolen = await root.get(`/api/v1/transfers?cursor=${body.nextCursor}`)
  assert.equal(stolen.status, 400)
})

test('an account’s history is filtered by day, time, kind and amount', async (t) => {
  const { root, from, clock } = await scene(t)
  for (let number = 1; number <= 9; number++) {
    clock.advance(60_000)
    await deposit(root, from, `${number}.00`)
  }
  const amounts = async (query: string) => {
    const reply = await root.get(`/api/v1/accounts/${from}/transactions?${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.items.map(({ amount }: { amount: string }) => amount)
  }
  assert.deepEqual(await amounts('limit=2'), ['9.00', '8.00'])
  const range = 'from=2026-01-02T09:07:00Z&to=2026-01-02T09:08:00.000Z'
  assert.deepEqual(await amounts(range), ['8.00', '7.00'])
  assert.deepEqual(await amounts('from=2026-01-02T09:08:00.001Z&limit=5'), ['9.00'])
  assert.deepEqual(await amounts('to=2026-01-01'), [])
  assert.deepEqual(await amounts('from=2026-01-03'), [])
  assert.equal((await amounts('from=2026-01-02&to=2026-01-02')).length, 10)
  assert.deepEqual(await amounts('minAmount=8&maxAmount=9.00'), ['9.00', '8.00'])
  assert.deepEqual(await amounts('kind=withdrawal'), [])
  for (const query of [
    'from=2026-02-30',
    'from=yesterday',
    'minAmount=1.005',
    'kind=x',
    'sort=1',
  ]) {
    const reply = await root.get(`/api/v1/accounts/${from}/transactions?${query}`)
    assert.equal(reply.status, 400, query)
  }
})

test('the pages of a history stay whole while money keeps moving', async (t) => {
  const { ada, root, from, clock } = await scene(t)
  for (let number = 1; number <= 7; number++) {
    clock.advance(1000)
    await deposit(root, from, `${number}.00`)
  }
  const path = `/api/v1/accounts/${from}/transactions?limit=3`
  const items = await readPages(ada, path, async (count) => {
    clock.advance(1000)
    await deposit(root, from, `5${count}.00`)
  })
  assert.deepEqual(
    items.map(({ amount }) => amount),
    [7, 6, 5, 4, 3, 2, 1, 100].map((amount) => `${amount}.00`),
  )
})

test('each account of a transfer shows a transaction of its own', async (t) => {
  const { ada, root, from, to } = await scene(t)
  const body = transferBody(from, to)
  const { body: posted } = await ada.post('/api/v1/transfers', { ...body, reference: 'Own' })
  const path = (accountId: string) => `/api/v1/accounts/${accountId}/transactions/${posted.id}`
  const out = (await ada.get(path(from))).body
  const into = (await ada.get(path(to))).body
  const { iban } = (await ada.get(`/api/v1/accounts/${to}`)).body
  assert.deepEqual(out, {
    id: posted.id,
    amount: '-1.00',
    currency: 'EUR',
    balanceAfter: '99.00',
    counterparty: { name: 'Ada Okafor', iban },
    reference: 'Own',
    kind: 'transfer',
    createdAt: posted.createdAt,
  })
  assert.deepEqual([into.amount, into.balanceAfter], ['1.00', '1.00'])
  assert.equal((await root.get(path(from))).status, 200)
  const list = (await ada.get(`/api/v1/accounts/${from}/transactions`)).body.items
  assert.deepEqual([list[0], list[1].kind, list[1].counterparty], [out, 'deposit', null])
})

test('cash goes in and out, and a reversal brings it back once', async (t) => {
  const { root, from, ada } = await scene(t)
  const cash = (verb: string, amount: string) =>
    root.post(`/api/v1/admin/accounts/${from}/${verb}`, { amount, currency: 'EUR', reason: 'Desk' })
  const out = await cash('withdrawals', '40.00')
  assert.equal(out.status, 201, out.text)
  assert.equal((await cash('withdrawals', '60.01')).body.code, 'insufficient_funds')
  assert.equal(await readBalance(ada, from), '60.00')
  const path = `/api/v1/admin/transfers/${out.body.id}`
  const back = await root.post(`${path}/reversal`, { reason: 'Wrong account' })
  assert.equal(back.status, 201, back.text)
  assert.deepEqual([back.body.kind, back.body.reversalOf], ['reversal', out.body.id])
  assert.equal(
    (await root.post(`${path}/reversal`, { reason: 'Again' })).body.code,
    'already_reversed',
  )
  const again = await root.get(`/api/v1/transfers/${out.body.id}`)
  assert.equal(again.body.reversedBy, back.body.id)
  assert.equal(await readBalance(ada, from), '100.00')
  assert.equal((await root.post(`${path}/settle`)).body.code, 'illegal_transition')
  assert.equal((await root.post(`${path}/return`)).body.code, 'illegal_transition')
  const nowhere = `/api/v1/admin/transfers/${newId(1)}`
  for (const verb of ['settle', 'return']) {
    assert.equal((await root.post(`${nowhere}/${verb}`)).status, 404)
  }
  const missing = `/api/v1/admin/accounts/${newId(1)}/deposits`
  const unknown = await root.post(missing, { amount: '1', currency: 'EUR', reason: 'x' })
  assert.equal(unknown.status, 404)
  const own = `/api/v1/admin/accounts/${bankAccount('clearing', 'EUR')}/deposits`
  assert.equal((await root.post(own, { amount: '1', currency: 'EUR', reason: 'x' })).status, 404)
})

test('yen have no minor digits and dinars have three', async (t) => {
  const { ada, root } = await scene(t)
  const [yen, dinars] = [await openAccount(ada, 'JPY'), await openAccount(ada, 'KWD')]
  assert.equal((await deposit(root, yen, '1000', 'JPY')).amount, '1000')
  assert.equal((await deposit(root, dinars, '0.001', 'KWD')).amount, '0.001')
  assert.equal(await readBalance(ada, dinars), '0.001')
})

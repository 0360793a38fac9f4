// Holds over the interface: who may do what with one, what it changes, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  readBalance,
  readPages,
  scene,
  tally,
  transferBody,
} from '../../../test/support/fixture.ts'
import { cardScene } from '../../../test/support/card-payments.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { type ApiClient, clientWith } from '../../../test/support/world.ts'

const dayMs = 24 * 3_600_000
const under = (accountId: string) => `/api/v1/accounts/${accountId}/holds`
const at = (id: string, action = '') => `/api/v1/holds/${id}${action}`
const money = (amount: string, more: object = {}) => ({ amount, currency: 'EUR', ...more })
const terms = (amount: string, more: object = {}) =>
  money(amount, { kind: 'authorization', reference: 'Hotel Marina', ...more })

const place = async (
  client: Pick<ApiClient, 'post'>,
  accountId: string,
  amount: string,
  more = {},
) => {
  const reply = await client.post(under(accountId), terms(amount, more))
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id as string
}

/** What the account says of itself. */
const figures = async (client: Pick<ApiClient, 'get'>, accountId: string) => {
  const { balance, held, available } = (await client.get(`/api/v1/accounts/${accountId}`)).body
  return [balance, held, available]
}

test('an administrator holds, the owner reads, and each answer about the account shows it', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  await root.patch(`/api/v1/accounts/${from}/settings`, { overdraftLimit: '50' })
  const card = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body.id as string
  const placed = await root.post(under(from), terms('60.00', { cardId: card }))
  const { id } = placed.body
  const expected = {
    id,
    accountId: from,
    cardId: card,
    kind: 'authorization',
    amount: '60.00',
    captured: '0.00',
    remaining: '60.00',
    currency: 'EUR',
    reference: 'Hotel Marina',
    status: 'active',
    createdAt: '2026-01-02T09:00:00.000Z',
    expiresAt: '2026-01-09T09:00:00.000Z',
    endedAt: null,
  }
  assert.deepEqual([placed.status, placed.headers['location']], [201, at(id)])
  assert.deepEqual(placed.body, expected)
  assert.deepEqual((await ada.get(at(id))).body, expected)
  assert.deepEqual((await root.get(under(from))).body.items, [expected])
  const shown = { balance: '100.00', held: '60.00', available: '90.00' }
  const pick = ({ balance, held, available }: Record<string, string>) => ({
    balance,
    held,
    available,
  })
  const [account, details, inspected] = [
    await ada.get(`/api/v1/accounts/${from}`),
    await ada.get(`/api/v1/accounts/${from}/details`),
    await root.get(`/api/v1/admin/accounts/${from}`),
  ]
  for (const { body } of [account, details, inspected]) assert.deepEqual(pick(body), shown)
  for (const path of ['/api/v1/accounts', '/api/v1/admin/accounts']) {
    const { items } = (await (path.includes('admin') ? root : ada).get(path)).body
    const own = items.find((item: { id: string }) => item.id === from)
    assert.deepEqual(pick(own), shown, path)
  }
  const { currencies } = (await root.get('/api/v1/admin/overview')).body
  assert.deepEqual([currencies[0].activeHolds, currencies[0].heldAmount], [1, '60.00'])
  await assertSound(bank)
})

test('a capture is a transfer to the bank that the holder reads, and what is left is captured or given back', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, clock } = bank
  const id = await place(root, from, '80.00')
  const first = await root.post(at(id, '/capture'), money('30.00'))
  assert.equal(first.status, 201, first.text)
  assert.equal(first.headers['location'], `/api/v1/transfers/${first.body.id}`)
  const { kind, reference, status } = first.body
  assert.deepEqual([kind, reference, status], ['capture', 'Hotel Marina', 'completed'])
  assert.deepEqual(await figures(ada, from), ['70.00', '50.00', '20.00'])
  // The order of a list is that of time.
  clock.advance(1)
  const last = await root.post(
    at(id, '/capture'),
    money('19.99', { final: true, toCode: 'fees', reference: 'Two nights' }),
  )
  assert.equal(last.status, 201, last.text)
  assert.deepEqual(await figures(ada, from), ['50.01', '0.00', '50.01'])
  const { body: ended } = await ada.get(at(id))
  assert.deepEqual(
    [ended.status, ended.captured, ended.remaining, ended.endedAt],
    ['captured', '49.99', '0.00', '2026-01-02T09:00:00.001Z'],
  )
  const captures = (await ada.get(at(id, '/captures'))).body.items
  assert.deepEqual(
    captures.map((item: { id: string }) => item.id),
    [last.body.id, first.body.id],
  )
  assert.equal('toAccountId' in captures[0], false)
  const { items } = (await ada.get(`/api/v1/accounts/${from}/transactions?kind=capture`)).body
  assert.deepEqual(
    items.map((item: Record<string, string>) => [item['amount'], item['reference']]),
    [
      ['-19.99', 'Two nights'],
      ['-30.00', 'Hotel Marina'],
    ],
  )
  const code = async (code: string) =>
    (await root.get(`/api/v1/admin/bank-accounts/${code}/EUR`)).body.balance
  assert.deepEqual([await code('clearing'), await code('fees')], ['30.00', '19.99'])
  const camt = await ada.get(`/api/v1/accounts/${from}/statement?format=camt053`)
  assert.match(camt.text, /<Cd>PMNT<\/Cd><Fmly><Cd>MDOP<\/Cd><SubFmlyCd>OTHR/)
  const reversed = await root.post(`/api/v1/admin/transfers/${first.body.id}/reversal`, {
    reason: 'Never stayed',
  })
  assert.equal(reversed.status, 201, reversed.text)
  assert.equal(await readBalance(ada, from), '80.01')
  await assertSound(bank)
})

test('what cannot be held is refused, and nothing is changed', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  const ben = await bank.as('ben')
  const bens = await openAccount(ben)
  const strange = (await ben.post(`/api/v1/accounts/${bens}/cards`, {})).body.id as string
  const closed = await openAccount(ada)
  await ada.delete(`/api/v1/accounts/${closed}`)
  const bad: readonly [object, number, string?][] = [
    [terms('0.00'), 400],
    [terms('-1.00'), 400],
    [terms('1.001'), 400],
    [terms('1', { kind: 'gift' }), 400],
    [terms('1', { reference: '' }), 400],
    [terms('1', { expiresAt: '2026-01-02T09:00:00Z' }), 400],
    [terms('1', { expiresAt: '2025-12-31T09:00:00Z' }), 400],
    [terms('1', { expiresAt: '2027-02-06T09:00:00.001Z' }), 400],
    [terms('1', { expiresAt: '2026-02-30T09:00:00Z' }), 400],
    [terms('1', { expiresAt: '2026-02-01' }), 400],
    [terms('1', { cardId: strange }), 404, 'not_found'],
    [terms('100.01'), 409, 'insufficient_funds'],
    [{ ...terms('1'), currency: 'USD' }, 409, 'currency_mismatch'],
  ]
  for (const [body, status, code = 'invalid_request'] of bad) {
    const reply = await root.post(under(from), body)
    assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(body))
  }
  for (const [expiresAt, message] of [
    ['2026-01-02T09:00:00Z', 'is in the past'],
    ['2027-02-06T09:00:00.001Z', 'is more than 400 days ahead'],
  ] as const) {
    const { details } = (await root.post(under(from), terms('1', { expiresAt }))).body
    assert.deepEqual(details, [{ path: '/body/expiresAt', message }])
  }
  assert.equal((await root.post(under(closed), terms('1'))).status, 404)
  assert.equal((await root.get(under(closed))).status, 404)
  assert.equal((await root.get(at(to))).status, 404)
  assert.deepEqual(await figures(ada, from), ['100.00', '0.00', '100.00'])
  const furthest = await root.post(under(from), terms('1', { expiresAt: '2027-02-06T09:00:00Z' }))
  assert.equal(furthest.status, 201, furthest.text)
  const { id } = furthest.body
  const changes: readonly [object, number, string?][] = [
    [{}, 400],
    [{ amount: '0' }, 400],
    [{ amount: '1.001' }, 400],
    [{ amount: '100.01' }, 409, 'insufficient_funds'],
    [{ expiresAt: '2026-01-01T00:00:00Z' }, 400],
    [{ expiresAt: '2027-02-06T09:00:00.001Z' }, 400],
    [{ expiresAt: null }, 400],
    [{ status: 'released' }, 400],
  ]
  for (const [body, status, code = 'invalid_request'] of changes) {
    const reply = await root.patch(at(id), body)
    assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(body))
  }
  const captures: readonly [object, number, string?][] = [
    [money('0'), 400],
    [money('1.01'), 409, 'limit_exceeded'],
    [{ ...money('1'), currency: 'USD' }, 409, 'currency_mismatch'],
    [money('1', { toCode: 'nostro' }), 404, 'not_found'],
    [money('1', { toAccountId: to }), 400],
  ]
  for (const [body, status, code = 'invalid_request'] of captures) {
    const reply = await root.post(at(id, '/capture'), body)
    assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(body))
  }
  assert.deepEqual(await figures(ada, from), ['100.00', '1.00', '99.00'])
  await assertSound(bank)
})

test('customers and support agents read holds of theirs and of all, and place or move none', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const id = await place(root, from, '10.00')
  const [ben, agnes] = [await bank.as('ben'), await bank.as('agnes')]
  for (const client of [ada, ben, agnes]) {
    assert.equal((await client.post(under(from), terms('1.00'))).status, 403)
    assert.equal((await client.post(at(id, '/capture'), money('1.00'))).status, 403)
    assert.equal((await client.post(at(id, '/release'))).status, 403)
    assert.equal((await client.patch(at(id), { amount: '1.00' })).status, 403)
  }
  for (const path of [under(from), at(id), at(id, '/captures')]) {
    assert.equal((await ada.get(path)).status, 200, path)
    assert.equal((await agnes.get(path)).status, 200, path)
    assert.equal((await ben.get(path)).status, 403, path)
  }
  const both = await bank.as('both')
  const own = await openAccount(both)
  assert.equal((await both.post(under(own), terms('1.00'))).status, 403)
  assert.deepEqual(await figures(ada, from), ['100.00', '10.00', '90.00'])
})

test('a program moves the holds that it placed, and no other', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const operations = ['createHold', 'captureHold', 'releaseHold', 'updateHold']
  const [one, two] = [
    await newProgram(bank, { operations }),
    await newProgram(bank, { operations }),
  ]
  const blind = await newProgram(bank, { operations: ['createHold'] })
  const [id, seized] = [
    await place(one, from, '10.00'),
    await place(root, from, '20.00', { kind: 'seizure' }),
  ]
  assert.equal((await blind.post(at(id, '/release'))).status, 403)
  const before = await figures(ada, from)
  for (const [client, hold] of [
    [two, id],
    [one, seized],
  ] as const) {
    for (const reply of [
      await client.post(at(hold, '/capture'), money('1.00')),
      await client.post(at(hold, '/release')),
      await client.patch(at(hold), { amount: '5.00' }),
    ]) {
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden'])
    }
  }
  assert.deepEqual(await figures(ada, from), before)
  assert.equal((await one.patch(at(id), { amount: '15.00' })).status, 200)
  assert.equal((await one.post(at(id, '/capture'), money('15.00'))).status, 201)
  assert.equal((await root.post(at(seized, '/release'))).status, 200)
  assert.deepEqual(await figures(ada, from), ['85.00', '0.00', '85.00'])
})

test('of fifty requests with one external identifier one places a hold, and one captures it', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const body = terms('60.00', { externalId: 'A-1' })
  const placed = await many(50, () => root.post(under(from), body))
  assert.deepEqual(tally(placed), { 201: 50 })
  const [id] = new Set(placed.map((reply) => reply.body.id as string))
  assert.equal(new Set(placed.map((reply) => reply.text)).size, 1)
  assert.equal(placed.filter(({ headers }) => headers['idempotency-replayed']).length, 49)
  const take = money('20.00', { externalId: 'C-1' })
  const taken = await many(50, () => root.post(at(id as string, '/capture'), take))
  assert.deepEqual(tally(taken), { 201: 50 })
  assert.deepEqual(await figures(ada, from), ['80.00', '40.00', '40.00'])
  const other = await root.post(under(from), { ...body, reference: 'Other' })
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  // The identifiers of one caller number all that it orders.
  const mixed = await root.post(at(id as string, '/capture'), money('1', { externalId: 'A-1' }))
  assert.equal(mixed.status, 422)
  bank.clock.advance(300 * dayMs)
  const later = await bank.login('root')
  const again = await later.post(under(from), { ...body, amount: '60' })
  assert.equal(again.text, placed[0]?.text)
  await assertSound(bank)
})

test('what is sent again after its end is answered as it was, by key and by number, and nothing new is', async (t) => {
  const bank = await scene(t)
  const { root, from, clock } = bank
  const expiresAt = new Date(clock.now() + 60_000).toISOString()
  const numbered = terms('10.00', { expiresAt, externalId: 'A' })
  const keyed = { headers: { 'idempotency-key': 'hold' } }
  const plain = terms('5.00', { expiresAt })
  const [one, two] = [
    await root.post(under(from), numbered),
    await root.post(under(from), plain, keyed),
  ]
  const later = new Date(clock.now() + 120_000).toISOString()
  const change = { headers: { 'idempotency-key': 'change' } }
  const three = await root.patch(at(two.body.id), { expiresAt: later }, change)
  clock.advance(180_000)
  for (const [first, again] of [
    [one, await root.post(under(from), numbered)],
    [two, await root.post(under(from), plain, keyed)],
    [three, await root.patch(at(two.body.id), { expiresAt: later }, change)],
  ] as const) {
    assert.equal(again.status, first.status, again.text)
    assert.deepEqual(
      [again.body.id, again.headers['idempotency-replayed']],
      [first.body.id, 'true'],
    )
  }
  const other = await root.post(under(from), { ...numbered, amount: '11.00' })
  assert.equal(other.body.code, 'idempotency_key_reused')
  const fresh = await root.post(under(from), { ...numbered, externalId: 'B' })
  assert.deepEqual([fresh.status, fresh.body.details[0].path], [400, '/body/expiresAt'])
  assert.equal((await root.post(under(from), plain)).status, 400)
})

test('a change that is sent again with its key is answered as it was, whatever was taken or changed since', async (t) => {
  const bank = await scene(t)
  const { root, from } = bank
  const id = await place(root, from, '10.00', { kind: 'dispute' })
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const changes = [
    { body: { amount: '20.00' }, options: keyed('more') },
    { body: { expiresAt: '2026-02-01T00:00:00Z' }, options: keyed('until') },
    { body: { expiresAt: null, amount: '15.00' }, options: keyed('less') },
  ]
  const first: string[] = []
  for (const { body, options } of changes) {
    first.push((await root.patch(at(id), body, options)).text)
    await root.post(at(id, '/capture'), money('2.00', { externalId: `C ${first.length}` }))
  }
  const release = () => root.post(at(id, '/release'), undefined, keyed('end'))
  const released = await release()
  for (const [index, { body, options }] of changes.entries()) {
    const again = await root.patch(at(id), body, options)
    assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first[index], 'true'])
  }
  assert.equal((await release()).text, released.text)
  await assertSound(bank)
})

test('of a frozen account nothing is captured; release, expiry and what a court holds work', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, clock } = bank
  const [id, short] = [
    await place(root, from, '10.00'),
    await place(root, from, '5.00', { expiresAt: '2026-01-02T10:00:00Z' }),
  ]
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Court' })
  const refused = async (reply: Promise<{ body: { code?: string } }>) => (await reply).body.code
  assert.equal(await refused(root.post(at(id, '/capture'), money('1.00'))), 'account_frozen')
  assert.equal(await refused(root.post(under(from), terms('1.00'))), 'account_frozen')
  assert.equal(await refused(root.patch(at(id), { amount: '11.00' })), 'account_frozen')
  assert.equal((await root.patch(at(id), { amount: '9.00' })).status, 200)
  await place(root, from, '70.00', { kind: 'seizure' })
  assert.equal((await root.post(at(id, '/release'))).status, 200)
  assert.deepEqual(await figures(ada, from), ['100.00', '75.00', '0.00'])
  clock.advance(3_600_000)
  const later = await bank.login('root')
  assert.equal((await later.post(at(short, '/release'))).body.code, 'illegal_transition')
  assert.equal((await later.get(at(short))).body.status, 'expired')
  assert.deepEqual(await figures(await bank.login('ada'), from), ['100.00', '70.00', '0.00'])
  await assertSound(bank)
})

test('no hold and no capture counts to the daily limit', async (t) => {
  const { ada, root, from, to } = await scene(t)
  await root.patch(`/api/v1/accounts/${from}/settings`, { dailyTransferLimit: '10' })
  const id = await place(root, from, '50.00')
  assert.equal((await root.post(at(id, '/capture'), money('50.00'))).status, 201)
  const pay = async (amount: string) =>
    (await ada.post('/api/v1/transfers', transferBody(from, to, amount))).status
  assert.equal(await pay('10.01'), 409)
  assert.equal(await pay('10.00'), 201)
})

test('an overdraft is not lowered below what is held, and an account with a hold is not closed', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, clock } = bank
  const settings = `/api/v1/accounts/${from}/settings`
  await root.patch(settings, { overdraftLimit: '100' })
  const id = await place(root, from, '150.00', {
    kind: 'seizure',
    expiresAt: '2026-01-02T10:00:00Z',
  })
  const low = await root.patch(settings, { overdraftLimit: '49.99' })
  assert.deepEqual([low.status, low.body.code], [409, 'limit_exceeded'])
  assert.equal((await root.patch(settings, { overdraftLimit: '50' })).status, 200)
  const empty = await openAccount(ada)
  await root.patch(`/api/v1/accounts/${empty}/settings`, { overdraftLimit: '10' })
  const other = await place(root, empty, '5.00', { expiresAt: '2026-01-02T10:00:00Z' })
  const close = async (client: ApiClient) => (await client.delete(`/api/v1/accounts/${empty}`)).body
  const refused = await close(ada)
  assert.equal(refused.code, 'account_not_empty')
  assert.match(refused.message, /hold/, 'its balance is zero')
  // In the millisecond of their end both count no more, swept or not.
  clock.advance(3_600_000)
  const [later, owner] = [await bank.login('root'), await bank.login('ada')]
  assert.equal((await later.patch(settings, { overdraftLimit: '0' })).status, 200)
  assert.equal(await close(owner), undefined)
  const states = [(await later.get(at(id))).body.status, (await later.get(at(other))).body.status]
  assert.deepEqual(states, ['expired', 'expired'])
  assert.equal((await owner.get(at(other))).status, 404)
  await assertSound(bank)
})

test('a list shows holds of one status or of all, newest first, in pages', async (t) => {
  const { ada, root, from, clock } = await scene(t)
  const ids: string[] = []
  for (let count = 0; count < 5; count++) {
    ids.push(await place(root, from, '1.00'))
    clock.advance(1)
  }
  await root.post(at(ids[1] as string, '/release'))
  const idsOf = async (query: string) =>
    (await readPages(ada, `${under(from)}?limit=2${query}`)).map((item) => item['id'])
  assert.deepEqual(await idsOf(''), ids.toReversed())
  assert.deepEqual(await idsOf('&status=released'), [ids[1]])
  assert.deepEqual(
    await idsOf('&status=active'),
    ids.toReversed().filter((id) => id !== ids[1]),
  )
})

test('each step of a hold is an event that names it, for whoever follows the account', async (t) => {
  const bank = await scene(t)
  const { root, from, to, clock } = bank
  const id = await place(root, from, '10.00')
  await root.patch(at(id), { amount: '12.00' })
  await root.post(at(id, '/capture'), money('2.00'))
  await root.post(at(id, '/release'))
  const short = await place(root, from, '1.00', { expiresAt: '2026-01-02T10:00:00Z' })
  clock.advance(3_600_000)
  const later = await bank.login('root')
  await deposit(later, to, '1.00')
  await deposit(later, from, '1.00')
  const types = 'hold.created,hold.changed,hold.captured,hold.released,hold.expired'
  const { items } = (await later.get(`/api/v1/events?types=${types}`)).body
  assert.deepEqual(
    items.map((event: Record<string, unknown>) => [
      event['type'],
      event['resourceId'],
      event['accountIds'],
    ]),
    [
      ['hold.created', id, [from]],
      ['hold.changed', id, [from]],
      ['hold.captured', id, [from]],
      ['hold.released', id, [from]],
      ['hold.created', short, [from]],
      ['hold.expired', short, [from]],
    ],
  )
})

test('an account has a thousand active holds, and a hundred more for courts and disputes', async (t) => {
  const bank = await cardScene(await scene(t))
  const { root, from, till, sql } = bank
  const first = await place(root, from, '1.00')
  const set = (count: number) =>
    sql('update accounts set active_holds = $2 where id = $1', [from, count])
  await set(999)
  const tried = await many(5, () => root.post(under(from), terms('1.00')))
  assert.deepEqual(tally(tried), { '201': 1, '409 limit_exceeded': 4 })
  const limit = { name: 'activeHolds', amount: '1000', used: '1000' }
  assert.deepEqual(tried.find(({ status }) => status === 409)?.body.limit, limit)
  const asked = await till.ask('1.00', { externalId: 'A' })
  assert.deepEqual(
    [asked.status, asked.body.code, asked.body.limit],
    [409, 'limit_exceeded', limit],
  )
  assert.equal(await bank.stand(), '100.00 held 2.00')
  await set(1099)
  assert.equal((await root.post(under(from), terms('1.00', { kind: 'seizure' }))).status, 201)
  for (const kind of ['seizure', 'dispute']) {
    const { body } = await root.post(under(from), terms('1.00', { kind }))
    assert.deepEqual(body.limit, { ...limit, amount: '1100', used: '1100' })
  }
  // One that ended makes room, also for what was refused.
  await set(1000)
  assert.equal((await root.post(at(first, '/release'))).status, 200)
  assert.equal((await till.ask('1.00', { externalId: 'A' })).status, 201)
})

test('a standing order and what is upcoming count what is held as gone', async (t) => {
  const { ada, root, from, to } = await scene(t)
  await place(root, from, '30.00')
  const order = { toAccountId: to, ...money('10.00'), rhythm: 'once', firstOn: '2026-01-05' }
  assert.equal((await ada.post(`/api/v1/accounts/${from}/orders`, order)).status, 201)
  const { runs } = (await ada.get(`/api/v1/accounts/${from}/orders/upcoming`)).body
  assert.deepEqual(runs[0].availableAfter, '60.00')
})

test('a hold and a close of one account at once: it is closed with nothing held, or open with the hold', async (t) => {
  const bank = await scene(t)
  const { ada, root } = bank
  const second = await bank.another()
  const elsewhere = clientWith(second.send, root.token)
  for (let round = 0; round < 6; round++) {
    const account = await openAccount(ada)
    await root.patch(`/api/v1/accounts/${account}/settings`, { overdraftLimit: '10' })
    const replies = await many(20, (index) => {
      const staff = index % 2 ? root : elsewhere
      return index % 4 < 2
        ? staff.post(under(account), terms('10.00', { kind: 'seizure' }))
        : staff.delete(`/api/v1/accounts/${account}`)
    })
    const counts = tally(replies)
    const { rows } = await bank.sql('select status, held::int from accounts where id = $1', [
      account,
    ])
    const isClosed = counts['204'] === 1
    assert.deepEqual(rows, [
      isClosed ? { status: 'closed', held: 0 } : { status: 'active', held: 1000 },
    ])
    assert.deepEqual([counts['201'] ?? 0, counts['204'] ?? 0], isClosed ? [0, 1] : [1, 0])
  }
  await assertSound(bank)
})

test('a standing order that waits for money is paid once a hold gives it back', async (t) => {
  const { ada, root, from, to, running } = await scene(t)
  const id = await place(root, from, '95.00')
  const order = { toAccountId: to, ...money('10.00'), rhythm: 'once', firstOn: '2026-01-02' }
  const path = `/api/v1/accounts/${from}/orders`
  const made = await ada.post(path, { ...order, retryDays: 1 })
  const outcome = async () => {
    await running.core.orders.work()
    return (await ada.get(`/api/v1/orders/${made.body.id}/runs`)).body.items[0].outcome
  }
  assert.equal(await outcome(), 'waiting')
  assert.equal((await root.post(at(id, '/capture'), money('1.00'))).status, 201)
  assert.equal(await outcome(), 'waiting')
  await root.patch(at(id), { amount: '91.00' })
  assert.equal(await outcome(), 'waiting')
  await root.patch(at(id), { amount: '90.00' })
  assert.equal(await outcome(), 'made')
  assert.deepEqual(await figures(ada, from), ['89.00', '89.00', '0.00'])
})

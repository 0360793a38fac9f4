// Input is judged as it is sent: nothing is coerced, repaired or read in two ways (CWE-20, CWE-235,
// CWE-1321).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../src/http/route.ts'
import { routes } from '../src/features/routes.ts'
import { amountPlaces, badAmounts } from './input/amounts.ts'
import {
  bodyFields,
  canary,
  type Field,
  ibanFields,
  wrongItems,
  queryFields,
  wrongValues,
  personForRoute,
} from './input/fields.ts'
import { encodings, jsonRows } from './input/json-rows.ts'
import { dump } from './support/database-dump.ts'
import { forAll, readBelongings, sendTo, toParts, toTarget } from './support/requests.ts'
import { cardPaymentOf } from './support/card-payments.ts'
import { assertSound, readBalance, openAccount, sceneIn } from './support/fixture.ts'
import { people, type Reply, type ApiClient, type World, commonWorld } from './support/world.ts'

const named = ({ route, key }: Field) => `${route.method} ${route.path} ${key}`
const partsFor = (route: Route) => toParts(route, () => people.ada.id)

function assertInvalid(reply: Reply, path: string, what: string): void {
  assert.equal(reply.status, 400, `${what}: ${reply.text}`)
  assert.equal(reply.body.code, 'invalid_request', what)
  assert.equal(reply.body.details[0]?.path, path, `${what}: ${reply.text}`)
  assert.doesNotMatch(reply.text, new RegExp(`${canary}|9876543210|12\\.5`), what)
}

/** Everything in the database, once nothing that was asked before is still to be written. */
async function settled(bank: World): Promise<string> {
  const { core, edge } = bank.running
  await core.outbox.work()
  await edge.flush()
  await core.feed.last()
  return dump(bank)
}

test('no field of any body takes a value of another JSON type, and no answer repeats it', async () => {
  const bank = await commonWorld()
  const voices = { ada: await bank.as('ada'), root: await bank.as('root') }
  const before = await settled(bank)
  await forAll(bodyFields, async (field) => {
    const { route, key } = field
    const { token } = voices[personForRoute(route) as 'ada']
    const parts = partsFor(route)
    const ask = (value: unknown) =>
      sendTo(bank, route, { ...parts, body: { ...parts.body, [key]: value } }, token)
    const wrong = wrongValues(field, parts.body?.[key] ?? canary)
    assert.ok(wrong.length >= 5, named(field))
    for (const value of wrong) {
      const what = `${named(field)} ${JSON.stringify(value)}`
      assertInvalid(await ask(value), `/body/${key}`, what)
    }
    for (const value of wrongItems(field)) {
      const isOfObjects = field.node.items?.type === 'object'
      const isObject = isOfObjects && 'kanarie' in Object(value[0])
      const path = `/body/${key}/0${isObject ? `/${field.node.items?.required?.[0]}` : ''}`
      assertInvalid(await ask(value), path, `${named(field)} ${JSON.stringify(value)}`)
    }
  })
  assert.equal(await settled(bank), before, 'nothing is written')
})

test('no query parameter is taken twice, as a list, as an object or by another name', async () => {
  const bank = await commonWorld()
  await forAll(queryFields, async (field) => {
    const { route, key } = field
    const { token } = await bank.as(personForRoute(route))
    const path = route.path
    const parts = partsFor(route)
    const ask = (query: string) => bank.send('GET', toTarget(route, parts, query), { token })
    const twice = [
      `${key}=${canary}&${key}=${canary}`,
      `${key}=&${key}=${canary}`,
      `${key}=1&%${key.charCodeAt(0).toString(16)}${key.slice(1)}=2`,
    ]
    for (const query of twice) assertInvalid(await ask(query), `/query/${key}`, `${path}?${query}`)
    for (const other of [`${key}[]`, `${key}[0]`, `${key}.0`, `${key} `, key.toUpperCase()]) {
      const query = `${encodeURIComponent(other)}=${canary}`
      assertInvalid(await ask(query), `/query/${other}`, `${path}?${query}`)
    }
    for (const bad of encodings) {
      for (const query of [`${key}=${bad}a@b.example`, `${key}=a${bad}`, `${key}=1&${bad}=1`]) {
        const reply = await ask(query)
        assert.deepEqual([reply.status, reply.body.code], [400, 'invalid_request'], query)
      }
    }
  })
})

test('a text is measured before it is matched, so no pattern meets a long one', async () => {
  const bank = await commonWorld()
  const long = [
    `${'a'.repeat(60_000)}!`,
    'a-'.repeat(30_000),
    '1'.repeat(60_000),
    ' '.repeat(60_000),
  ]
  const texts = bodyFields.filter(({ node }) =>
    (node.anyOf ?? [node]).some(({ type, enum: words }) => type === 'string' && !words),
  )
  assert.ok(texts.length > 30)
  await forAll(texts, async (field) => {
    const { token } = await bank.as(personForRoute(field.route))
    const parts = partsFor(field.route)
    for (const text of long) {
      const body = { ...parts.body, [field.key]: text }
      const reply = await sendTo(bank, field.route, { ...parts, body }, token)
      assertInvalid(reply, `/body/${field.key}`, named(field))
      assert.equal(reply.body.details[0].message, 'is too long', named(field))
    }
  })
})

test('a cursor with any bit changed, of another list, person or spelling is none', async () => {
  const bank = await sceneIn(await commonWorld({ settings: { MEMBERS: 'on' } }))
  const path = '/api/v1/accounts'
  const { nextCursor } = (await bank.ada.get(`${path}?limit=1`)).body
  assert.equal((await bank.ada.get(`${path}?cursor=${nextCursor}`)).status, 200)
  const bytes = Buffer.from(nextCursor, 'base64url')
  const bent = Array.from(bytes, (byte, at) => {
    const copy = Buffer.from(bytes)
    copy[at] = byte ^ (1 << (at % 8))
    return copy.toString('base64url')
  })
  const spelt = [`${nextCursor}=`, `${nextCursor}A`, nextCursor.slice(0, -1), '', 'A', '-1', '_']
  spelt.push('9'.repeat(150), 'a'.repeat(151), '00000000-0000-7000-8000-000000000000', '%20', '%00')
  // The last letter holds bits that belong to no byte: only one of its spellings is ours.
  const last = (nextCursor as string).charCodeAt(nextCursor.length - 1)
  if (bytes.length % 3 > 0) spelt.push(nextCursor.slice(0, -1) + String.fromCharCode(last + 1))
  for (const cursor of [...bent, ...spelt]) {
    assertInvalid(await bank.ada.get(`${path}?cursor=${cursor}`), '/query/cursor', cursor)
  }
  const target = { url: 'https://127.0.0.1/', types: ['card.issued'] }
  const webhook = await bank.root.post('/api/v1/admin/webhooks', target)
  const order = await bank.ada.post(`${path}/${bank.from}/orders`, {
    toAccountId: bank.to,
    amount: '1.00',
    currency: 'EUR',
    rhythm: 'once',
    firstOn: '2099-01-01',
  })
  const ofAda = await bank.ada.get(`${path}/${bank.from}`)
  const list = await bank.ada.post(`${path}/${bank.to}/payment-lists`, {
    currency: 'EUR',
    items: [{ name: 'Ada', iban: ofAda.body.iban, amount: '1.00' }],
  })
  const hold = await bank.root.post(`${path}/${bank.from}/holds`, {
    amount: '1.00',
    currency: 'EUR',
    kind: 'dispute',
    reference: 'Disputed',
  })
  const card = (await bank.ada.post(`${path}/${bank.from}/cards`, {})).body.id as string
  const paid = await cardPaymentOf(bank, { account: bank.from, card }, people.ada.id)
  for (const { route } of queryFields.filter(({ key }) => key === 'cursor')) {
    const ids: Record<string, string> = {
      user: people.ada.id,
      webhook: webhook.body.id,
      order: order.body.id,
      hold: hold.body.id,
      'payment list': list.body.id,
      'card payment': paid,
    }
    const parts = toParts(route, ({ resource }) => ids[resource] ?? bank.from)
    const there = toTarget(route, parts, `cursor=${nextCursor}`)
    const voice = await bank.as(route.path === path ? 'both' : personForRoute(route))
    const reply = await voice.get(there)
    assertInvalid(reply, '/query/cursor', there)
  }
})

test('limit is a plain number from one: others are 400, above the page size it is capped', async () => {
  const bank = await commonWorld()
  const root = await bank.as('root')
  await bank.sql(
    `insert into accounts (id, owner_id, iban, currency, created_at)
     select gen_random_uuid(), $1, 'XX00' || lpad(n::text, 16, '0'), 'EUR', '2026-01-01'
     from generate_series(1, 120) n`,
    [people.ben.id],
  )
  const lists = queryFields.filter(({ key }) => key === 'limit')
  assert.ok(lists.length > 5)
  const none = ['1e2', '0x10', '0b11', '10.0', '+5', '%2B5', '%205', '5%20', '%D9%A5', '%EF%BC%95']
  none.push('0', '00', '05', '-1', '', '1_0', '1,0', 'NaN', 'null', '5%00', '5n')
  await forAll(lists, async ({ route }) => {
    const { token } = await bank.as(personForRoute(route))
    for (const text of none) {
      const path = toTarget(route, partsFor(route), `limit=${text}`)
      const reply = await bank.send('GET', path, { token })
      assertInvalid(reply, '/query/limit', path)
    }
  })
  for (const [text, count] of [
    ['1', 1],
    ['100', 100],
    ['101', 100],
    ['100000000000000', 100],
  ]) {
    const { status, body } = await root.get(`/api/v1/accounts?limit=${text}`)
    assert.deepEqual([status, body.items.length], [200, count], String(text))
  }
})

test('a body is one JSON value that all readers read alike, or it is refused', async () => {
  const bank = await commonWorld()
  const ada = await bank.as('ada')
  const before = await settled(bank)
  const prototype = Reflect.ownKeys(Object.prototype)
  await forAll(jsonRows, async ([what, body, code = 'malformed_json']) => {
    const replies = [
      await ada.post('/api/v1/accounts', body),
      await ada.put(`/api/v1/cards/${people.ada.id}`, body),
    ]
    for (const reply of replies) {
      assert.deepEqual([reply.status, reply.body.code], [400, code], `${what}: ${reply.text}`)
      assert.doesNotMatch(reply.text, new RegExp(canary), what)
    }
  })
  for (const key of ['__proto__', '__proto__[x]', '%5f_proto__', 'constructor', 'toString']) {
    for (const query of [`${key}=${canary}`, `limit=5&${key}.x=${canary}`]) {
      const reply = await ada.get(`/api/v1/accounts?${query}`)
      assert.deepEqual([reply.status, reply.body.code], [400, 'invalid_request'], query)
    }
  }
  assert.deepEqual(Reflect.ownKeys(Object.prototype), prototype)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  assert.equal(await settled(bank), before, 'nothing is written')
})

test('a list, a word or a number in place of an object is refused, by routes without a body too', async () => {
  const bank = await commonWorld()
  await forAll(
    routes.filter(({ method }) => method !== 'GET'),
    async (route) => {
      const { token } = await bank.as(personForRoute(route))
      const parts = partsFor(route)
      for (const body of ['[]', '[{}]', 'null', '""', '"{}"', '0', 'true', '[[]]']) {
        const reply = await sendTo(bank, route, { ...parts, body: body as never }, token)
        const what = `${route.method} ${route.path} ${body}: ${reply.text}`
        assert.deepEqual([reply.status, reply.body?.code], [400, 'invalid_request'], what)
      }
    },
  )
})

test('an amount has one form wherever one is taken, and a refused one leaves the books as they were', async () => {
  const bank = await sceneIn(await commonWorld())
  const accounts = {
    EUR: bank.from,
    JPY: await openAccount(bank.ada, 'JPY'),
    KWD: await openAccount(bank.ada, 'KWD'),
  }
  const before = await settled(bank)
  for (const place of amountPlaces) {
    for (const [currency, amount] of badAmounts) {
      const reply = await place.ask(
        bank,
        { account: accounts[currency], to: bank.to, currency },
        amount,
      )
      const what = `${place.path} ${currency} ${JSON.stringify(amount)}`
      assertInvalid(reply, place.path, what)
    }
  }
  assert.equal(await settled(bank), before, 'nothing is written')
  await assertSound(bank)
})

test('an IBAN with wrong check digits, or of a form that its country does not have, is refused wherever one is taken', async () => {
  const bank = await commonWorld()
  const own = await readBelongings(bank, 'ada')
  // A program alone opens an account under an IBAN that it brings.
  const fields = ibanFields.filter(({ route }) => route.operation !== 'openAccount')
  assert.ok(fields.length >= 4, fields.map(named).join())
  for (const field of fields) {
    const { token } = await bank.as(personForRoute(field.route))
    const parts = toParts(field.route, ({ resource }) => own[resource])
    for (const iban of ['DE88370400440532013000', 'GB33BUKB2020155555555', 'XX19TEST00000000000']) {
      const body = { ...parts.body, [field.key]: iban }
      const reply = await sendTo(bank, field.route, { ...parts, body }, token)
      const what = `${named(field)} ${iban}`
      // Another bank has it as it is: no account here has it.
      const isElsewhere = field.route.path === '/api/v1/admin/incoming-payments'
      if (isElsewhere) assert.equal(reply.status, 404, what)
      else assertInvalid(reply, `/body/${field.key}`, what)
    }
  }
})

test('an Idempotency-Key stands for one request, however its body is spelt, and for no other', async () => {
  const { ada, from, to, clock } = await sceneIn(await commonWorld())
  const headers = { 'idempotency-key': 'spelt' }
  const send = (voice: ApiClient, text: string) =>
    voice.post('/api/v1/transfers', text, { headers })
  const asked = (amount: string, reference: string) =>
    `{"fromAccountId":"${from}","toAccountId":"${to}","amount":"${amount}","currency":"EUR","reference":"${reference}"}`
  const first = await send(ada, asked('1.5', 'café'))
  assert.equal(first.status, 201, first.text)
  clock.advance(60_000)
  const spellings = [
    asked('1.50', 'café'),
    asked('1.5', 'caf\\u00e9'),
    asked('\\u0031.5', '\\u0063af\\u00E9'),
    asked('1.5', 'café').replaceAll(':"', ' :\n\t"'),
    asked('1.5', 'café').replace('"amount"', '"\\u0061mount"'),
    `{"reference":"café","currency":"EUR","amount":"1.50","toAccountId":"${to}","fromAccountId":"${from}"}\r\n`,
  ]
  for (const text of spellings) {
    const again = await send(ada, text)
    assert.deepEqual([again.status, again.text], [201, first.text], text)
    assert.equal(again.headers['idempotency-replayed'], 'true', text)
  }
  const others = [
    asked('1.51', 'café'),
    asked('15', 'café'),
    asked('1.5', 'cafe\u0301'),
    asked('1.5', 'Café'),
    asked('1.5', 'café '),
    asked('1.5', ''),
  ]
  for (const text of others) {
    const other = await send(ada, text)
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'], text)
  }
  assert.equal(await readBalance(ada, to), '1.50')
})

test('what is not given and what is given empty are one reference under one key', async () => {
  const { ada, from, to } = await sceneIn(await commonWorld())
  const body = { fromAccountId: from, toAccountId: to, amount: '2', currency: 'EUR' }
  const headers = { 'idempotency-key': 'empty' }
  const first = await ada.post('/api/v1/transfers', body, { headers })
  const again = await ada.post('/api/v1/transfers', { ...body, reference: '' }, { headers })
  assert.deepEqual([first.status, again.text], [201, first.text])
  assert.equal(again.headers['idempotency-replayed'], 'true')
})

test('the first fault of a body is named, however many it has', async () => {
  const ada = await (await commonWorld()).as('ada')
  const reply = await ada.post('/api/v1/accounts', { currency: 1, name: 2, ownerId: 3, other: 4 })
  assert.equal(reply.status, 400)
  assert.equal(reply.body.details.length, 1, reply.text)
})

test('details name a place in well-formed text, wherever it is cut', async () => {
  const ada = await (await commonWorld()).as('ada')
  for (let length = 50; length < 70; length++) {
    const surplus = { [`${'k'.repeat(length)}😀😀`]: canary }
    const reply = await ada.post('/api/v1/accounts', { currency: 'EUR', ...surplus })
    const { path } = reply.body.details[0]
    assert.match(path, /^\/body\/k+/)
    assert.ok(path.isWellFormed() && [...path].length <= 64, reply.text)
  }
})

test('a part of a path has at most 100 characters', async () => {
  const bank = await commonWorld()
  const read = (length: number) => bank.send('GET', `/api/v1/accounts/${'a'.repeat(length)}`)
  assert.equal((await read(100)).body.code, 'unauthenticated')
  assert.equal((await read(101)).body.code, 'uri_too_long')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, many, openAccount } from '../../../test/support/fixture.ts'
import {
  people,
  type Reply,
  type ApiClient,
  world,
  type World,
} from '../../../test/support/world.ts'
import { chooseMediaType } from './accept.ts'

type Entry = { id: string; amount: string; balanceAfter: string; createdAt: string }

const cents = (amount: string): number => Math.round(Number(amount) * 100)

const open = async (bank: World, name: 'ada' | 'ben' = 'ada'): Promise<string> =>
  openAccount(await bank.as(name))

const getStatement = (
  client: ApiClient,
  account: string,
  query = '',
  headers = {},
): Promise<Reply> => client.get(`/api/v1/accounts/${account}/statement${query}`, { headers })

/** Opening balance and entries add up to each balance, and to the closing balance. */
function assertAddsUp(pages: readonly Reply['body'][]): void {
  let balance = cents(pages[0].openingBalance as string)
  for (const page of pages) {
    assert.equal(page.openingBalance, pages[0].openingBalance)
    assert.equal(page.closingBalance, pages[0].closingBalance)
    for (const entry of page.entries as Entry[]) {
      balance += cents(entry.amount)
      assert.equal(cents(entry.balanceAfter), balance)
    }
  }
  assert.equal(balance, cents(pages[0].closingBalance as string))
}

test('a statement has the balances and entries of its period, oldest first', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const account = await open(bank)
  const day = 24 * 60 * 60 * 1000
  for (const amount of ['1.00', '2.00', '4.00', '8.00']) {
    await deposit(await bank.as('root'), account, amount)
    bank.clock.advance(day)
    // The sessions have expired.
    Object.assign(ada, await bank.login('ada'))
    Object.assign(await bank.as('root'), await bank.login('root'))
  }
  const { body } = await getStatement(ada, account, '?from=2026-01-03&to=2026-01-04')
  const { entries, account: shown, ...rest } = body
  assert.equal(shown.id, account)
  assert.match(shown.iban, /^[A-Z]{2}\d/)
  assert.deepEqual(rest, {
    from: '2026-01-03T00:00:00.000Z',
    to: '2026-01-04T23:59:59.999Z',
    openingBalance: '1.00',
    closingBalance: '7.00',
    nextCursor: null,
  })
  assert.deepEqual(
    (entries as Entry[]).map(({ amount, balanceAfter }) => [amount, balanceAfter]),
    [
      ['2.00', '3.00'],
      ['4.00', '7.00'],
    ],
  )
  const month = await getStatement(ada, account)
  assert.equal(month.body.from, '2026-01-01T00:00:00.000Z')
  assert.equal(month.body.to, '2026-01-06T09:00:00.000Z')
  assert.deepEqual([month.body.openingBalance, month.body.closingBalance], ['0.00', '15.00'])
  const before = await getStatement(ada, account, '?from=2025-11-01&to=2025-11-30')
  assert.deepEqual([before.body.closingBalance, before.body.entries], ['0.00', []])
  const after = await getStatement(ada, account, '?from=2026-03-01&to=2026-03-31')
  assert.deepEqual([after.body.openingBalance, after.body.closingBalance], ['15.00', '15.00'])
})

test('opening balance and entries add up to the closing balance, also during concurrent transfers', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const [from, to] = [await open(bank), await open(bank)]
  await deposit(await bank.as('root'), from, '1000.00')
  const storming = { isOver: false }
  const storm = Array.from({ length: 8 }, async (_, lane) => {
    for (let turn = 0; turn < 40; turn++) {
      const amount = `0.${10 + lane}`
      const body = { fromAccountId: from, toAccountId: to, amount, currency: 'EUR' }
      const headers = { 'idempotency-key': `${lane}.${turn}` }
      assert.equal((await ada.post('/api/v1/transfers', body, { headers })).status, 201)
      bank.clock.advance(1)
    }
  })
  const reading = [from, to].map(async (account) => {
    let read = 0
    for (; !storming.isOver || read < 5; read++) {
      const soon = new Date(bank.clock.now() + 20).toISOString()
      // Also from a time in the future: entries posted during the read are before it.
      for (const query of ['', `?from=${soon}&to=2026-01-31`]) {
        const { body, status } = await getStatement(ada, account, query)
        assert.equal(status, 200)
        assertAddsUp([body])
        for (const entry of body.entries as Entry[]) assert.ok(entry.createdAt >= body.from)
      }
    }
  })
  await Promise.all(storm)
  storming.isOver = true
  await Promise.all(reading)
  const { body } = await getStatement(ada, to)
  assert.equal(body.entries.length, 320)
})

test('the pages of a long statement agree, whatever is posted meanwhile', async (t) => {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const account = await open(bank)
  for (let turn = 0; turn < 21; turn++) {
    // The amounts differ: equal deposits would be refused as duplicates.
    await many(100, (index) => deposit(root, account, ((turn * 100 + index + 1) / 100).toFixed(2)))
  }
  const pages = [(await getStatement(ada, account)).body]
  while (pages.at(-1).nextCursor !== null) {
    await deposit(root, account, `${pages.length}00.00`)
    const query = `?cursor=${pages.at(-1).nextCursor}`
    pages.push((await getStatement(ada, account, query)).body)
  }
  assert.deepEqual(
    pages.map(({ entries }) => entries.length),
    [1000, 1000, 100],
  )
  assertAddsUp(pages)
  const ids = pages.flatMap(({ entries }) => (entries as Entry[]).map(({ id }) => id))
  assert.equal(new Set(ids).size, 2100)
  const { nextCursor } = pages[0]
  const other = await open(bank)
  for (const wrong of [
    await getStatement(ada, other, `?cursor=${nextCursor}`),
    await getStatement(ada, account, `?cursor=${nextCursor}&from=2026-01-01`),
    await getStatement(
      ada,
      account,
      `?cursor=${nextCursor.startsWith('A') ? 'B' : 'A'}${nextCursor.slice(1)}`,
    ),
  ]) {
    assert.equal(wrong.status, 400)
  }
})

test('an invalid period is refused', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const account = await open(bank)
  for (const query of [
    '?from=2026-01-02&to=2026-01-01',
    '?from=2025-01-01&to=2026-01-02',
    '?from=2026-02-30',
    '?from=2026-01-01T10:00:00',
    '?to=yesterday',
    '?from=',
    '?limit=5',
  ]) {
    assert.equal((await getStatement(ada, account, query)).status, 400, query)
  }
  const year = await getStatement(ada, account, '?from=2025-01-02&to=2026-01-01')
  assert.equal(year.status, 200)
})

test('owners and staff read a statement; other customers get the 403 of an unknown account', async (t) => {
  const bank = await world(t)
  const account = await open(bank)
  const [ben, agnes] = [await bank.as('ben'), await bank.as('agnes')]
  assert.equal((await getStatement(agnes, account)).status, 200)
  const foreign = await getStatement(ben, account)
  const unknown = await getStatement(ben, people.ada.id)
  assert.equal(foreign.status, 403)
  assert.equal(foreign.text, unknown.text)
  assert.equal((await getStatement(agnes, people.ada.id)).status, 404)
  const cash = '00000000-0000-8000-8000-000001455552'
  assert.equal((await getStatement(agnes, cash)).status, 404, "the bank's own side is no account")
})

test('an unsupported media type gets 406, and every way to accept JSON gets 200', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const account = await open(bank)
  const accepts: [accept: string, status: number][] = [
    ['application/json', 200],
    ['*/*', 200],
    ['application/*;q=0.1', 200],
    ['text/html, application/json;q=0.001', 200],
    ['Application/JSON; charset=utf-8', 200],
    ['', 200],
    ['application/x-nothing', 406],
    ['application/json;q=0', 406],
    ['application/json;q=0, text/html', 406],
    ['*/*;q=0', 406],
    ['application/*;q=0, text/*;q=0, */*', 406],
    ['json', 406],
    ['application/json;q=2', 406],
    ['application/json;q=abc', 406],
  ]
  for (const [accept, status] of accepts) {
    const reply = await getStatement(ada, account, '', { accept })
    assert.equal(reply.status, status, accept)
    if (status === 406) assert.equal(reply.body.code, 'not_acceptable')
  }
})

test('of several media types the client gets the one it prefers', () => {
  const offered = { json: 'application/json', csv: 'text/csv' }
  assert.equal(chooseMediaType(undefined, offered), 'json')
  assert.equal(chooseMediaType('text/*', offered), 'csv')
  assert.equal(chooseMediaType('text/csv; header=present', offered), 'csv')
  assert.equal(chooseMediaType('*/*, application/json;q=0.5', offered), 'csv')
  assert.equal(chooseMediaType('text/csv;q=0.5, */*;q=0.5', offered), 'json')
  assert.equal(chooseMediaType('text/csv;q=0, application/json;q=0', offered), undefined)
})

test('statements count towards the limit of exports', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const ada = await bank.as('ada')
  const account = await open(bank)
  const statuses = []
  for (let turn = 0; turn < 3; turn++) statuses.push((await getStatement(ada, account)).status)
  assert.deepEqual(statuses, [200, 200, 429])
})

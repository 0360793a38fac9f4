// What was spent agrees with the entries: by shop, by category and by kind, to the millisecond at
// which a month of the bank begins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, cardScene, type Till } from '../../../test/support/card-payments.ts'
import { openAccount, readPages, sceneIn } from '../../../test/support/fixture.ts'
import type { Span } from '../../../test/support/database.ts'
import { world } from '../../../test/support/world.ts'
import { eraseTextsBefore } from '../../cli/erase.ts'
import { openDatabase } from '../../database/connections/connect.ts'

const grocer = { name: 'Lindner', category: '5411', country: 'DE' }
const bakery = { name: 'Korn', category: '5462', country: 'DE' }
const market = { name: 'Basar', category: '5411', country: 'DE' }

async function setUp(t: Span, settings: Record<string, string> = {}) {
  const made = await cardScene(await sceneIn(await world(t, { settings }), '6000.00'))
  const { ada, root, from, clock, till, login } = made
  const people = { ada, root }
  const path = `/api/v1/accounts/${from}/insight`
  const read = async (month: string) => {
    const { status, body, text } = await people.ada.get(`${path}?month=${month}`)
    assert.equal(status, 200, text)
    return body
  }
  /** The sessions of before have ended then. */
  const moveTo = async (time: string) => {
    clock.advance(Date.parse(time) - clock.now())
    people.ada = await login('ada')
    people.root = await login('root')
  }
  const shopAt = async (merchant: object, amount: string) => {
    const id = await approved(till.ask(amount, { merchant }))
    assert.equal((await till.capture(id, amount)).status, 201)
    return id
  }
  return { ...made, people, path, read, moveTo, shopAt }
}

const requireMade = async (reply: ReturnType<Till['refund']>) => {
  const { status, text, body } = await reply
  assert.ok(status < 300, text)
  return body.id as string
}

test('a month is summed up by shop, category and kind beside the one before, in days of the bank, less what came back', async (t) => {
  const made = await setUp(t, { TIME_ZONE: 'Europe/Berlin' })
  const { people, from, to, till, moveTo, shopAt, read } = made
  const ben = await made.as('ben')
  const { iban } = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  const payeeIn = async (ibanOf: string) =>
    requireMade(people.ada.post(payees, { name: 'Ben Lindqvist', iban: ibanOf }))
  const [inside, outside] = [await payeeIn(iban), await payeeIn('GB33BUKB20201555555555')]
  const pay = (amount: string, whom: object) => {
    const body = { fromAccountId: from, amount, currency: 'EUR', ...whom }
    return requireMade(people.ada.post('/api/v1/transfers', body))
  }
  const cash = (amount: string) =>
    requireMade(
      people.root.post(`/api/v1/admin/accounts/${from}/withdrawals`, {
        amount,
        currency: 'EUR',
        reason: 'Desk',
      }),
    )

  // January: the last millisecond of Berlin's January is 22:59:59.999 in UTC.
  const early = await shopAt(grocer, '40.00')
  await shopAt(bakery, '3.20')
  await pay('100.00', { beneficiaryId: inside })
  await pay('250.00', { toAccountId: to })
  await moveTo('2026-01-31T22:59:59.999Z')
  await shopAt(grocer, '0.01')
  // February.
  await moveTo('2026-01-31T23:00:00.000Z')
  await shopAt(grocer, '10.00')
  const charged = await shopAt(market, '20.00')
  await requireMade(till.clear('7.50', { merchant: bakery }))
  await requireMade(till.refund(early, '15.00'))
  const back = await requireMade(till.chargeBack(charged, '20.00'))
  await requireMade(till.end(back, 'lost'))
  await requireMade(till.chargeBack(charged, '4.00'))
  await pay('60.00', { beneficiaryId: outside })
  const returned = await pay('5.00', { beneficiaryId: outside })
  await requireMade(
    people.root.post(`/api/v1/admin/transfers/${returned}/return`, { reasonCode: 'AC04' }),
  )
  const cancelled = await pay('6.00', { beneficiaryId: outside })
  await requireMade(people.ada.post(`/api/v1/transfers/${cancelled}/cancel`))
  await pay('70.00', { toAccountId: to })
  await cash('30.00')
  const wrong = await cash('8.00')
  await requireMade(
    people.root.post(`/api/v1/admin/transfers/${wrong}/reversal`, { reason: 'Twice' }),
  )
  // What comes in is not spent, and neither is it once it is taken back.
  const paidIn = await requireMade(
    people.root.post(`/api/v1/admin/accounts/${from}/deposits`, {
      amount: '9.00',
      currency: 'EUR',
      reason: 'Wrong',
    }),
  )
  await requireMade(
    people.root.post(`/api/v1/admin/transfers/${paidIn}/reversal`, { reason: 'Wrong' }),
  )

  assert.deepEqual(await read('2026-02'), {
    month: '2026-02',
    monthBefore: '2026-01',
    currency: 'EUR',
    spent: '108.50',
    spentBefore: '143.21',
    shops: [
      { name: 'Lindner', category: '5411', spent: '-5.00', spentBefore: '40.01' },
      { name: 'Basar', category: '5411', spent: '16.00', spentBefore: '0.00' },
      { name: 'Korn', category: '5462', spent: '7.50', spentBefore: '3.20' },
    ],
    otherShops: { count: 0, spent: '0.00', spentBefore: '0.00' },
    categories: [
      { category: '5411', spent: '11.00', spentBefore: '40.01' },
      { category: '5462', spent: '7.50', spentBefore: '3.20' },
    ],
    kinds: [
      { kind: 'own_transfer', spent: '70.00', spentBefore: '250.00' },
      { kind: 'transfer', spent: '60.00', spentBefore: '100.00' },
      { kind: 'withdrawal', spent: '30.00', spentBefore: '0.00' },
    ],
  })
  // All that has moved is either spent, moved to an own account, or came in.
  const entries = await readPages(people.ada, `/api/v1/accounts/${from}/transactions?limit=100`)
  const cents = (text: string) => Number(text.replace('.', ''))
  const moved = entries
    .filter(({ createdAt = '' }) => createdAt >= '2026-01-31T23:00:00.000Z')
    .reduce((sum, { amount = '' }) => sum + cents(amount), 0)
  const { spent, kinds } = await read('2026-02')
  assert.equal(-moved, cents(spent) + cents(kinds[0].spent))

  const january = await read('2026-01')
  assert.deepEqual([january.spent, january.spentBefore], ['143.21', '0.00'])
  assert.deepEqual(
    (await people.ada.get(made.path)).body,
    await read('2026-02'),
    'by default this month',
  )
  for (const [month, status] of [
    ['2026-03', 400],
    ['2026-13', 400],
    ['1969-12', 400],
    ['2026-2', 400],
    ['1970-01', 200],
  ] as const) {
    assert.equal((await people.ada.get(`${made.path}?month=${month}`)).status, status, month)
  }
})

test('the largest hundred shops are named, the rest is one sum, and erased ones have no name', async (t) => {
  const { till, read, from, address, clock, moveTo } = await setUp(t)
  for (let number = 1; number <= 103; number++) {
    const merchant = { ...grocer, name: `Shop ${number}` }
    await requireMade(till.clear(`${number}.00`, { merchant }))
  }
  const { shops, otherShops, categories, spent } = await read('2026-01')
  assert.deepEqual([shops.length, shops[0].name, shops[99].name], [100, 'Shop 103', 'Shop 4'])
  assert.deepEqual(otherShops, { count: 3, spent: '6.00', spentBefore: '0.00' })
  const sum = { spent: '5356.00', spentBefore: '0.00' }
  assert.deepEqual(categories, [{ category: '5411', ...sum }])
  assert.equal(spent, sum.spent)

  await moveTo('2026-02-01T00:00:00Z')
  const owner = openDatabase(address, { role: null })
  t.after(() => owner.close())
  await eraseTextsBefore(owner, clock.now(), { now: clock.now(), limit: clock.now() })
  const erased = await read('2026-01')
  assert.deepEqual(erased.shops, [{ name: null, category: null, ...sum }], from)
  assert.equal(erased.spent, sum.spent)
})

test('the owner and a member who may see the account read it, and no other person', async (t) => {
  const { ada, path, from, as } = await setUp(t, { MEMBERS: 'on' })
  const ben = await as('ben')
  assert.equal((await ben.get(path)).status, 403)
  const invited = await ada.post(`/api/v1/accounts/${from}/members`, {
    username: 'ben',
    rights: 'view',
  })
  await requireMade(ben.post(`/api/v1/members/${invited.body.id}/accept`))
  assert.deepEqual((await ben.get(path)).body, (await ada.get(path)).body)
  for (const name of ['agnes', 'root'] as const) {
    assert.equal((await (await as(name)).get(path)).status, 403, name)
  }
})

test('two months of 25,000 entries are summed up, one more is refused, and older ones do not count', async (t) => {
  const { sql, from, people, path, moveTo } = await setUp(t)
  await sql('alter table entries disable trigger user')
  await sql('alter table accounts disable trigger user')
  const fillTo = async (count: number) => {
    await sql(
      `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
         kind, reference)
       select account_id, transfer_id, added, 1, 10000, created_at, hash, kind, reference
       from entries, generate_series(2, $2::int) as added where account_id = $1 and seq = 1
       on conflict do nothing`,
      [from, count],
    )
    await sql('update accounts set last_seq = $2 where id = $1', [from, count])
  }
  const statusOf = async (month: string) => (await people.ada.get(`${path}?month=${month}`)).status
  await fillTo(25_000)
  assert.equal(await statusOf('2026-01'), 200)
  await fillTo(25_001)
  assert.equal(await statusOf('2026-01'), 400)
  await moveTo('2026-03-01T00:00:00Z')
  assert.equal(await statusOf('2026-02'), 400, 'the month before is read, too')
  assert.equal(await statusOf('2026-03'), 200)
})

// A request for a standing order that is sent again with its Idempotency-Key.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { transferBody } from '../../../test/support/fixture.ts'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import { type Change, orderScene } from '../../../test/support/orders.ts'
import type { Reply } from '../../../test/support/client.ts'
import { people, world } from '../../../test/support/world.ts'

const day = 24 * 3_600_000

async function fixture(t: TestContext) {
  const made = await world(t)
  const bank = await orderScene(made, '0.01')
  let { ada } = bank
  const path = `/api/v1/accounts/${bank.from}/orders`
  const body = {
    beneficiaryId: bank.payeeId,
    amount: '100.00',
    currency: 'EUR',
    reference: 'Rent',
    rhythm: 'monthly',
    firstOn: '2026-01-02',
    lastOn: '2026-12-02',
  }
  const ask = (more: Change = {}, headers: Record<string, string> = {}, key = 'rent') =>
    ada().post(path, { ...body, ...more }, { headers: { 'idempotency-key': key, ...headers } })
  return {
    ...bank,
    ask,
    made: async () => (await bank.sql('select from standing_orders')).rowCount,
    async pass(ms: number) {
      made.clock.advance(ms)
      const later = await made.login('ada')
      ada = () => later
    },
    /** The key is free: another request may have it. */
    async assertFree() {
      const used = await bank.sql('select from claims where caller_id = $1', [people.ada.id])
      assert.equal(used.rowCount, 0)
    },
  }
}

function assertReplayed(reply: Reply, first: Reply): void {
  assert.deepEqual([reply.status, reply.body], [first.status, first.body], reply.text)
  assert.equal(reply.headers['idempotency-replayed'], 'true')
  assert.equal(reply.headers['location'], first.headers['location'])
}

test('an order that is sent again with its key is made once, and another with that key is refused', async (t) => {
  const bank = await fixture(t)
  const first = await bank.ask()
  assert.equal(first.status, 201, first.text)
  assert.equal(first.headers['idempotency-replayed'], undefined)
  assertReplayed(await bank.ask({ amount: '100', retryDays: undefined }), first)
  const others: Record<string, Change> = {
    beneficiaryId: { beneficiaryId: undefined, toAccountId: bank.to },
    amount: { amount: '100.01' },
    currency: { currency: 'USD' },
    reference: { reference: 'Rents' },
    rhythm: { rhythm: 'weekly' },
    firstOn: { firstOn: '2026-01-03' },
    lastOn: { lastOn: undefined },
    retryDays: { retryDays: 1 },
    onHoliday: { onHoliday: 'after' },
  }
  for (const [field, other] of Object.entries(others)) {
    assert.equal((await bank.ask(other)).body.code, 'idempotency_key_reused', field)
  }
  assert.equal((await bank.ask({ onHoliday: 'before' }, {}, 'ruled')).status, 201)
  for (const onHoliday of ['pay', 'after']) {
    const another = await bank.ask({ onHoliday }, {}, 'ruled')
    assert.equal(another.body.code, 'idempotency_key_reused', onHoliday)
  }
  const transfer = {
    fromAccountId: bank.from,
    toAccountId: bank.to,
    amount: '1.00',
    currency: 'EUR',
  }
  const headers = { 'idempotency-key': 'rent' }
  const paid = await bank.ada().post('/api/v1/transfers', transfer, { headers })
  assert.equal(paid.body.code, 'idempotency_key_reused')
  assert.equal(await bank.made(), 2)
  // Without a key each is one of its own.
  await bank.make()
  await bank.make()
  assert.equal(await bank.made(), 4)
})

test('of equal requests at once one makes the order, and each gets its answer', async (t) => {
  const bank = await fixture(t)
  const replies = await Promise.all(Array.from({ length: 10 }, () => bank.ask()))
  const ids = new Set(replies.map(({ status, body }) => `${status} ${body.id}`))
  assert.equal(ids.size, 1, [...ids].join())
  assert.match([...ids].join(), /^201 /)
  assert.equal(await bank.made(), 1)
})

test('the first answer stays, whatever became of the order, its payee and its account', async (t) => {
  const bank = await fixture(t)
  const first = await bank.ask()
  const path = `/api/v1/orders/${first.body.id}`
  const change = { amount: '5.00', reference: 'Less', toAccountId: bank.to, lastOn: '2026-05-02' }
  assert.equal((await bank.ada().patch(path, change)).status, 200)
  assert.equal((await bank.ada().post(`${path}/pause`)).status, 200)
  await bank.sql('update accounts set daily_transfer_limit = 5000 where id = $1', [bank.from])
  assertReplayed(await bank.ask(), first)
  const gone = await bank.ada().delete(`/api/v1/beneficiaries/${bank.payeeId}`)
  assert.equal(gone.status, 204)
  assertReplayed(await bank.ask(), first)
  assert.equal((await bank.ask({}, {}, 'new')).status, 404)
  const rest = transferBody(bank.from, bank.to, '0.01')
  assert.equal((await bank.ada().post('/api/v1/transfers', rest)).status, 201)
  assert.equal((await bank.ada().delete(`/api/v1/accounts/${bank.from}`)).status, 204)
  assertReplayed(await bank.ask(), first)
  assert.equal((await bank.ask({ amount: '1.00' })).body.code, 'idempotency_key_reused')
})

test('a key is kept for 24 hours, also when the first day is past by then', async (t) => {
  const bank = await fixture(t)
  const first = await bank.ask()
  const later = await bank.ask({ firstOn: '2026-01-31' }, {}, 'later')
  await bank.pass(day - 1)
  assertReplayed(await bank.ask(), first)
  assertReplayed(await bank.ask({ firstOn: '2026-01-31' }, {}, 'later'), later)
  await bank.pass(1)
  assert.equal((await bank.ask()).status, 400, 'the first day is past')
  const another = await bank.ask({ firstOn: '2026-01-31' }, {}, 'later')
  assert.deepEqual([another.status, another.body.id === later.body.id], [201, false])
})

test('a refusal by the state of the account is kept under the key, any other leaves it free', async (t) => {
  const bank = await fixture(t)
  assert.equal((await bank.ask({ firstOn: '2026-01-01' })).status, 400)
  assert.equal((await bank.ask({ beneficiaryId: undefined, toAccountId: bank.from })).status, 400)
  await bank.assertFree()
  const root = await bank.login('root')
  const turn = (verb: string) =>
    root.post(`/api/v1/admin/accounts/${bank.from}/${verb}`, { reason: 'Reported stolen' })
  assert.equal((await turn('freeze')).status, 200)
  const refused = await bank.ask()
  assert.deepEqual([refused.status, refused.body.code], [409, 'account_frozen'])
  assert.equal((await turn('unfreeze')).status, 200)
  assertReplayed(await bank.ask(), refused)
  assert.equal((await bank.ask({}, {}, 'new')).status, 201)
})

test('a repetition needs no confirmation and uses none up, and a request without one leaves its key free', async (t) => {
  const bank = await fixture(t)
  await giveFactor(bank, 'ada')
  const asked = await bank.ask()
  await bank.assertFree()
  const confirmation = await confirmAnyway(bank, asked)
  const first = await bank.ask({}, confirmation)
  assert.equal(first.status, 201, first.text)
  assertReplayed(await bank.ask(), first)
  assertReplayed(await bank.ask({}, confirmation), first)
  assert.equal(await bank.made(), 1)
})

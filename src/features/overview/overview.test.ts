// The totals of the bank agree with what is in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, scene, sceneIn } from '../../../test/support/fixture.ts'
import { people, world } from '../../../test/support/world.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { newId } from '../../domain/ids.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'

const path = '/api/v1/admin/overview'
const hour = 60 * 60 * 1000

test('the overview has the totals by currency, of users, sessions and refusals', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to, clock } = bank
  const [ben, agnes] = [await bank.as('ben'), await bank.as('agnes')]
  const [yen, closing] = [await openAccount(ben, 'JPY'), await openAccount(ben)]
  await deposit(root, yen, '7000', 'JPY')
  await root.post(`/api/v1/admin/accounts/${from}/withdrawals`, {
    amount: '10.00',
    currency: 'EUR',
    reason: 'Desk',
  })
  const beneficiary = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
  })
  const paid: string[] = []
  for (const amount of ['1.50', '2.25', '3.00', '4.00']) {
    const body = { fromAccountId: from, beneficiaryId: beneficiary.body.id, amount }
    const reply = await ada.post('/api/v1/transfers', { ...body, currency: 'EUR' })
    assert.equal(reply.status, 201, reply.text)
    paid.push(reply.body.id)
  }
  await root.post(`/api/v1/admin/transfers/${paid[2]}/settle`)
  await root.post(`/api/v1/admin/transfers/${paid[3]}/return`)
  await root.post(`/api/v1/admin/accounts/${to}/freeze`, { reason: 'Lost' })
  assert.equal((await ben.delete(`/api/v1/accounts/${closing}`)).status, 204)

  await bank.login('both')
  await root.patch(`/api/v1/admin/users/${people.both.id}`, { status: 'disabled' })
  await ada.get(path)
  await ben.get(`/api/v1/accounts/${from}`)
  const body = { username: 'ada', password: 'not the password' }
  await bank.send('POST', '/api/v1/auth/login', { body })

  const reply = await agnes.get(path)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body, {
    at: '2026-01-02T09:00:00.000Z',
    currencies: [
      {
        currency: 'EUR',
        openAccounts: 2,
        customerBalance: '83.25',
        pendingTransfers: 2,
        pendingAmount: '3.75',
        activeHolds: 0,
        heldAmount: '0.00',
      },
      {
        currency: 'JPY',
        openAccounts: 1,
        customerBalance: '7000',
        pendingTransfers: 0,
        pendingAmount: '0',
        activeHolds: 0,
        heldAmount: '0',
      },
    ],
    users: { active: 4, disabled: 1 },
    disputes: { waiting: 0, oldestSince: null },
    overdrawn: { accounts: 0, oldestSince: null },
    // Ada, Root, Ben and Agnes have one each.
    liveSessions: 4,
    refusals: { failure: 1, limited: 0, forbidden: 2 },
    work: {
      pending: { day: 2, threeDays: 0, older: 0, oldestSince: '2026-01-02T09:00:00.000Z' },
      approvals: { waiting: 0, oldestSince: null },
      suspense: [],
      refusedOrders: { count: 0, latest: [] },
    },
    lastVerification: null,
  })
  const { rows } = await bank.sql(
    `select currency, sum(balance)::text as sum from accounts
     where kind = 'customer' group by currency order by currency`,
  )
  assert.deepEqual(rows, [
    { currency: 'EUR', sum: '8325' },
    { currency: 'JPY', sum: '7000' },
  ])
  for (const client of [ada, ben]) assert.equal((await client.get(path)).status, 403)

  clock.advance(24 * hour + 1)
  const later = (await (await bank.login('root')).get(path)).body
  assert.deepEqual(later.refusals, { failure: 0, limited: 0, forbidden: 0 })
  assert.equal(later.liveSessions, 1, 'all others are idle or over')
  const oldestSince = '2026-01-02T09:00:00.000Z'
  assert.deepEqual(later.work.pending, { day: 0, threeDays: 2, older: 0, oldestSince })
  clock.advance(48 * hour)
  const last = (await (await bank.login('root')).get(path)).body
  assert.deepEqual(last.work.pending, { day: 0, threeDays: 0, older: 2, oldestSince })
})

test('the overview has what waits for staff and which orders were refused on the day of the bank', async (t) => {
  const bank = await sceneIn(await world(t, { settings: { FOUR_EYES: 'createWithdrawal' } }))
  const { root, from, clock, sql } = bank
  const withdrawal = { amount: '1.00', currency: 'EUR', reason: 'Desk' }
  await root.post(`/api/v1/admin/accounts/${from}/withdrawals`, withdrawal)
  const posting = { kind: 'correction', fromCode: 'clearing', toCode: 'suspense', amount: '7.00' }
  const booked = { ...posting, currency: 'EUR', reason: 'Unknown payee' }
  assert.equal((await root.post('/api/v1/admin/postings', booked)).status, 201)
  const refuse = (at: number, isOfOrder: boolean) =>
    sql(
      `insert into refused_payments (id, account_id, reason, amount, currency, order_id, due_on,
         created_at)
       values ($1, $2, 'insufficient_funds', 100, 'EUR', $3, $4, $5)`,
      [
        newId(at),
        from,
        isOfOrder ? newId(at) : null,
        isOfOrder ? '2026-01-02' : null,
        new Date(at),
      ],
    )
  const midnight = Date.parse('2026-01-02T00:00:00Z')
  await refuse(midnight - 1, true)
  await refuse(midnight, true)
  await refuse(clock.now(), false)
  const { work } = (await (await bank.as('agnes')).get(path)).body
  assert.deepEqual(work.approvals, { waiting: 1, oldestSince: '2026-01-02T09:00:00.000Z' })
  const [suspense] = work.suspense
  assert.deepEqual(suspense, {
    currency: 'EUR',
    amount: '7.00',
    since: '2026-01-02T09:00:00.000Z',
  })
  assert.equal(work.refusedOrders.count, 1)
  assert.equal(work.refusedOrders.latest[0].createdAt, '2026-01-02T00:00:00.000Z')
  clock.advance(49 * hour)
  const later = (await (await bank.login('root')).get(path)).body.work
  assert.deepEqual(later.approvals, { waiting: 0, oldestSince: null })
  assert.equal(later.refusedOrders.count, 0)
})

test('the overview has the last run of verify, and of one of what is new only a later failure', async (t) => {
  const bank = await scene(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  let told: object | null = null
  for (const [action, outcome, isTold] of [
    ['verifyNew', 'success', false],
    ['verify', 'success', true],
    ['verify', 'failure', true],
    ['verifyNew', 'success', false],
    ['verify', 'success', true],
    ['verifyNew', 'failure', true],
    ['verify', 'success', true],
  ] as const) {
    bank.clock.advance(1000)
    const at = bank.clock.now()
    const event = commandEvent(at, { action, outcome })
    await transaction(db, (tx) => addEvents(tx, [event]))
    const isSound = outcome === 'success'
    if (isTold) told = { eventId: event.id, at: new Date(at).toISOString(), isSound }
    const { lastVerification } = (await bank.root.get(path)).body
    assert.deepEqual(lastVerification, told)
  }
})

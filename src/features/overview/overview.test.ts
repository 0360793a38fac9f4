// The totals of the bank agree with what is in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, scene } from '../../../test/support/fixture.ts'
import { people } from '../../../test/support/world.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
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
    overdrawn: { accounts: 0, oldestSince: null },
    // Ada, Root, Ben and Agnes have one each.
    liveSessions: 4,
    refusals: { failure: 1, limited: 0, forbidden: 2 },
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
})

test('the overview has the last run of verify', async (t) => {
  const bank = await scene(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  for (const outcome of ['success', 'failure'] as const) {
    bank.clock.advance(1000)
    const at = bank.clock.now()
    const event = commandEvent(at, { action: 'verify', outcome })
    await transaction(db, (tx) => addEvents(tx, [event]))
    const { lastVerification } = (await bank.root.get(path)).body
    assert.deepEqual(lastVerification, {
      eventId: event.id,
      at: new Date(at).toISOString(),
      isSound: outcome === 'success',
    })
  }
})

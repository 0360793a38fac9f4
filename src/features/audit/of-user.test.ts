// What a page of a customer shows to staff: payees, factors, refusals and last events. And the
// trail without what was only read, with names for people alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asked, cardScene } from '../../../test/support/card-payments.ts'
import { deposit, scene } from '../../../test/support/fixture.ts'
import { indexAll } from '../../../test/support/payment-search.ts'
import { people } from '../../../test/support/people.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { isChange } from '../../audit/sql.ts'
import { routes } from '../routes.ts'

const ofAda = `/api/v1/admin/users/${people.ada.id}`
const trail = '/api/v1/admin/audit-events'
type ShownPayment = { accountId: string; kind: string; amount: string }
type ShownEvent = { action: string; by: { name: string | null } | null }

test('staff read payees, factors, refusals and last events of a customer, and the look is recorded', async (t) => {
  const bank = await cardScene(await scene(t, '20.00'))
  const { ada, root, from, card, processor } = bank
  const agnes = await bank.as('agnes')
  const items = async (path: string) => {
    const { status, body, text } = await agnes.get(`${ofAda}/${path}`)
    assert.equal(status, 200, text)
    return body.items ?? body.events
  }
  const payee = { name: 'Otto', iban: 'DE89370400440532013000' }
  const added = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  assert.deepEqual(await items('beneficiaries'), [added.body])

  const { body } = await agnes.get(`${ofAda}/factors`)
  assert.deepEqual(body, { factors: [], recoveryCodesLeft: 0, policy: 'optional' })

  const terms = { amount: '99.00', currency: 'EUR' }
  await ada.post('/api/v1/transfers', {
    fromAccountId: from,
    beneficiaryId: added.body.id,
    ...terms,
  })
  bank.clock.advance(1)
  await processor.post(`/api/v1/cards/${card}/authorizations`, asked('77.00'))
  await indexAll(bank)
  const refused = await items('refused-payments')
  assert.deepEqual(
    refused.map((one: { refused?: { amount: string }; cardPayment?: { amount: string } }) => [
      one.refused?.amount,
      one.cardPayment?.amount,
    ]),
    [
      [undefined, '77.00'],
      ['99.00', undefined],
    ],
  )

  bank.clock.advance(1)
  for (const verb of ['freeze', 'unfreeze', 'freeze']) {
    bank.clock.advance(1)
    await root.post(`/api/v1/admin/accounts/${from}/${verb}`, { reason: 'Reported stolen' })
  }
  const events: ShownEvent[] = await items('audit-events')
  assert.equal(events.length, 10)
  assert.deepEqual(
    events.slice(0, 1).map(({ action, by }) => [action, by?.name]),
    [['freezeAccount', 'Root Keeper']],
  )
  const actions = events.map(({ action }) => action)
  assert.ok(actions.includes('createBeneficiary'), actions.join())
  assert.ok(!actions.some((action) => /^(get|list)/.test(action)), actions.join())

  const looks = await root.get(`${trail}?target=${people.ada.id}&actorId=${people.agnes.id}`)
  assert.deepEqual(looks.body.items.map(({ action }: ShownEvent) => action).toSorted(), [
    'listUserBeneficiaries',
    'listUserEvents',
    'listUserFactors',
    'listUserRefusedPayments',
  ])
  const ofStaff = `/api/v1/admin/users/${people.root.id}/audit-events`
  assert.equal((await agnes.get(ofStaff)).status, 403)
  assert.equal((await root.get(ofStaff)).status, 200)
  for (const path of ['beneficiaries', 'factors', 'refused-payments', 'audit-events']) {
    assert.equal((await ada.get(`${ofAda}/${path}`)).status, 403)
    const unknown = ofAda.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    assert.equal((await agnes.get(`${unknown}/${path}`)).status, 404)
  }

  const all = await root.get(`${trail}?limit=100&actorId=${people.agnes.id}`)
  assert.ok(all.body.items.length > 0)
  const changed = await root.get(`${trail}?limit=100&changes=true&names=true`)
  const told = changed.body.items.map(({ action }: ShownEvent) => action)
  assert.equal(told[0], 'freezeAccount')
  assert.ok(!told.some((action: string) => /^(get|list)/.test(action)), told.join())
  const [freeze] = changed.body.items
  assert.deepEqual([freeze.actorName, freeze.targetName], ['Root Keeper', 'Ada Okafor'])
  const keeper = await newProgram(bank, { operations: ['listAuditEvents'] })
  const exported = await keeper.get(`${trail}?limit=100&changes=true&names=true`)
  assert.equal('actorName' in exported.body.items.at(-1), false)
})

test('the last ten entries of the open accounts of a person stand beside the events', async (t) => {
  const bank = await scene(t, '20.00')
  const { ada, root, from, to } = bank
  for (let number = 1; number <= 10; number++) {
    bank.clock.advance(1)
    await deposit(root, number % 2 ? from : to, `${number}.00`)
  }
  const read = async () => (await root.get(`${ofAda}/audit-events`)).body.payments as ShownPayment[]
  const amounts = (await read()).map(({ amount }) => Number(amount))
  assert.deepEqual(amounts, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  await root.post(`/api/v1/admin/accounts/${to}/withdrawals`, {
    amount: '30.00',
    currency: 'EUR',
    reason: 'All of it',
  })
  assert.equal((await ada.delete(`/api/v1/accounts/${to}`)).status, 204)
  assert.ok((await read()).every(({ accountId }) => accountId === from))
})

test('each change has its place in the trail without reads, and no read has', async () => {
  const [, pattern = ''] = /!~ '(.+)'/.exec(isChange.text) ?? []
  const without = new RegExp(pattern)
  for (const { method, operation } of routes) {
    const isRead = method === 'GET' || ['refresh', 'checkPayee'].includes(operation)
    assert.equal(without.test(operation), isRead, operation)
  }
})

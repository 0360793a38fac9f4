// Members of staff who are customers cannot change their own accounts by a staff grant. Made from
// the list of routes, so that it covers new routes too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Identifier } from '../src/domain/ids.ts'
import { findIdentifiers } from '../src/http/route-check.ts'
import type { Route } from '../src/http/route.ts'
import { routes } from '../src/features/routes.ts'
import { readBelongings, toParts, sendTo } from './support/requests.ts'
import { deposit, openAccount } from './support/fixture.ts'
import { readEvent, readEvents } from './support/audit-events.ts'
import { people, world, type World } from './support/world.ts'

const ofNoAccount = new Set([
  'user',
  'session',
  'request',
  'service account',
  'key',
  'webhook',
  'delivery',
])
const isOfAccount = ({ resource }: Identifier) => !ofNoAccount.has(resource)
const routeName = ({ method, path }: Route) => `${method} ${path}`

/** Routes by which staff change an account, or a resource of one. */
const changes = routes.filter(
  (route) =>
    route.method !== 'GET' &&
    Object.values(route.access).includes('any') &&
    // By the maker alone, whatever it names.
    route.operation !== 'withdrawRequest' &&
    findIdentifiers(route).some(isOfAccount),
)
const isForCustomers = ({ access }: Route) => access !== 'public' && access.customer !== undefined

const setRoles = (bank: World, roles: string) =>
  bank.sql('update users set roles = $1::text[] where id = $2', [roles, people.both.id])

async function readBooks({ sql }: World): Promise<unknown> {
  const { rows } = await sql(
    `select (select jsonb_agg(a order by id) from accounts a) as accounts,
            (select jsonb_agg(c order by id) from cards c) as cards,
            (select jsonb_agg(x.status order by id) from transfers x) as transfers`,
  )
  return rows
}

test('no staff grant changes an account of the caller, on any route, and each attempt is recorded', async (t) => {
  const bank = await world(t)
  const own = await readBelongings(bank, 'both')
  const foreign = await readBelongings(bank, 'ada')
  const { token } = await bank.as('both')
  const before = await readBooks(bank)
  assert.ok(changes.length >= 12, 'the routes are in the list')
  for (const roles of ['{admin}', '{customer,admin}', '{customer,support-agent,admin}']) {
    await setRoles(bank, roles)
    const refused = changes.filter((route) => roles === '{admin}' || !isForCustomers(route))
    for (const route of refused) {
      const reply = await sendTo(
        bank,
        route,
        toParts(route, ({ resource }) => own[resource]),
        token,
      )
      assert.equal(reply.status, 403, `${routeName(route)} with ${roles}: ${reply.text}`)
      const { actorId, outcome, target } = await readEvent(bank, reply)
      assert.deepEqual([actorId, outcome], [people.both.id, 'forbidden'], routeName(route))
      assert.ok(Object.values(own).includes(target as string), routeName(route))
    }
  }
  assert.deepEqual(await readBooks(bank), before, 'nothing changed')
  for (const route of changes) {
    const parts = toParts(route, ({ resource }) => foreign[resource])
    const reply = await sendTo(bank, route, parts, token)
    assert.notEqual(reply.status, 403, `${routeName(route)} of another: ${reply.text}`)
  }
})

test('a transfer to or from an own account counts as the caller’s own', async (t) => {
  const bank = await world(t)
  const [root, ada, both] = [await bank.as('root'), await bank.as('ada'), await bank.as('both')]
  const [bothAccount, adaAccount] = [await openAccount(both), await openAccount(ada)]
  await deposit(root, adaAccount, '50.00')
  const { iban } = (await both.get(`/api/v1/accounts/${bothAccount}`)).body
  const beneficiary = await ada.post(`/api/v1/accounts/${adaAccount}/beneficiaries`, {
    name: 'Both Hybrid',
    iban: iban as string,
  })
  const paid = await ada.post('/api/v1/transfers', {
    fromAccountId: adaAccount,
    beneficiaryId: beneficiary.body.id as string,
    amount: '5.00',
    currency: 'EUR',
  })
  assert.equal(paid.status, 201, paid.text)
  await setRoles(bank, '{customer,admin}')
  const reversal = `/api/v1/admin/transfers/${paid.body.id}/reversal`
  const reply = await both.post(reversal, { reason: 'Mine' })
  assert.equal(reply.status, 403, reply.text)
  const byAnother = await root.post(reversal, { reason: 'Twice' })
  assert.equal(byAnother.status, 201, byAnother.text)
})

test('a customer who is also an administrator uses an own account as a customer', async (t) => {
  const bank = await world(t)
  const [both, root] = [await bank.as('both'), await bank.as('root')]
  const account = await openAccount(both)
  await setRoles(bank, '{customer,admin}')
  const card = await both.post(`/api/v1/accounts/${account}/cards`, {})
  assert.equal(card.status, 201, card.text)
  const path = `/api/v1/cards/${card.body.id}`
  const frozen = await both.post(`${path}/freeze`)
  assert.equal(frozen.body.frozenBy, 'customer')
  for (const reply of [card, frozen]) {
    const targets = (await readEvents(bank, reply)).map(({ target }) => target)
    assert.deepEqual(targets, [card.body.id], 'one event, of a customer')
  }
  assert.equal((await root.post(`${path}/freeze`)).body.frozenBy, 'admin')
  assert.equal((await both.post(`${path}/unfreeze`)).status, 403, 'an administrator froze it')
  assert.equal((await both.put(path, { status: 'cancelled' })).body.code, 'illegal_transition')
  const closed = await both.delete(`/api/v1/accounts/${account}`)
  assert.equal(closed.status, 204, closed.text)
  assert.equal((await both.delete(`/api/v1/accounts/${account}`)).status, 404)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidIBAN } from 'ibantools'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import { createIban } from '../../domain/iban.ts'
import { many, patiently } from '../../../test/support/fixture.ts'
import { waitingForLock } from '../../../test/support/locks.ts'
import { Account } from './schemas.ts'
import { commonWorld, people, type ApiClient, world } from '../../../test/support/world.ts'
import { openAccount } from './lifecycle.ts'

const accounts = '/api/v1/accounts'
const at = (id: string) => `${accounts}/${id}`
const admin = (id: string, action = '') => `/api/v1/admin/accounts/${id}${action}`
const unknownId = '01940000-0000-7000-8000-0000000000ff'

const open = async (client: ApiClient, body: object = { currency: 'EUR' }) => {
  const { status, text, body: account } = await client.post(accounts, body)
  assert.equal(status, 201, text)
  return account
}
const readIds = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id)

test('a customer opens an account: it is empty, active and readable', async () => {
  const ada = await (await commonWorld()).as('ada')
  const { status, headers, body } = await ada.post(accounts, { currency: 'KWD', name: 'Savings' })
  assert.equal(status, 201)
  assert.equal(headers['location'], at(body.id))
  assert.ok(isValidIBAN(body.iban))
  assert.deepEqual(body, {
    id: body.id,
    ownerId: people.ada.id,
    iban: body.iban,
    currency: 'KWD',
    name: 'Savings',
    status: 'active',
    balance: '0.000',
    held: '0.000',
    available: '0.000',
    overdrawnSince: null,
    blocked: { debits: false, credits: false },
    createdAt: '2026-01-02T09:00:00.000Z',
  })
  assert.deepEqual((await ada.get(at(body.id))).body, body)
  assert.deepEqual((await ada.get(`/accounts/${body.id}`)).body, body)
  const unnamed = await open(ada, { currency: 'JPY', ownerId: people.ada.id })
  assert.deepEqual([unnamed.name, unnamed.balance], [null, '0'])
})

test('what is available has the form of the API reference, however much it is', async () => {
  const bank = await commonWorld()
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const { id } = await open(ada, { currency: 'EUR' })
  for (const amount of ['999999999999999.99', '999999999999999.98']) {
    const body = { amount, currency: 'EUR', reason: 'Paid in' }
    assert.equal((await root.post(`/api/v1/admin/accounts/${id}/deposits`, body)).status, 201)
  }
  const { available } = (await ada.get(at(id))).body
  assert.equal(available, '1999999999999999.97')
  assert.match(
    available,
    new RegExp((Account.properties.available as { pattern?: string }).pattern ?? '^$'),
  )
})

test('a customer and a support agent open no account for others: 403, the same for every named owner', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const refused = []
  for (const ownerId of [people.ben.id, people.root.id, unknownId]) {
    refused.push(await ada.post(accounts, { currency: 'EUR', ownerId }))
  }
  refused.push(await (await bank.as('agnes')).post(accounts, { currency: 'EUR' }))
  for (const { status, text } of refused) {
    assert.equal(status, 403)
    assert.equal(text, refused[0]?.text)
  }
  for (const more of [{ balance: '5' }, { status: 'frozen' }, { iban: 'DE00' }, { name: '<b>' }]) {
    assert.equal((await ada.post(accounts, { currency: 'EUR', ...more })).status, 400)
  }
  assert.equal((await ada.post(accounts, { currency: 'XTS' })).status, 400)
  const { rows } = await bank.sql(`select 1 from accounts where kind = 'customer'`)
  assert.equal(rows.length, 0)
})

test('an administrator opens accounts for active customers only, and must name the owner', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const forAda = await open(root, { currency: 'EUR', ownerId: people.ada.id })
  assert.equal((await (await bank.as('ada')).get(at(forAda.id))).status, 200)
  const unnamed = await root.post(accounts, { currency: 'EUR' })
  assert.deepEqual([unnamed.status, unnamed.body.details[0].path], [400, '/body/ownerId'])
  await bank.sql(`update users set status = 'disabled' where username = 'ben'`)
  for (const ownerId of [people.ben.id, people.agnes.id, people.root.id, unknownId]) {
    assert.equal((await root.post(accounts, { currency: 'EUR', ownerId })).status, 404)
  }
})

test('an administrator who is also a customer opens an own account without naming an owner', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set roles = '{customer,admin}' where username = 'ben'`)
  assert.equal((await open(await bank.as('ben'))).ownerId, people.ben.id)
})

test('a customer has at most 100 open accounts, also under concurrent requests', async (t) => {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const second = await bank.another()
  const { id } = await open(ada)
  await bank.sql(
    `insert into accounts (id, owner_id, iban, currency, status, created_at)
     select gen_random_uuid(), owner_id, 'XX' || n, currency,
       case when n <= 96 then 'frozen' else 'closed' end, created_at
     from accounts, generate_series(1, 150) as n where id = $1`,
    [id],
  )
  const ask = (index: number) => {
    const { token } = index % 4 === 0 ? root : ada
    const body = { currency: 'EUR', ...(token === root.token && { ownerId: people.ada.id }) }
    const { send } = index % 2 === 0 ? bank : second
    return patiently(() => send('POST', accounts, { token, body }))
  }
  const replies = await many(24, ask)
  const refused = replies.filter(({ status }) => status === 409)
  assert.equal(replies.filter(({ status }) => status === 201).length, 3)
  assert.deepEqual([...new Set(refused.map(({ body }) => body.code))], ['limit_exceeded'])
  assert.deepEqual(refused[0]?.body.limit, { name: 'openAccounts', amount: '100', used: '100' })
  assert.equal(refused.length, 21)
  const count = `select count(*)::int as n from accounts where owner_id = $1 and status <> 'closed'`
  assert.equal((await bank.sql(count, [people.ada.id])).rows[0]?.['n'], 100)
  assert.equal((await ada.delete(at(id))).status, 204)
  await open(ada)
  assert.equal((await ask(1)).status, 409)
  await open(await bank.as('ben'))
})

test('an IBAN that is taken is not assigned again: another one is generated', async (t) => {
  const bank = await world(t)
  const { iban: taken } = await open(await bank.as('ada'))
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const free = createIban('DE', '007700770000000042')
  const ibans = [taken, taken, free]
  const now = bank.clock.now()
  const account = {
    id: unknownId,
    ownerId: people.ben.id,
    currency: 'EUR',
    name: null,
    now,
  } as const
  const within = <R>(open: (tx: Db) => Promise<R>) => transaction(db, open)
  const opened = await openAccount(within, account, () => ibans.shift() as string)
  assert.equal(opened?.iban, free)
  await assert.rejects(openAccount(within, { ...account, id: people.ada.id }, () => taken))
})

test('a customer lists the own open accounts, staff those of all customers', async (t) => {
  const bank = await world(t)
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  const [both, agnes] = [await bank.as('both'), await bank.as('agnes')]
  const opened: string[] = []
  for (const client of [ada, ben, both, ada, ada]) {
    bank.clock.advance(1)
    opened.unshift((await open(client)).id)
  }
  const [last, fourth, third, second, first] = opened as [string, string, string, string, string]
  assert.deepEqual(readIds(await ada.get(accounts)), [last, fourth, first])
  assert.deepEqual(readIds(await ben.get(accounts)), [second])
  assert.deepEqual(readIds(await agnes.get(accounts)), opened)
  assert.deepEqual(readIds(await both.get(accounts)), opened)
  assert.equal((await ada.delete(at(fourth))).status, 204)
  assert.deepEqual(readIds(await ada.get(accounts)), [last, first])
  assert.deepEqual(readIds(await agnes.get(accounts)), [last, third, second, first])

  const page = await agnes.get(`${accounts}?limit=3`)
  assert.deepEqual(readIds(page), [last, third, second])
  const next = await agnes.get(`${accounts}?limit=3&cursor=${page.body.nextCursor}`)
  assert.deepEqual([readIds(next), next.body.nextCursor], [[first], null])
  // A cursor is valid for its own list only.
  assert.equal((await ada.get(`${accounts}?cursor=${page.body.nextCursor}`)).status, 400)
})

test('the account of another customer and an unknown one get the same 403', async () => {
  const bank = await commonWorld()
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  const { id } = await open(ada)
  const refused = []
  for (const target of [id, unknownId]) {
    refused.push(await ben.get(at(target)))
    refused.push(await ben.get(`${at(target)}/details`))
    refused.push(await ben.get(`${at(target)}/settings`))
    refused.push(await ben.delete(at(target)))
  }
  for (const { status, text } of refused) {
    assert.equal(status, 403)
    assert.equal(text, refused[0]?.text)
  }
  const agnes = await bank.as('agnes')
  assert.equal((await agnes.get(at(id))).status, 200)
  for (const path of ['', '/details', '/settings']) {
    assert.equal((await agnes.get(at(unknownId) + path)).status, 404)
  }
  assert.equal((await agnes.delete(at(id))).status, 403)
})

test('the accounts of the bank itself are 404 on every route', async (t) => {
  const bank = await world(t)
  const { rows } = await bank.sql(`select id from accounts where kind <> 'customer' limit 1`)
  const id = rows[0]?.['id'] as string
  const root = await bank.as('root')
  const replies = [
    await root.get(at(id)),
    await root.get(`${at(id)}/settings`),
    await root.get(admin(id)),
    await root.delete(at(id)),
    await root.post(admin(id, '/freeze'), { reason: 'Test' }),
    await root.patch(`${at(id)}/settings`, { alertsEnabled: false }),
  ]
  for (const { status } of replies) assert.equal(status, 404)
  assert.deepEqual(readIds(await root.get('/api/v1/admin/accounts')), [])
})

test('details have the holder and the registered phone, for the holder and for staff', async () => {
  const bank = await commonWorld()
  const [ada, agnes, root] = [await bank.as('ada'), await bank.as('agnes'), await bank.as('root')]
  const account = await open(ada)
  const contact = { phone: '+442079460000', address: '12 Quay Street, Dublin' }
  await root.patch(`/api/v1/admin/users/${people.ada.id}`, contact)
  await root.patch(`${at(account.id)}/settings`, { registeredPhone: '+12025550123' })
  const expected = {
    ...account,
    registeredPhone: '+12025550123',
    bank: { name: 'Strongroom', bic: null },
    holder: {
      userId: people.ada.id,
      givenName: 'Ada',
      familyName: 'Okafor',
      email: 'ada@example.com',
      ...contact,
    },
  }
  for (const client of [ada, agnes, root]) {
    const { status, body } = await client.get(`${at(account.id)}/details`)
    assert.deepEqual([status, body], [200, expected])
  }
})

test('only an empty account that is not frozen can be closed, and a closed account is 404', async () => {
  const bank = await commonWorld()
  const [ada, agnes, root] = [await bank.as('ada'), await bank.as('agnes'), await bank.as('root')]
  const { id, iban } = await open(ada, { currency: 'EUR', name: 'Household' })
  await root.patch(`${at(id)}/settings`, { registeredPhone: '+12025550123' })
  await root.post(admin(id, '/freeze'), { reason: 'Reported stolen' })
  for (const client of [ada, root]) {
    assert.equal((await client.delete(at(id))).body.code, 'account_frozen')
  }
  await root.post(admin(id, '/unfreeze'), { reason: 'Found again' })
  await bank.sql('update accounts set balance = 1 where id = $1', [id])
  for (const client of [ada, root]) {
    assert.equal((await client.delete(at(id))).body.code, 'account_not_empty')
  }
  await bank.sql('update accounts set balance = -1, overdraft_limit = 1 where id = $1', [id])
  assert.equal((await ada.delete(at(id))).body.code, 'account_not_empty')
  await bank.sql('update accounts set balance = 0 where id = $1', [id])
  assert.equal((await ada.delete(at(id))).status, 204)

  for (const client of [ada, agnes, root]) {
    for (const path of ['', '/details', '/settings']) {
      const gone = await client.get(at(id) + path)
      assert.deepEqual([gone.status, gone.body.code], [404, 'not_found'])
    }
  }
  assert.equal((await ada.delete(at(id))).status, 404)
  assert.equal((await root.delete(at(id))).status, 404)
  assert.equal((await root.patch(`${at(id)}/settings`, { alertsEnabled: true })).status, 404)
  // Another customer gets the same as for any account.
  assert.equal((await (await bank.as('ben')).get(at(id))).status, 403)
  // The ledger keeps the row without the texts of its owner.
  const tombstone = (await agnes.get(admin(id))).body
  assert.deepEqual(
    [tombstone.status, tombstone.iban, tombstone.name, tombstone.available],
    ['closed', iban, null, '0.00'],
  )
  const { rows } = await bank.sql('select registered_phone from accounts where id = $1', [id])
  assert.equal(rows[0]?.['registered_phone'], null)
})

test('of concurrent requests that close an account, one succeeds', async () => {
  const bank = await commonWorld()
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  for (let turn = 0; turn < 5; turn++) {
    const { id } = await open(ada)
    const replies = await Promise.all([ada, root, ada, root].map((client) => client.delete(at(id))))
    const statuses = replies.map(({ status }) => status).toSorted((one, other) => one - other)
    assert.deepEqual(statuses, [204, 404, 404, 404])
  }
})

test('closing waits for the lock of the account, and decides by the state after it', async () => {
  const bank = await commonWorld()
  const ada = await bank.as('ada')
  const { id } = await open(ada)
  await bank.sql('begin')
  await bank.sql('update accounts set balance = 100 where id = $1', [id])
  const closing = ada.delete(at(id))
  await waitingForLock(bank)
  await bank.sql('commit')
  assert.equal((await closing).body.code, 'account_not_empty')
})

test('an account is not opened for a user who is being disabled', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  await bank.sql('begin')
  await bank.sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  const opening = root.post(accounts, { currency: 'EUR', ownerId: people.ada.id })
  await waitingForLock(bank)
  await bank.sql('commit')
  assert.equal((await opening).status, 404)
})

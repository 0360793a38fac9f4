import assert from 'node:assert/strict'
import { test } from 'node:test'
import { people, type ApiClient, world } from '../../../test/support/world.ts'

const search = '/api/v1/admin/accounts'
const unknownId = '01940000-0000-7000-8000-0000000000ff'
const reason = { reason: 'Reported stolen' }

type Opened = { id: string; iban: string }
const open = async (client: ApiClient) =>
  (await client.post('/api/v1/accounts', { currency: 'EUR' })).body as Opened

test('freezing and unfreezing are idempotent, and change the available amount', async (t) => {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const { id } = await open(ada)
  await root.patch(`/api/v1/accounts/${id}/settings`, { overdraftLimit: '5' })
  await bank.sql('update accounts set balance = 1000 where id = $1', [id])
  const steps = [
    ['freeze', 'frozen', '0.00'],
    ['freeze', 'frozen', '0.00'],
    ['unfreeze', 'active', '15.00'],
    ['unfreeze', 'active', '15.00'],
  ] as const
  for (const [action, status, available] of steps) {
    const reply = await root.post(`${search}/${id}/${action}`, reason)
    assert.equal(reply.status, 200)
    const { balance, ...account } = reply.body
    assert.deepEqual([account.status, account.available, balance], [status, available, '10.00'])
    // The owner can still read the account.
    assert.deepEqual((await ada.get(`/api/v1/accounts/${id}`)).body, reply.body)
  }
})

test('freezing requires a reason and an account that is not closed', async (t) => {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const { id } = await open(ada)
  for (const body of [{}, { reason: '' }, { reason: '<b>' }, { ...reason, status: 'closed' }]) {
    assert.equal((await root.post(`${search}/${id}/freeze`, body)).status, 400)
  }
  assert.equal((await root.get(`${search}/${id}`)).body.status, 'active')
  await ada.delete(`/api/v1/accounts/${id}`)
  for (const action of ['freeze', 'unfreeze']) {
    const refused = await root.post(`${search}/${id}/${action}`, reason)
    assert.deepEqual([refused.status, refused.body.code], [409, 'account_closed'])
    assert.equal((await root.post(`${search}/${unknownId}/${action}`, reason)).status, 404)
  }
})

test('only an administrator freezes, and a customer cannot search', async (t) => {
  const bank = await world(t)
  const [ada, agnes] = [await bank.as('ada'), await bank.as('agnes')]
  const { id } = await open(ada)
  const refused = [
    await ada.post(`${search}/${id}/freeze`, reason),
    await ada.post(`${search}/${id}/unfreeze`, reason),
    await ada.get(search),
    await ada.get(`${search}/${id}`),
    await agnes.post(`${search}/${id}/freeze`, reason),
    await agnes.post(`${search}/${id}/unfreeze`, reason),
  ]
  for (const { status, text } of refused) {
    assert.equal(status, 403)
    assert.equal(text, refused[0]?.text)
  }
  assert.equal((await agnes.get(`${search}/${id}`)).body.status, 'active')
})

test('staff find any account by IBAN, owner, holder and status, closed ones included', async (t) => {
  const bank = await world(t)
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  const [agnes, root] = [await bank.as('agnes'), await bank.as('root')]
  const opened: Opened[] = []
  for (const client of [ada, ben, ada]) {
    bank.clock.advance(1)
    opened.push(await open(client))
  }
  const [first, second, third] = opened as [Opened, Opened, Opened]
  await ada.delete(`/api/v1/accounts/${first.id}`)
  await root.post(`${search}/${second.id}/freeze`, reason)

  const findIds = async (query: string) => {
    const { status, body } = await agnes.get(search + query)
    assert.equal(status, 200, query)
    return body.items.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await findIds(''), [third.id, second.id, first.id])
  assert.deepEqual(await findIds(`?iban=${first.iban}`), [first.id])
  assert.deepEqual(await findIds(`?ownerId=${people.ada.id}`), [third.id, first.id])
  assert.deepEqual(await findIds(`?ownerId=${unknownId}`), [])
  assert.deepEqual(await findIds('?holder=ada%20OKA'), [third.id, first.id])
  assert.deepEqual(await findIds('?holder=lindq'), [second.id])
  for (const [status, expected] of [
    ['closed', first],
    ['frozen', second],
    ['active', third],
  ] as const) {
    assert.deepEqual(await findIds(`?status=${status}`), [expected.id])
  }
  assert.deepEqual(await findIds(`?status=closed&holder=ben`), [])

  const { nextCursor } = (await agnes.get(`${search}?limit=1`)).body
  assert.deepEqual(await findIds(`?limit=5&cursor=${nextCursor}`), [second.id, first.id])
  const wrong = [
    `?status=active&cursor=${nextCursor}`,
    `?iban=${first.iban.slice(0, -1)}`,
    `?iban=${first.iban.toLowerCase()}`,
    '?ownerId=1',
    '?status=gone',
    '?holder=%25',
    "?holder=x'%20or%201=1--",
    '?limit=0',
  ]
  for (const query of wrong) assert.equal((await agnes.get(search + query)).status, 400, query)
})

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { world } from '../../../test/support/world.ts'

const standard = {
  currency: 'EUR',
  registeredPhone: null,
  dailyTransferLimit: null,
  overdraftLimit: '0.00',
  alertsEnabled: true,
}

/** Ada has an account; `path` is that of its settings. */
async function withAccount(t: TestContext, currency = 'EUR') {
  const bank = await world(t)
  const { body } = await (await bank.as('ada')).post('/api/v1/accounts', { currency })
  const root = await bank.as('root')
  return { bank, root, id: body.id as string, path: `/api/v1/accounts/${body.id}/settings` }
}

test('the holder and staff read the settings, only an administrator changes them', async (t) => {
  const { bank, root, path } = await withAccount(t)
  for (const name of ['ada', 'agnes', 'root'] as const) {
    const { status, body } = await (await bank.as(name)).get(path)
    assert.deepEqual([status, body], [200, standard])
  }
  for (const name of ['ada', 'agnes', 'both'] as const) {
    assert.equal((await (await bank.as(name)).patch(path, { alertsEnabled: false })).status, 403)
  }
  assert.deepEqual((await root.get(path)).body, standard)
})

test('settings in the body change, others stay, and null clears', async (t) => {
  const { bank, root, path } = await withAccount(t)
  const steps: [object, object][] = [
    [{ registeredPhone: '+442079460000' }, { registeredPhone: '+442079460000' }],
    [{ dailyTransferLimit: '2500', currency: 'EUR' }, { dailyTransferLimit: '2500.00' }],
    [
      { overdraftLimit: '0.5', alertsEnabled: false },
      { overdraftLimit: '0.50', alertsEnabled: false },
    ],
    [{ dailyTransferLimit: '0' }, { dailyTransferLimit: '0.00' }],
    [{ dailyTransferLimit: null }, { dailyTransferLimit: null }],
    [
      { registeredPhone: null, alertsEnabled: true },
      { registeredPhone: null, alertsEnabled: true },
    ],
    [{ overdraftLimit: '999999999999999.99' }, { overdraftLimit: '999999999999999.99' }],
  ]
  let expected: object = standard
  for (const [change, effect] of steps) {
    expected = { ...expected, ...effect }
    const { status, body } = await root.patch(path, change)
    assert.deepEqual([status, body], [200, expected])
    assert.deepEqual((await (await bank.as('ada')).get(path)).body, expected)
  }
})

test('invalid settings are refused, and none of them is stored', async (t) => {
  const { root, path } = await withAccount(t)
  const wrong: object[] = [
    {},
    { registeredPhone: '+1202555' },
    { registeredPhone: '020 7946 0000' },
    { registeredPhone: '' },
    { dailyTransferLimit: 2500 },
    { dailyTransferLimit: '1.001' },
    { dailyTransferLimit: '-1' },
    { dailyTransferLimit: '1e3' },
    { overdraftLimit: null },
    { overdraftLimit: '01' },
    { overdraftLimit: '1234567890123456' },
    { alertsEnabled: 'false' },
    { alertsEnabled: null },
    { balance: '5' },
    { status: 'frozen' },
    { alertsEnabled: false, overdraftLimit: '0.001' },
  ]
  for (const change of wrong) {
    const { status, body } = await root.patch(path, change)
    assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(change))
  }
  assert.deepEqual((await root.get(path)).body, standard)
})

test('an amount has the minor digits of the account’s currency, and a currency in the body must match', async (t) => {
  const { root, path } = await withAccount(t, 'JPY')
  const refused = await root.patch(path, { overdraftLimit: '10.5' })
  assert.deepEqual([refused.status, refused.body.details[0].path], [400, '/body/overdraftLimit'])
  const other = await root.patch(path, { overdraftLimit: '10.5', currency: 'EUR' })
  assert.deepEqual([other.status, other.body.code], [409, 'currency_mismatch'])
  const { body } = await root.patch(path, { overdraftLimit: '10', currency: 'JPY' })
  assert.deepEqual(body, { ...standard, currency: 'JPY', overdraftLimit: '10' })
})

test('an overdraft limit cannot go below the present overdraft', async (t) => {
  const { bank, root, id, path } = await withAccount(t)
  await root.patch(path, { overdraftLimit: '100' })
  await bank.sql('update accounts set balance = -5000 where id = $1', [id])
  const refused = await root.patch(path, { overdraftLimit: '49.99', alertsEnabled: false })
  assert.deepEqual([refused.status, refused.body.code], [409, 'limit_exceeded'])
  assert.deepEqual((await root.get(path)).body, { ...standard, overdraftLimit: '100.00' })
  assert.equal((await root.patch(path, { overdraftLimit: '50' })).body.overdraftLimit, '50.00')
})

test('concurrent changes all take effect: none is lost', async (t) => {
  const { root, path } = await withAccount(t)
  const changes = [
    { registeredPhone: '+442079460000' },
    { dailyTransferLimit: '25.00' },
    { overdraftLimit: '7.00' },
    { alertsEnabled: false },
  ]
  const replies = await Promise.all(changes.map((change) => root.patch(path, change)))
  for (const { status } of replies) assert.equal(status, 200)
  assert.deepEqual((await root.get(path)).body, Object.assign({}, standard, ...changes))
})

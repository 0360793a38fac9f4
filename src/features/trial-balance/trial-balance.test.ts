// The trial balance as staff read it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, scene } from '../../../test/support/fixture.ts'

const path = '/api/v1/admin/trial-balance'

test('staff read the trial balance of now and of a time, in JSON and CSV; customers do not', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, clock } = bank
  const agnes = await bank.as('agnes')
  const before = new Date(clock.now()).toISOString()
  clock.advance(1000)
  await deposit(root, from, '23.45')
  await deposit(root, await openAccount(ada, 'JPY'), '700', 'JPY')
  const now = await agnes.get(path)
  assert.equal(now.status, 200, now.text)
  const [euro, yen, ...more] = now.body.currencies
  assert.deepEqual(more, [])
  assert.deepEqual(
    euro.accounts.map(({ code, balance }: Record<string, string>) => `${code} ${balance}`),
    [
      'cash -123.45',
      'clearing 0.00',
      'fees 0.00',
      'interest 0.00',
      'suspense 0.00',
      'opening 0.00',
    ],
  )
  assert.deepEqual([euro.customers, euro.total], ['123.45', '0.00'])
  assert.deepEqual([yen.currency, yen.customers, yen.total], ['JPY', '700', '0'])

  const then = await root.get(`${path}?at=${before}`)
  assert.equal(then.body.at, before)
  assert.deepEqual(
    then.body.currencies.map(({ currency, customers }: Record<string, string>) => [
      currency,
      customers,
    ]),
    [
      ['EUR', '100.00'],
      ['JPY', '0'],
    ],
  )
  const csv = await root.get(`${path}?at=${now.body.at}&format=csv`)
  const lines = csv.text.trim().split('\r\n')
  assert.deepEqual(lines.slice(0, 2), [
    'at,currency,account,name,balance',
    `${now.body.at},EUR,cash,Cash,-123.45`,
  ])
  assert.ok(lines.includes(`${now.body.at},EUR,customers,,123.45`))
  assert.equal(lines.length, 1 + 2 * 7)

  clock.advance(1000)
  const today = await root.get(`${path}?at=2026-01-02`)
  assert.equal(today.status, 200, today.text)
  const at = new Date(clock.now()).toISOString()
  assert.deepEqual(today.body, { at, currencies: now.body.currencies }, 'today is as of now')

  assert.equal((await ada.get(path)).status, 403)
  for (const wrong of ['2026-01-03', '2999-01-01T00:00:00Z', 'now', '2026-02-30']) {
    const { status, text } = await root.get(`${path}?at=${wrong}`)
    assert.equal(status, 400, text)
  }
})

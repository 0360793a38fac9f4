// What the first page of a customer tells of standing orders, and a skip that is taken back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, openAccount } from '../../../test/support/fixture.ts'
import { orderBank } from '../../../test/support/orders.ts'

test('the payments of all own accounts come in their order, and orders that wait for their owner are told', async (t) => {
  const bank = await orderBank(t, '250.00')
  const told = async (client = bank.ada()) => {
    const { body, status, text } = await client.get('/api/v1/orders/upcoming')
    assert.equal(status, 200, text)
    return body
  }
  const troubled = async () => {
    const { troubled: orders } = await told()
    const toText = ({ orderId, because, dueOn, refusal }: Record<string, string>) =>
      [because, orderId, dueOn, refusal].filter((part) => part !== undefined)
    return orders.map(toText).toSorted()
  }
  assert.deepEqual(await told(), { runs: [], troubled: [] })
  const rent = await bank.make({ firstOn: '2026-01-12' })
  const own = { beneficiaryId: undefined, toAccountId: bank.from, amount: '1.00' }
  const other = await bank.ada().post(`/api/v1/accounts/${bank.to}/orders`, {
    ...own,
    currency: 'EUR',
    rhythm: 'weekly',
    firstOn: '2026-01-10',
  })
  assert.equal(other.status, 201, other.text)
  const { runs } = await told()
  assert.deepEqual(
    runs
      .slice(0, 3)
      .map(({ accountId, dueOn, availableAfter }: Record<string, string>) => [
        accountId,
        dueOn,
        availableAfter,
      ]),
    [
      [bank.to, '2026-01-10', '-1.00'],
      [bank.from, '2026-01-12', '150.00'],
      [bank.to, '2026-01-17', '-2.00'],
    ],
  )
  // A stranger is told of none of it.
  assert.deepEqual(await told(await bank.login('ben')), { runs: [], troubled: [] })
  // Refused: also the one of a single day, which has ended by it.
  await bank.ada().delete(`/api/v1/orders/${other.body.id}`)
  const once = await bank.make({ rhythm: 'once', firstOn: '2026-01-13', amount: '900.00' })
  const waits = await bank.make({ firstOn: '2026-01-13', amount: '901.00', retryDays: 5 })
  await bank.goTo('2026-01-13')
  assert.deepEqual(await troubled(), [
    ['refused', once, '2026-01-13', 'insufficient_funds'],
    ['waiting', waits, '2026-01-13', 'insufficient_funds'],
  ])
  await bank.ada().post(`/api/v1/orders/${rent}/pause`)
  await bank.ada().delete(`/api/v1/orders/${waits}`)
  assert.deepEqual(await troubled(), [
    ['paused', rent],
    ['refused', once, '2026-01-13', 'insufficient_funds'],
  ])
  // Only the last day counts: one that was paid answers the refusal before it.
  const weekly = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-14', amount: '400.00' })
  await bank.goTo('2026-01-14')
  assert.equal((await troubled()).length, 3)
  await bank.payIn('400.00')
  await bank.goTo('2026-01-21')
  assert.equal((await troubled()).length, 2)
  await bank.ada().delete(`/api/v1/orders/${weekly}`)
  // After two weeks it is history, and a change of the order has answered it.
  const monthly = await bank.make({ firstOn: '2026-01-22', amount: '902.00' })
  await bank.goTo('2026-01-26')
  assert.equal((await troubled()).length, 3)
  bank.clock.advance(1)
  await bank.ada().patch(`/api/v1/orders/${monthly}`, { amount: '1.00' })
  assert.equal((await troubled()).length, 2)
  await bank.goTo('2026-01-28')
  assert.deepEqual(await troubled(), [['paused', rent]])
  // A closed account is gone with its orders.
  const spare = await openAccount(bank.ada())
  const idle = { ...own, toAccountId: bank.to, currency: 'EUR', rhythm: 'weekly' }
  const made = await bank
    .ada()
    .post(`/api/v1/accounts/${spare}/orders`, { ...idle, firstOn: '2026-03-01' })
  await bank.ada().post(`/api/v1/orders/${made.body.id}/pause`)
  assert.equal((await troubled()).length, 2)
  await bank.ada().delete(`/api/v1/accounts/${spare}`)
  assert.deepEqual(await troubled(), [['paused', rent]])
})

test('a day that was left out is taken back until it is over, and is paid then, once', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-05' })
  const skip = () => bank.ada().post(`/api/v1/orders/${id}/skip-next`)
  const undo = async (dueOn: string, client = bank.ada()) => {
    const { body, status } = await client.post(`/api/v1/orders/${id}/undo-skip`, { dueOn })
    return [status, body.nextOn ?? body.code ?? body.details?.[0]?.path]
  }
  const refused = [409, 'illegal_transition']
  assert.deepEqual(await undo('2026-01-05'), refused)
  await skip()
  await skip()
  // The newest first, by its name.
  assert.deepEqual(await undo('2026-01-05'), refused)
  assert.deepEqual(await undo('2026-01-13'), refused)
  assert.equal((await undo('2026-02-30'))[0], 400)
  assert.deepEqual(await undo('2026-01-12', await bank.login('ben')), [403, 'forbidden'])
  assert.deepEqual(await undo('2026-01-12'), [200, '2026-01-12'])
  // Twice at once: one of them takes it back.
  const both = await Promise.all([undo('2026-01-05'), undo('2026-01-05')])
  assert.deepEqual(
    both.toSorted(([one], [other]) => one - other),
    [[200, '2026-01-05'], refused],
  )
  assert.deepEqual(await bank.runs(id), [])
  await bank.goTo('2026-01-05')
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-05 made'])
  // What was paid, and a day that is over, stay.
  assert.deepEqual(await undo('2026-01-05'), refused)
  await skip()
  bank.clock.advance(Date.parse('2026-01-12T23:59:59.999Z') - bank.clock.now())
  const late = await bank.login('ada')
  bank.clock.advance(1)
  assert.deepEqual(await undo('2026-01-12', late), refused)
  await bank.goTo('2026-01-14')
  assert.deepEqual(await bank.runs(id), ['2026-01-12 skipped', '2026-01-05 made'])
  // On the day itself it is paid at once.
  await skip()
  await bank.goTo('2026-01-19')
  assert.deepEqual(await undo('2026-01-19'), [200, '2026-01-19'])
  await bank.work()
  assert.deepEqual((await bank.runs(id))[0], '2026-01-19 made')
  // An order that ended by its skip stays ended.
  const once = await bank.make({ rhythm: 'once', firstOn: '2026-02-01' })
  await bank.ada().post(`/api/v1/orders/${once}/skip-next`)
  const ended = await bank.ada().post(`/api/v1/orders/${once}/undo-skip`, { dueOn: '2026-02-01' })
  assert.equal(ended.body.code, 'illegal_transition')
  await assertSound(bank)
  assert.equal(await bank.balance(), '800.00')
})

test('a refusal is told for two weeks to the millisecond', async (t) => {
  const bank = await orderBank(t, '1.00')
  await bank.make({ firstOn: '2026-01-05' })
  await bank.goTo('2026-01-05')
  const { rows } = await bank.sql('select at::text from standing_order_runs')
  const refusedAt = Date.parse(rows[0]?.['at'] as string)
  const twoWeeks = 14 * 86_400_000
  bank.clock.advance(refusedAt + twoWeeks - 2 - bank.clock.now())
  const ada = await bank.login('ada')
  const isTold = async () => {
    const { troubled } = (await ada.get('/api/v1/orders/upcoming')).body
    return troubled.length === 1
  }
  bank.clock.advance(1)
  assert.ok(await isTold(), 'to the last millisecond')
  bank.clock.advance(1)
  assert.ok(!(await isTold()), 'two weeks later')
})

test('a day that waits for money keeps the day on which it was to be paid', async (t) => {
  const bank = await orderBank(t, '1.00')
  await bank.make({ firstOn: '2026-01-05', retryDays: 5 })
  await bank.goTo('2026-01-06')
  const [run] = (await bank.ada().get('/api/v1/orders/upcoming')).body.runs
  assert.deepEqual([run.dueOn, run.paysOn], ['2026-01-05', undefined])
})

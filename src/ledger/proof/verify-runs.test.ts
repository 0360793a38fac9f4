// The verification of standing orders names each run that is not what its order and its payment
// say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit } from '../../../test/support/fixture.ts'
import { orderScene } from '../../../test/support/orders.ts'
import { world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { verifyLedger } from './verify.ts'

test('a run names its own payment, on a day of its order, and a payment is that of one run', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const { sql } = bank
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-02' })
  const waiting = await bank.make({ firstOn: '2026-01-09', amount: '5000.00', retryDays: 5 })
  await bank.work()
  const body = { fromAccountId: bank.from, beneficiaryId: bank.payeeId, reference: 'Rent' }
  made.clock.advance(1000)
  const own = { ...body, amount: '100.00', currency: 'EUR' }
  const paid = await bank.ada().post('/api/v1/transfers', own)
  assert.equal(paid.status, 201, paid.text)
  await bank.goTo('2026-01-05')
  await bank.ada().patch(`/api/v1/orders/${id}`, { amount: '60.00' })
  await bank.goTo('2026-01-09')
  assert.deepEqual(await bank.runs(id), ['2026-01-09 made', '2026-01-02 made'])
  await deposit(await made.login('root'), bank.to, '1.00')

  const db = openDatabase(made.address)
  t.after(() => db.close())
  const mismatch = async () => (await verifyLedger(db)).mismatch
  assert.equal(await mismatch(), undefined, 'also of an order that was changed since')
  const first = `order_id = '${id}' and due_on = '2026-01-02'`
  const change = async (text: string, where = first) => {
    await sql('set session_replication_role = replica')
    await sql('create table kept as table standing_order_runs')
    await sql('create table kept_orders as table standing_orders')
    await sql(`update ${text} where ${where}`)
    const named = await mismatch()
    await sql('delete from standing_order_runs')
    await sql('delete from standing_orders')
    await sql('insert into standing_orders select * from kept_orders')
    await sql('insert into standing_order_runs select * from kept')
    await sql('drop table kept, kept_orders')
    await sql('set session_replication_role = origin')
    assert.equal(await mismatch(), undefined)
    return named?.replace(id, 'ID').replace(waiting, 'WAITING')
  }
  const runs = 'standing_order_runs set'
  const notPaid =
    'Run of 2026-01-02 of order ID: the transfer that it names is missing, or is not its payment'
  for (const text of [
    `${runs} transfer_id = gen_random_uuid()`,
    // Another transfer of the same amount, from the same account to the same payee.
    `${runs} transfer_id = '${paid.body.id}'`,
    `${runs} transfer_id = (select id from transfers where kind = 'deposit' limit 1)`,
    `${runs} amount = amount + 1`,
    `${runs} at = at + interval '1 ms'`,
  ]) {
    assert.equal(await change(text), notPaid, text)
  }
  const account = `standing_orders set account_id = '${bank.to}'`
  assert.equal(await change(account, `id = '${id}'`), notPaid)
  assert.equal(
    await change(`${runs} due_on = '2026-01-03'`),
    'Run of 2026-01-03 of order ID: its order is not due on that day',
  )
  const again = "standing_orders set next_on = '2026-01-09'"
  assert.equal(
    await change(again, `id = '${id}'`),
    'Run of 2026-01-09 of order ID: it is not the outcome that its order knows of',
  )
  assert.equal(
    await change("standing_orders set next_on = '2026-02-09'", `id = '${waiting}'`),
    'Run of 2026-01-09 of order WAITING: it is not the outcome that its order knows of',
  )
  assert.equal(
    await change(`${runs} order_id = gen_random_uuid()`).then((named) => named?.slice(-22)),
    'there is no such order',
  )
  await assert.rejects(
    sql(
      `update standing_order_runs set transfer_id = (
         select transfer_id from standing_order_runs where order_id = '${id}'
           and due_on = '2026-01-09')
       where ${first}`,
    ),
    /has an outcome/,
  )
  await sql('set session_replication_role = replica')
  await assert.rejects(
    sql(
      `insert into standing_order_runs (order_id, due_on, outcome, transfer_id, amount, at)
       select order_id, '2026-01-16', outcome, transfer_id, amount, at
       from standing_order_runs where ${first}`,
    ),
    /standing_order_runs_transfer/,
  )
})

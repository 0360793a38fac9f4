// Payments that have fallen due are no payments of others to each other, whatever makes them due.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scene } from '../../../test/support/fixture.ts'
import { orderScene } from '../../../test/support/orders.ts'
import { openListWorker } from '../../../test/support/payment-lists.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { utcDays } from '../../domain/days.ts'
import type { OpenLedger } from '../../ledger/batch/batch.ts'
import type { Movement, Submit } from '../../ledger/rules/movement.ts'
import { readBankCalendar } from '../../database/background/bank-calendar.ts'
import { openOrders } from '../orders/worker.ts'

/** The same ledger, and the most payments that one worker had under way there. */
function watched({ askedCount, submit }: Pick<OpenLedger, 'askedCount' | 'submit'>) {
  const seen = { underWay: 0, most: 0, count: 0 }
  const watching = (async (movement: Movement) => {
    seen.count++
    seen.most = Math.max(seen.most, ++seen.underWay)
    return submit(movement).finally(() => seen.underWay--)
  }) as Submit
  return { seen, ledger: { askedCount, submit: watching } }
}

test('orders and lists that are due together are each paid as if alone', async (t) => {
  const bank = await orderScene(await scene(t, '100000.00'))
  const { config, core } = bank.running
  const id = await bank.make({ rhythm: 'once', firstOn: '2026-01-02', amount: '1.00' })
  await bank.sql(
    `insert into standing_orders overriding system value
     select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid()))).*
     from standing_orders o, generate_series(1, 511) where o.id = $1`,
    [id],
  )
  const line = { beneficiaryId: bank.payeeId, amount: '1.00' }
  const list = { currency: 'EUR', items: Array.from({ length: 512 }, () => line) }
  const made = await bank.ada().post(`/api/v1/accounts/${bank.from}/payment-lists`, list)
  assert.equal(made.status, 201, made.text)
  const ordered = await bank.ada().post(`/api/v1/payment-lists/${made.body.id}/execute`)
  assert.equal(ordered.status, 200, ordered.text)

  const ledger = core.ledger as OpenLedger
  const before = ledger.askedCount()
  const [ofOrders, ofLists] = [watched(ledger), watched(ledger)]
  const db = openDatabase(bank.address)
  const calendar = await readBankCalendar(db)
  const orders = openOrders({
    db,
    config,
    clock: bank.clock,
    clocks: { require() {}, days: () => utcDays, calendar: () => calendar },
    log: { warn: assert.fail, error: assert.fail },
    ledger: ofOrders.ledger,
  })
  const lists = openListWorker(bank, ofLists.ledger)
  await Promise.all([orders.work(), lists.work()])
  await Promise.all([orders.close(), lists.close()])
  await db.close()
  const both = [ofOrders.seen, ofLists.seen]
  assert.deepEqual(
    both.map(({ count }) => count),
    [512, 512],
  )
  for (const { most } of both) assert.ok(most >= 128, JSON.stringify(both))
  assert.equal(ledger.askedCount(), before)
  assert.equal(await bank.balance(), '98976.00')
})

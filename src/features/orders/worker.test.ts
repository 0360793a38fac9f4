// The worker of standing orders: runs that fail, days of the bank's zone, and what becomes of an
// order's texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeTimeZone } from '../../cli/days/time-zone.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { eraseBefore } from '../../ledger/erasure/erase.ts'
import { orderBank, orderScene } from '../../../test/support/orders.ts'
import { world } from '../../../test/support/world.ts'

const minute = 60_000

test('a run that ends without an outcome is tried later each time, is told in the log and a metric, and is made when its cause is gone', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const id = await bank.make({ firstOn: '2026-01-02' })
  const beside = await bank.make({ firstOn: '2026-01-02' })
  await bank.sql(`create function fail_run() returns trigger language plpgsql as
    $$ begin raise exception 'a defect'; end $$`)
  await bank.sql(`create trigger fail before insert on standing_order_runs
    for each row when (new.order_id = '${id}') execute function fail_run()`)
  for (let minutes = 0; minutes < 240; minutes++) {
    await bank.work()
    bank.clock.advance(minute)
  }
  const told = made.logged.filter((line) => line.includes('a standing order could not be run'))
  assert.ok(told.length >= 8 && told.length <= 12, `${told.length} attempts in four hours`)
  assert.match(told.at(-1) ?? '', new RegExp(`"because":"${id}","attemptCount":${told.length}`))
  assert.equal(bank.running.core.orders.failedCount(), told.length)
  await bank.sql('drop trigger fail on standing_order_runs')
  await bank.goTo('2026-01-03')
  assert.deepEqual(await bank.runs(id), ['2026-01-02 made'])
  assert.deepEqual(await bank.runs(beside), ['2026-01-02 made'])
  const { rows } = await bank.sql('select attempts, leased_until from standing_orders')
  const free = { attempts: 0, leased_until: null }
  assert.deepEqual(rows, [free, free])
})

test('a change of an order that could not be run is tried at once', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ firstOn: '2026-01-02', reference: 'Bad' })
  await bank.sql(`alter table standing_orders add constraint no_bad check (
    reference <> 'Bad' or next_on = first_on)`)
  await bank.work()
  assert.deepEqual(await bank.runs(id), [])
  assert.equal((await bank.ada().patch(`/api/v1/orders/${id}`, { reference: 'Good' })).status, 200)
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-02 made'])
})

test('a day that waited for money is not one of those that were missed', async (t) => {
  const bank = await orderBank(t, '50.00')
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-05', retryDays: 5 })
  const lateCount = async () =>
    (await bank.sql('select late_count from standing_orders')).rows[0]?.['late_count']
  await bank.goTo('2026-01-05')
  await bank.goTo('2026-01-07')
  await bank.payIn('50.00')
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-05 made'])
  assert.equal(await lateCount(), 0)
  // Its first attempt is late, and it waits after that.
  await bank.goTo('2026-01-13')
  assert.deepEqual((await bank.runs(id))[0], '2026-01-12 waiting insufficient_funds')
  await bank.payIn('100.00')
  await bank.work()
  assert.equal(await lateCount(), 1)
})

test('an order that waits behind five thousand others is paid once its money is there', async (t) => {
  const bank = await orderBank(t, '50.00')
  await bank.make({ rhythm: 'weekly', firstOn: '2026-01-05', retryDays: 5, amount: '9000.00' })
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-05', retryDays: 5 })
  await bank.goTo('2026-01-05')
  await bank.sql(
    `insert into standing_orders overriding system value
     select (jsonb_populate_record(o, jsonb_build_object('id', gen))).*
     from standing_orders o, lateral (
       select '00000000-0000-7000-8000-' || lpad(n::text, 12, '0') as gen
       from generate_series(1, 5000) n) g
     where o.amount = 900000`,
  )
  await bank.payIn('50.00')
  // A turn looks at five thousand.
  await bank.work()
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-05 made'])
})

test('a payee that cools after a recovery refuses the day, and the order stays', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-02' })
  await bank.sql(
    `update users set recovered_at =
    (select created_at - interval '1 hour' from beneficiaries where id = $1)`,
    [bank.payeeId],
  )
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-02 refused beneficiary_cooling'])
  await bank.goTo('2026-01-09')
  assert.equal((await bank.runs(id))[0], '2026-01-09 made')
  assert.equal((await bank.told()).length, 1)
})

/** Whether the order has runs one millisecond before that time, and at it. */
async function around(bank: Awaited<ReturnType<typeof orderScene>>, at: string, id: string) {
  const count = async () =>
    (await bank.sql('select from standing_order_runs where order_id = $1', [id])).rows.length
  const before = await count()
  bank.clock.advance(Date.parse(at) - bank.clock.now() - 1)
  await bank.work()
  const early = (await count()) - before
  bank.clock.advance(1)
  await bank.work()
  return [early, (await count()) - before - early]
}

test('a day of an order begins with the day of the bank, also where a day has 23 or 25 hours', async (t) => {
  const bank = await orderScene(await world(t, { settings: { TIME_ZONE: 'Europe/Berlin' } }))
  const spring = await bank.make({ rhythm: 'weekly', firstOn: '2026-03-22', amount: '1.00' })
  for (const at of ['2026-03-21T23:00Z', '2026-03-28T23:00Z', '2026-04-04T22:00Z']) {
    assert.deepEqual(await around(bank, at, spring), [0, 1], at)
  }
  await bank.goTo('2026-04-06')
  assert.equal((await bank.ada().delete(`/api/v1/orders/${spring}`)).status, 204)
  const autumn = await bank.make({ rhythm: 'weekly', firstOn: '2026-10-18', amount: '1.00' })
  for (const at of ['2026-10-17T22:00Z', '2026-10-24T22:00Z', '2026-10-31T23:00Z']) {
    assert.deepEqual(await around(bank, at, autumn), [0, 1], at)
  }
})

for (const [zone, third, fourth] of [
  ['Europe/Berlin', '2026-01-02T23:00Z', '2026-01-03T23:00Z'],
  // The third of January begins at midnight in UTC, and ends at midnight in New York.
  ['America/New_York', '2026-01-03T00:00Z', '2026-01-04T05:00Z'],
] as const) {
  test(`a change of the zone to ${zone} runs each day of an order once, and leaves none out`, async (t) => {
    const made = await world(t)
    const bank = await orderScene(made)
    const days = ['2026-01-02', '2026-01-03', '2026-01-04']
    const ids: string[] = []
    for (const firstOn of days) ids.push(await bank.make({ rhythm: 'once', firstOn }))
    await changeTimeZone(made.address, zone, made.clock)
    const { running } = await made.another()
    const other = { ...bank, work: () => running.core.orders.work() }
    await other.work()
    assert.deepEqual(await around(other, third, ids[1] as string), [0, 1])
    assert.deepEqual(await around(other, fourth, ids[2] as string), [0, 1])
    const { rows } = await bank.sql(
      'select due_on::text as day, outcome from standing_order_runs order by due_on',
    )
    assert.deepEqual(
      rows,
      days.map((day) => ({ day, outcome: 'made' })),
    )
  })
}

test('the texts of orders that ended before a day are erased with those of its payments, others stay', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const about = { rhythm: 'once', amount: '1.00' }
  await bank.make({ ...about, firstOn: '2026-01-02', reference: 'Over' })
  const early = await bank.make({ ...about, firstOn: '2026-01-20', reference: 'Ended unpaid' })
  assert.equal((await bank.ada().delete(`/api/v1/orders/${early}`)).status, 204)
  await bank.make({ ...about, firstOn: '2026-01-10', reference: 'Paid later' })
  await bank.make({ firstOn: '2026-06-01', reference: 'Goes on' })
  await bank.work()
  await bank.goTo('2026-01-10')
  await bank.make({ ...about, firstOn: '2026-01-10', reference: 'Made later' })
  await bank.work()
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const event = commandEvent(made.clock.now(), { action: 'erase' })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  await eraseBefore(owner, Date.parse('2026-01-10T00:00Z'), event.id)
  const { rows } = await bank.sql('select reference from standing_orders order by 1')
  assert.deepEqual(
    rows.map(({ reference }) => reference),
    ['', '', 'Goes on', 'Made later', 'Paid later'],
  )
})

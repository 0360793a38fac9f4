// Days of orders that are no business days: paid on them, before them or after them, once each, as
// the calendar of that moment has it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { changeCalendar } from '../../cli/days/calendar.ts'
import { createBankCalendar } from '../../domain/calendar/business-days.ts'
import { always, utcDays } from '../../domain/days.ts'
import { readConfig } from '../../config/config.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { findFlaw } from '../../ledger/proof/verify-runs.ts'
import { type Change, orderScene } from '../../../test/support/orders.ts'
import { freePort } from '../../../test/support/program.ts'
import { world } from '../../../test/support/world.ts'

async function bankWith(t: TestContext, settings: Record<string, string> = {}) {
  const made = await world(t, { settings: { HOLIDAYS: 'target2', ...settings } })
  const bank = await orderScene(made)
  const db = openDatabase(made.address)
  t.after(() => db.close())
  return {
    ...bank,
    another: made.another,
    flaw: async () => (await verifyLedger(db)).mismatch,
    /** The outcomes of an order's days, with the days that they were moved to. */
    async days(id: string): Promise<string[]> {
      const { body } = await bank.ada().get(`/api/v1/orders/${id}/runs`)
      return (body.items as Record<string, string>[]).map(
        ({ dueOn, paysOn = '-', outcome, at }) =>
          `${dueOn} ${paysOn} ${outcome} ${at?.slice(0, 10)}`,
      )
    },
    once: (firstOn: string, onHoliday: string, more: Change = {}) =>
      bank.make({ rhythm: 'once', firstOn, onHoliday, amount: '1.00', ...more }),
    async coming(): Promise<(string | undefined)[][]> {
      const { body } = await bank.ada().get(`/api/v1/accounts/${bank.from}/orders/upcoming`)
      return body.runs.map(({ dueOn, paysOn }: Record<string, string>) => [dueOn, paysOn])
    },
  }
}

test('a due day on a Saturday is paid on it, on Friday or on Monday, and its runs, the list of what comes and the proof name both days', async (t) => {
  const bank = await bankWith(t)
  const make = (more: Change = {}) => bank.make({ firstOn: '2026-01-31', amount: '1.00', ...more })
  const pay = await make()
  const before = await make({ onHoliday: 'before' })
  const after = await make({ onHoliday: 'after' })
  assert.equal('onHoliday' in (await bank.read(pay)), false)
  assert.equal((await bank.read(after)).onHoliday, 'after')
  // Within 30 days of 2 January: the one that is paid on Monday, 2 February, is not among them.
  assert.deepEqual(await bank.coming(), [
    ['2026-01-31', '2026-01-30'],
    ['2026-01-31', undefined],
  ])
  await bank.goTo('2026-01-29')
  for (const id of [pay, before, after]) assert.deepEqual(await bank.days(id), [])
  for (const day of ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02', '2026-02-03']) {
    await bank.goTo(day)
  }
  assert.deepEqual(await bank.days(pay), ['2026-01-31 - made 2026-01-31'])
  assert.deepEqual(await bank.days(before), ['2026-01-31 2026-01-30 made 2026-01-30'])
  assert.deepEqual(await bank.days(after), ['2026-01-31 2026-02-02 made 2026-02-02'])
  assert.equal((await bank.read(after)).nextOn, '2026-02-28')
  const { rows } = await bank.sql('select sum(late_count)::int as late from standing_orders')
  assert.deepEqual(rows, [{ late: 0 }])

  assert.equal(await bank.flaw(), undefined)
  for (const [change, flaw] of [
    [`moved_to = null where on_holiday = 'after'`, /its day of payment is 2026-02-02/],
    [`moved_to = '2026-02-03' where on_holiday = 'after'`, /its day of payment is 2026-02-02/],
    [`on_holiday = 'pay', moved_to = null where on_holiday = 'before'`, /never had that rule/],
    [`on_holiday = 'before', moved_to = '2026-01-30' where on_holiday = 'pay'`, /had that rule/],
  ] as const) {
    await bank.sql('set session_replication_role = replica')
    await bank.sql('create table kept as table standing_order_runs')
    await bank.sql(`update standing_order_runs set ${change}`)
    const found = (await bank.flaw()) ?? ''
    await bank.sql('delete from standing_order_runs')
    await bank.sql('insert into standing_order_runs select * from kept')
    await bank.sql('drop table kept')
    assert.match(found, flaw, change)
  }
})

test('a day of payment that is over before the order is made is paid at once, and one that is left out, paused or ended by its due day', async (t) => {
  const bank = await bankWith(t)
  await bank.goTo('2026-01-03')
  // Saturday. The Friday before this Sunday is over, and before the first day of the order.
  const sunday = await bank.once('2026-01-04', 'before')
  assert.deepEqual(await bank.coming(), [['2026-01-04', '2026-01-03']])
  const tomorrow = await bank.once('2026-01-04', 'after')
  await bank.work()
  assert.deepEqual(await bank.days(sunday), ['2026-01-04 2026-01-02 made 2026-01-03'])
  assert.equal((await bank.read(sunday)).status, 'ended')
  assert.deepEqual(await bank.days(tomorrow), [])
  // Skipped by its due day, which is over, while its day of payment is not.
  const weekly = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-04', onHoliday: 'after' })
  await bank.goTo('2026-01-04')
  const skip = (dueOn: string) => bank.ada().post(`/api/v1/orders/${weekly}/skip-next`, { dueOn })
  assert.equal((await skip('2026-01-05')).status, 409)
  assert.equal((await skip('2026-01-04')).body.nextOn, '2026-01-11')
  assert.equal(await bank.flaw(), undefined)
  const verb = (name: string) => bank.ada().post(`/api/v1/orders/${weekly}/${name}`)
  assert.equal((await verb('pause')).status, 200)
  await bank.goTo('2026-01-12')
  // The due day was one of the pause, though Monday is not.
  assert.equal((await verb('resume')).body.nextOn, '2026-01-18')
  await bank.work()
  assert.deepEqual(await bank.days(weekly), ['2026-01-04 - skipped 2026-01-04'])
  assert.deepEqual(await bank.days(tomorrow), ['2026-01-04 2026-01-05 made 2026-01-12'])
  const changed = await bank.ada().patch(`/api/v1/orders/${weekly}`, { onHoliday: 'before' })
  assert.equal(changed.body.onHoliday, 'before')
  await bank.goTo('2026-01-16')
  assert.equal((await bank.days(weekly))[0], '2026-01-18 2026-01-16 made 2026-01-16')
  const back = await bank.ada().patch(`/api/v1/orders/${weekly}`, { onHoliday: 'pay' })
  assert.equal('onHoliday' in back.body, false)
  assert.equal(await bank.flaw(), undefined)
})

test('two due days in one closure are paid on the first day behind it, also those of an order that ends in it', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'strongroom-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'holidays.txt')
  const closure = Array.from({ length: 11 }, (_, index) => `2026-01-${String(index + 12)}`)
  writeFileSync(file, `${closure.join('\r\n')}\r\n`)
  const bank = await bankWith(t, { HOLIDAYS: file, METRICS_PORT: `${await freePort()}` })
  const terms = { rhythm: 'weekly', firstOn: '2026-01-13', lastOn: '2026-01-21', amount: '1.00' }
  const after = await bank.make({ ...terms, onHoliday: 'after', retryDays: 1 })
  const before = await bank.make({ ...terms, onHoliday: 'before' })
  for (const day of ['2026-01-09', '2026-01-14', '2026-01-22']) await bank.goTo(day)
  assert.deepEqual(await bank.days(before), [
    '2026-01-20 2026-01-09 made 2026-01-09',
    '2026-01-13 2026-01-09 made 2026-01-09',
  ])
  assert.deepEqual(await bank.days(after), [])
  await bank.goTo('2026-01-23')
  assert.deepEqual(await bank.days(after), [
    '2026-01-20 2026-01-23 made 2026-01-23',
    '2026-01-13 2026-01-23 made 2026-01-23',
  ])
  for (const id of [after, before]) assert.equal((await bank.read(id)).status, 'ended')
  assert.equal(await bank.balance(), '996.00')
  const { config } = bank.running
  const metrics = await (await fetch(`http://127.0.0.1:${config.metricsPort}/metrics`)).text()
  const [, ends] = /^strongroom_holidays_end_timestamp_seconds (\S+)$/m.exec(metrics) ?? []
  assert.equal(Number(ends) * 1000, Date.parse(closure.at(-1) ?? ''))
  assert.equal(await bank.flaw(), undefined)
})

test('the rule is that of the bank where an order names none, and one of the terms of its number', async (t) => {
  const bank = await bankWith(t, { ON_HOLIDAY: 'before' })
  const ask = (more: Change = {}) =>
    bank.ada().post(
      `/api/v1/accounts/${bank.from}/orders`,
      {
        beneficiaryId: bank.payeeId,
        amount: '1.00',
        currency: 'EUR',
        rhythm: 'monthly',
        firstOn: '2026-01-31',
        ...more,
      },
      { headers: { 'idempotency-key': 'rent' } },
    )
  const first = await ask()
  assert.equal(first.body.onHoliday, 'before', first.text)
  for (const onHoliday of ['pay', 'after', 'before']) {
    assert.equal((await ask({ onHoliday })).body.code, 'idempotency_key_reused')
  }
  const { id } = first.body
  await bank.ada().patch(`/api/v1/orders/${id}`, { onHoliday: 'after' })
  const again = await ask()
  assert.deepEqual(again.body, first.body)
  assert.equal((await bank.read(id)).onHoliday, 'after')
  assert.equal((await ask({ onHoliday: 'never' })).status, 400)
})

test('a run is judged by the calendar of its moment, whatever was planned by another one', async (t) => {
  const bank = await bankWith(t)
  const after = await bank.once('2026-01-31', 'after')
  const before = await bank.once('2026-02-01', 'before')
  await bank.goTo('2026-01-29')
  const change = async (HOLIDAYS: string) => {
    const settings = { STRONGROOM_HOLIDAYS: HOLIDAYS }
    const since = await changeCalendar(bank.address, readConfig(settings), bank.clock)
    return since && new Date(since).toISOString()
  }
  assert.equal(await change('none'), '2026-01-30T00:00:00.000Z')
  // Another change of the same day takes its place, and one back to what holds takes it away.
  assert.equal(await change('target2'), new Date(bank.clock.now()).toISOString())
  assert.equal(await change('target2'), undefined)
  assert.equal(await change('none'), '2026-01-30T00:00:00.000Z')
  const { running } = await bank.another({ settings: { HOLIDAYS: 'none' } })
  const goTo = async (day: string) => {
    await bank.goTo(day)
    await running.core.orders.work()
  }
  // By the calendar of before, this Friday is the day of the second order.
  await goTo('2026-01-30')
  assert.deepEqual(await bank.days(before), [])
  await goTo('2026-01-31')
  assert.deepEqual(await bank.days(after), ['2026-01-31 - made 2026-01-31'])
  await goTo('2026-02-01')
  assert.deepEqual(await bank.days(before), ['2026-02-01 - made 2026-02-01'])
  assert.equal(await bank.flaw(), undefined)
})

test('the proof names a run that was tried before the day it was moved to', () => {
  const calendars = [{ since: always, kind: 'target2', dates: [], cutOff: null }] as const
  const bank = { days: utcDays, calendar: createBankCalendar(calendars, () => utcDays) }
  const run = {
    orderId: '01981f7e-4c00-7000-8000-757365720000',
    dueOn: '2026-01-31',
    outcome: 'refused',
    onHoliday: 'after',
    movedTo: '2026-02-02',
    isOfOrder: true,
    rhythm: 'monthly',
    firstOn: '2026-01-31',
    nextOn: '2026-02-28',
    isRightlyPaid: true,
    isWhole: true,
  } as const
  const flawAt = (at: string) => findFlaw({ ...run, at: new Date(at) }, bank)
  assert.equal(flawAt('2026-02-01T23:59:59.999Z'), 'it was tried before its day')
  assert.equal(flawAt('2026-02-02T00:00:00.000Z'), undefined)
})

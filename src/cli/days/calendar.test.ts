// The calendar of a bank: taken by a new one, changed by `strongroom migrate` alone, for the days
// to come.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scene } from '../../../test/support/fixture.ts'
import { world, type World } from '../../../test/support/world.ts'
import { readConfig } from '../../config/config.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { longReadMs } from '../database.ts'
import { changeCalendar, requireCalendar } from './calendar.ts'

const settings = (holidays: string, cutOff?: string) =>
  readConfig({
    STRONGROOM_HOLIDAYS: holidays,
    ...(cutOff !== undefined && { STRONGROOM_CUT_OFF: cutOff }),
  })

async function requireIt(bank: World, ...wanted: Parameters<typeof settings>): Promise<void> {
  const db = openDatabase(bank.address, { readMs: longReadMs })
  try {
    await requireCalendar(db, settings(...wanted), bank)
  } finally {
    await db.close()
  }
}

const calendarsOf = async ({ sql }: World) =>
  (await sql('select since, holidays, cut_off from bank_calendars order by since')).rows.map(
    ({ since, holidays, cut_off: cutOff }) =>
      `${(since as Date).toISOString()} ${String(holidays)} ${String(cutOff)}`,
  )

const refused = (thrown: unknown) =>
  thrown instanceof StartupError &&
  /^The bank's calendar is not that of STRONGROOM_HOLIDAYS and .*migrate/.test(thrown.message)

test('a bank without entries takes the calendar of the settings for all its days, and another one', async (t) => {
  const bank = await world(t)
  await requireIt(bank, 'none')
  assert.deepEqual(await calendarsOf(bank), [])
  await requireIt(bank, 'target2', '16:00')
  assert.deepEqual(await calendarsOf(bank), ['0001-01-01T00:00:00.000Z target2 16:00'])
  await requireIt(bank, 'target2')
  assert.deepEqual(await calendarsOf(bank), ['0001-01-01T00:00:00.000Z target2 null'])
})

test('an instance with another calendar than the bank does not start, until the calendar is migrated', async (t) => {
  const bank = await scene(t)
  await assert.rejects(requireIt(bank, 'target2'), refused)
  await assert.rejects(requireIt(bank, 'none', '16:00'), refused)
  const change = (...wanted: Parameters<typeof settings>) =>
    changeCalendar(bank.address, settings(...wanted), bank.clock)
  assert.equal(await change('target2'), Date.UTC(2026, 0, 3))
  await requireIt(bank, 'target2')
  await assert.rejects(requireIt(bank, 'none'), refused)
  const { rows } = await bank.sql(
    "select oldest_release from migrations where name = '0098_business_days'",
  )
  assert.notEqual(rows[0]?.['oldest_release'], '0.3.0')
  // Within a minute of midnight it has been read: what is changed then holds a day later.
  bank.clock.advance(15 * 3_600_000 - 60_000)
  assert.equal(await change('target2', '15:00'), Date.UTC(2026, 0, 4))
  assert.deepEqual(await calendarsOf(bank), [
    '2026-01-03T00:00:00.000Z target2 null',
    '2026-01-04T00:00:00.000Z target2 15:00',
  ])
})

test('the service itself cannot change the calendar', async (t) => {
  const bank = await world(t)
  const tried = bank.sql(
    `set role strongroom_service; insert into bank_calendars values (now(), 'none', '{}', null)`,
  )
  await assert.rejects(tried, /permission denied/)
  await bank.sql('reset role')
})

// The time zone of a bank: taken by a new one, changed by `strongroom migrate` alone, and refused
// where Node and the database do not have the same rules.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { scene } from '../../../test/support/fixture.ts'
import {
  isLockTimeout,
  openHolder,
  untilInTime,
  waitingForLock,
} from '../../../test/support/locks.ts'
import { world, type World } from '../../../test/support/world.ts'
import { readConfig } from '../../config/config.ts'
import {
  type Address,
  type LocalAddress,
  openDatabase,
} from '../../database/connections/connect.ts'
import { newId } from '../../domain/ids.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { longReadMs } from '../database.ts'
import { changeCalendar, requireCalendar } from './calendar.ts'
import { changeTimeZone, requireSameRules, requireTimeZone } from './time-zone.ts'

async function requireZone(bank: World, timeZone: string): Promise<void> {
  const db = openDatabase(bank.address, { readMs: longReadMs })
  try {
    await requireTimeZone(db, timeZone, bank)
  } finally {
    await db.close()
  }
}

const zonesOf = async ({ sql }: World) =>
  (await sql('select since, time_zone from bank_time_zones order by since')).rows.map(
    ({ since, time_zone: zone }) => `${(since as Date).toISOString()} ${zone as string}`,
  )

const line = (text: RegExp) => (thrown: unknown) =>
  thrown instanceof StartupError && text.test(thrown.message) && !thrown.message.includes('\n')

test('a bank without entries takes the time zone of the settings for all its days, and another one', async (t) => {
  const bank = await world(t)
  await requireZone(bank, 'UTC')
  assert.deepEqual(await zonesOf(bank), [])
  for (const zone of ['Europe/Berlin', 'Asia/Kathmandu']) {
    await requireZone(bank, zone)
    assert.deepEqual(await zonesOf(bank), [`0001-01-01T00:00:00.000Z ${zone}`])
  }
})

/** The rows from which on the days of a bank are those that it has, by their table. */
const firstRows = {
  entries: `
    insert into entries
      (account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind)
    values ($1, $1, 1, 1, 1, now(), sha256(''), 'deposit')`,
  card_authorizations: `
    insert into card_authorizations
      (id, card_id, account_id, amount, currency, channel, reason, caller_id, created_at)
    values ($1, $1, $1, 1, 'EUR', 'chip', 'card_frozen', $1, now())`,
  archived_heads: `
    insert into archived_heads (account_id, seq, hash, balance_after, mark_count, at)
    values ($1, 1, sha256(''), 1, 0, now())`,
}

test('a bank keeps its past days from its first entry or authorisation of a card on, also from one that is written meanwhile', async (t) => {
  const calendar = readConfig({ STRONGROOM_HOLIDAYS: 'target2' })
  const attempt = async (table: string, first: string, isMeanwhile: boolean) => {
    const bank = await world(t)
    const { address, clock } = bank
    const holder = await openHolder(t, bank)
    // The row alone, without what belongs to it.
    await holder.query('set session_replication_role = replica')
    await holder.query('begin')
    await holder.query(first, [newId(Date.now())])
    if (!isMeanwhile) {
      await holder.query('commit')
      await assert.rejects(requireZone(bank, 'Europe/Berlin'), line(/are those of UTC/))
      const db = openDatabase(address, { readMs: longReadMs })
      await assert.rejects(requireCalendar(db, calendar, bank), line(/calendar is not/))
      await db.close()
    }
    const changes = Promise.all([
      changeTimeZone(address, 'Europe/Berlin', clock),
      changeCalendar(address, calendar, clock),
    ])
    // One that was late is told of below.
    changes.catch(() => {})
    if (isMeanwhile) {
      await Promise.race([waitingForLock(bank, 2), changes])
      await holder.query('commit')
    }
    for (const since of await changes) assert.ok(since && since > clock.now(), table)
  }
  for (const [table, first] of Object.entries(firstRows)) {
    // Where entries leave for an archive, there have been some.
    for (const isMeanwhile of table === 'archived_heads' ? [false] : [false, true]) {
      await untilInTime(() => attempt(table, first, isMeanwhile), isLockTimeout)
    }
  }
})

test('an instance with another time zone than the bank does not start, in either direction, until the zone is migrated', async (t) => {
  const bank = await scene(t)
  const refused = line(
    /are those of UTC, and STRONGROOM_TIME_ZONE is Europe\/Berlin; `strongroom m/,
  )
  await assert.rejects(requireZone(bank, 'Europe/Berlin'), refused)
  assert.deepEqual(await zonesOf(bank), [])
  const since = await changeTimeZone(bank.address, 'Europe/Berlin', bank.clock)
  assert.equal(since, Date.UTC(2026, 0, 2, 23), 'the next midnight of the new zone')
  await requireZone(bank, 'Europe/Berlin')
  await assert.rejects(requireZone(bank, 'UTC'), line(/are those of Europe\/Berlin, and STRONG/))
  assert.equal(await changeTimeZone(bank.address, 'Europe/Berlin', bank.clock), undefined)
})

test('a second change waits until the first has begun to hold, and releases before this one do not start', async (t) => {
  const bank = await scene(t)
  const change = (zone: string) => changeTimeZone(bank.address, zone, bank.clock)
  await change('America/New_York')
  const pending = line(/become those of America\/New_York at 2026-01-03T05:00:00\.000Z; another/)
  for (const zone of ['UTC', 'Europe/Berlin']) await assert.rejects(change(zone), pending)
  bank.clock.advance(20 * 3_600_000 - 1)
  await assert.rejects(change('UTC'), pending)
  bank.clock.advance(1)
  assert.equal(await change('UTC'), Date.UTC(2026, 0, 4))
  assert.equal((await zonesOf(bank)).length, 2)
  const { rows } = await bank.sql(
    "select oldest_release from migrations where name = '0027_time_zones'",
  )
  assert.notEqual(rows[0]?.['oldest_release'], '0.2.0')
})

test('no time zone is changed while an instance is connected that counts by days of UTC', async (t) => {
  const bank = await scene(t)
  // As 0.2.0 names its connections. The owner of the schema may not look at those of others.
  const address = { ...bank.address, application_name: 'strongroom' }
  const older = new pg.Client(address)
  await older.connect()
  const refused = line(/^An instance of 0\.2\.0 is connected, which counts by days of UTC: replace/)
  const change = () => changeTimeZone(bank.address, 'Europe/Berlin', bank.clock)
  await assert.rejects(change(), refused)
  assert.deepEqual(await zonesOf(bank), [])
  await older.end()
  await assert.doesNotReject(change())
})

test('a change within a minute of midnight waits for the next one: every instance has read it by then', async (t) => {
  const bank = await scene(t)
  bank.clock.advance(15 * 3_600_000 - 60_000)
  await assert.doesNotReject(changeTimeZone(bank.address, 'Etc/GMT', bank.clock))
  assert.deepEqual(await zonesOf(bank), ['2026-01-04T00:00:00.000Z Etc/GMT'])
})

test('the service itself cannot change the time zone', async (t) => {
  const bank = await world(t)
  const tried = bank.sql(
    `set role strongroom_service; insert into bank_time_zones values (now(), 'Etc/GMT')`,
  )
  await assert.rejects(tried, /permission denied/)
  await bank.sql('reset role')
})

test('of two equal changes at once one is made, and the other finds it', async (t) => {
  const calendar = readConfig({ STRONGROOM_HOLIDAYS: 'target2' })
  const attempt = async (table: string, change: (bank: World) => Promise<number | undefined>) => {
    const bank = await scene(t)
    const holder = await openHolder(t, bank)
    await holder.query(`begin; lock table ${table} in share row exclusive mode`)
    const changes = Promise.all([change(bank), change(bank)])
    await Promise.race([waitingForLock(bank, 2), changes])
    await holder.query('commit')
    const made = (await changes).filter((since) => since !== undefined)
    assert.equal(made.length, 1, table)
  }
  for (const [table, change] of [
    [
      'bank_time_zones',
      ({ address, clock }: World) => changeTimeZone(address, 'Europe/Berlin', clock),
    ],
    ['bank_calendars', ({ address, clock }: World) => changeCalendar(address, calendar, clock)],
  ] as const) {
    await untilInTime(() => attempt(table, change), isLockTimeout)
  }
})

test('a start with a login that may change nothing names the setting, and any other failure is itself', async (t) => {
  const bank = await world(t)
  const { clock, sql } = bank
  const address = bank.address as LocalAddress
  const user = `reader_of_${address.database}`
  await sql(`create role ${user} login password '${address.password}' in role strongroom_service`)
  const db = openDatabase(address, { readMs: longReadMs })
  t.after(() => db.close())
  const calendar = readConfig({ STRONGROOM_HOLIDAYS: 'target2' })
  for (const [name, start] of [
    [
      'STRONGROOM_TIME_ZONE',
      (at: Address) => requireTimeZone(db, 'Asia/Gaza', { address: at, clock }),
    ],
    ['STRONGROOM_HOLIDAYS', (at: Address) => requireCalendar(db, calendar, { address: at, clock })],
  ] as const) {
    await assert.rejects(start({ ...address, user }), line(new RegExp(`${name}.*migrate`)))
    await assert.rejects(start({ ...address, port: 1 }), { code: 'ENOENT' })
  }
})

test('PostgreSQL and Node have the same rules for a zone, and one that either does not know is refused in one line', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address, { readMs: longReadMs })
  t.after(() => db.close())
  const check = (zone: string) => requireSameRules(db, zone, Date.now())
  for (const zone of ['UTC', 'Europe/Berlin', 'Africa/Cairo', 'Australia/Lord_Howe', 'Asia/Gaza']) {
    await assert.doesNotReject(check(zone), zone)
  }
  await assert.rejects(check('Mars/Base'), line(/^Node does not know the time zone Mars\/Base\.$/))
  await assert.rejects(
    check('US/Pacific-New'),
    line(/^The database does not know the time zone US/),
  )
  // An abbreviation of PostgreSQL, which has one offset all the year there.
  await assert.rejects(check('CET'), line(/different rules for the time zone CET, from 20/))
})

// The days of the bank in time zones whose clocks are put forward and back, also over midnight.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/random.ts'
import { always, createDays, type Days, utcDays, zoneName } from './days.ts'
import { addDays } from './calendar/rhythm.ts'

const inZone = (timeZone: string) => createDays([{ since: always, timeZone }])
const hours = (days: Days, day: string) => (days.endOf(day) - days.startOf(day)) / 3_600_000
const start = (days: Days, day: string) => new Date(days.startOf(day)).toISOString()

const special: [zone: string, day: string, start: string, hours: number][] = [
  ['UTC', '2026-03-29', '2026-03-29T00:00', 24],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00', 23],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00', 25],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00', 25],
  ['Asia/Kathmandu', '2026-01-31', '2026-01-30T18:15', 24],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30', 23.5],
  ['Pacific/Kiritimati', '2026-01-31', '2026-01-30T10:00', 24],
  // No midnight: the day begins at one o'clock.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00', 23],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00', 23],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00', 23],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00', 23],
  // Two midnights: the day begins at the first, or the day before is longer.
  ['America/Havana', '2026-11-01', '2026-11-01T04:00', 25],
  ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00', 25],
  ['Asia/Beirut', '2026-10-24', '2026-10-23T21:00', 25],
  // The clocks went back over midnight a minute after it: the day had begun.
  ['America/St_Johns', '2010-11-07', '2010-11-07T02:30', 25],
  // The day between them was left out.
  ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00', 24],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00', 0],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00', 24],
]
for (const [zone, day, at, length] of special) {
  test(`${day} in ${zone} begins at ${at} UTC and has ${length} hours`, () => {
    const days = inZone(zone)
    assert.equal(start(days, day), `${at}:00.000Z`)
    assert.equal(hours(days, day), length)
    if (length === 0) return
    assert.equal(days.dayOf(days.startOf(day)), day)
    assert.equal(days.dayOf(days.endOf(day) - 1), day)
    assert.ok(days.dayOf(days.startOf(day) - 1) < day)
  })
}

const zones = [...new Set(special.map(([zone]) => zone)), 'Europe/Dublin', 'Africa/Casablanca']
const zone = fc.constantFrom(...zones)
const moment = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2035, 0) })

/** Every moment is in one day, and no day comes again once another has begun. */
function assertDivided(days: Days, at: number, later: number): void {
  const day = days.dayOf(at)
  assert.ok(days.startOf(day) <= at && at < days.endOf(day), day)
  assert.ok(days.dayOf(Math.max(at, later)) >= days.dayOf(Math.min(at, later)))
  assert.equal(days.endOf(day), days.startOf(addDays(day, 1)))
}

test('each moment is in one day of a zone, the one that its clocks show, and days follow each other', () => {
  fc.assert(
    fc.property(zone, moment, moment, (timeZone, at, later) => {
      const days = inZone(timeZone)
      assertDivided(days, at, later)
      assertDivided(days, at, at + (later % 90_000_000))
      const shown = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at)
      if (timeZone !== 'America/St_Johns') assert.equal(days.dayOf(at), shown)
      assert.equal(days.localTime(at).slice(0, 10), shown)
    }),
    { numRuns: 2000 },
  )
})

test('each hour of three years is in one day, also around every change of the clocks', () => {
  for (const timeZone of zones) {
    const days = inZone(timeZone)
    let last = ''
    for (let at = Date.UTC(2025, 0), end = Date.UTC(2028, 0); at < end; at += 1_800_000) {
      const day = days.dayOf(at)
      last ||= day
      assert.ok(day === last || day === addDays(last, 1), `${timeZone} ${day}`)
      if (day !== last) assert.ok(days.startOf(day) > at - 1_800_000 && days.startOf(day) <= at)
      last = day
    }
  }
})

test('a change of the zone leaves the days before it as they were, and each moment in one day', () => {
  fc.assert(
    fc.property(
      zone,
      zone,
      moment,
      fc.integer({ min: -200, max: 200 }),
      (before, after, since, hour) => {
        const [former, days] = [
          inZone(before),
          createDays([
            { since: always, timeZone: before },
            { since, timeZone: after },
          ]),
        ]
        const at = since + hour * 1_800_000
        assertDivided(days, at, since)
        assertDivided(days, at, at + 3_600_000)
        if (at < since) assert.equal(days.dayOf(at), former.dayOf(at))
        const day = days.dayOf(at)
        if (days.startOf(day) < since) assert.equal(days.startOf(day), former.startOf(day))
        // Its day has at most 52 hours: zones are up to 26 apart, and a day of theirs has up to 26.
        const settled = Math.max(at, since) + 52 * 3_600_000
        const [whole, next] = [days.dayOf(settled), inZone(after)]
        assert.equal(whole, next.dayOf(settled))
        assert.equal(days.startOf(whole), next.startOf(whole))
      },
    ),
    { numRuns: 2000, examples: [['Pacific/Kiritimati', 'Pacific/Apia', 1_229_248_800_001, 0]] },
  )
})

test('the years 1 and 9999 have days in every zone', () => {
  for (const timeZone of [...zones, 'Etc/GMT+12']) {
    const days = inZone(timeZone)
    for (const day of ['0001-01-02', '9999-12-31']) {
      assert.equal(days.dayOf(days.startOf(day)), day)
      assert.ok(days.endOf(day) > days.startOf(day))
    }
  }
  assert.equal(utcDays.endOf('9999-12-31'), Date.UTC(10_000, 0))
})

test('a zone has the name that people of a language know', () => {
  const [winter, summer] = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)]
  const berlin = inZone('Europe/Berlin')
  assert.deepEqual(
    [winter, summer].map((at) => [zoneName(berlin, at, 'en-GB'), zoneName(berlin, at, 'de')]),
    [
      ['CET', 'MEZ'],
      ['CEST', 'MESZ'],
    ],
  )
  assert.equal(zoneName(utcDays, winter, 'fr'), 'UTC')
})

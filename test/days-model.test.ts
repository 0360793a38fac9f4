// The days of the bank against a model that has its own rule: around every kind of change of the
// clocks, and of the zone. Each moment is asked of days that remember no other one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { always, createDays, type ZoneSince } from '../src/domain/days.ts'
import { dayModel } from './support/day-model.ts'
import { fc } from './support/random.ts'

const hourMs = 3_600_000

/** Moments at which the clocks are put forward or back. */
const changes: [timeZone: string, at: string][] = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['Africa/Cairo', '2026-04-23T22:00Z'],
  ['America/Havana', '2026-03-08T05:00Z'],
  ['America/Havana', '2026-11-01T05:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  // A minute after midnight, back to before it.
  ['America/St_Johns', '2010-11-07T02:31Z'],
]

test('a moment is in the last day that has begun, also where the clocks show it twice', () => {
  for (const [timeZone, at] of changes) {
    const zones = [{ since: always, timeZone }]
    const model = dayModel(zones, timeZone === 'America/St_Johns' ? 60_000 : 900_000)
    const change = Date.parse(at)
    for (let minutes = -180; minutes <= 180; minutes += 5) {
      for (const more of [-1, 0]) {
        const moment = change + minutes * 60_000 + more
        const days = createDays(zones)
        const what = `${timeZone} ${new Date(moment).toISOString()}`
        assert.equal(days.dayOf(moment), model.dayOf(moment), what)
      }
    }
  }
})

test('after any changes of the zone, a moment is in the day of the model, and the next day begins when it does', () => {
  const zone = fc.constantFrom(...new Set(changes.map(([timeZone]) => timeZone)), 'UTC')
  const begin = Date.UTC(2026, 0)
  fc.assert(
    fc.property(
      fc.array(fc.record({ timeZone: zone, afterHours: fc.integer({ min: 24, max: 3000 }) }), {
        maxLength: 3,
      }),
      fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 1, maxLength: 8 }),
      (drawn, aroundHours) => {
        let since = begin
        const zones: ZoneSince[] = drawn.map(({ timeZone, afterHours }) => {
          since += afterHours * hourMs
          return { since, timeZone }
        })
        const model = dayModel(zones)
        for (const hours of aroundHours) {
          for (const each of [begin, ...zones.map((one) => one.since)]) {
            const moment = each + hours * hourMs
            const days = createDays(zones)
            const day = days.dayOf(moment)
            assert.equal(day, model.dayOf(moment), new Date(moment).toISOString())
            const end = createDays(zones).endOf(day)
            assert.equal(end, model.nextStart(moment), `the end of ${day}`)
          }
        }
      },
    ),
    { numRuns: 60 },
  )
})

// The business days of a bank: which days are closed, where a due day is moved to, and when a
// payment leaves.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../test/support/random.ts'
import {
  closedDaysMax,
  createBankCalendar,
  createCalendar,
  easterOf,
  findLongClosure,
  type HolidayRule,
  holidayRules,
} from './business-days.ts'
import { always, createDays } from '../days.ts'
import { addDays } from './rhythm.ts'

const dates = (...days: string[]) => createCalendar({ kind: 'dates', dates: days, cutOff: null })
const target2 = createCalendar({ kind: 'target2', dates: [], cutOff: null })
const none = createCalendar({ kind: 'none', dates: [], cutOff: null })

test('Easter is on the days that another author has for two hundred years', () => {
  // By date-easter 1.0.3 (MIT), `gregorianEaster`.
  const path = new URL('../../../test/rhythms/easter.json', import.meta.url)
  const told = JSON.parse(readFileSync(path, 'utf8')) as string[]
  assert.equal(told.length, 200)
  assert.deepEqual(
    told.map((_, index) => easterOf(1970 + index)),
    told,
  )
  for (const sunday of told) {
    const around = [-3, -2, -1, 0, 1, 2].map((by) => target2.isBusinessDay(addDays(sunday, by)))
    assert.deepEqual(around, [true, false, false, false, false, true], sunday)
  }
})

const year = (number: number): string[] =>
  Array.from({ length: 365 }, (_, index) => addDays(`${number}-01-01`, index))

test('the days of 2026 and 2027 that TARGET closes on are its six holidays and the weekends', () => {
  const isWeekend = (day: string) => [0, 6].includes(new Date(day).getUTCDay())
  const closed = (number: number) =>
    year(number).filter((day) => !target2.isBusinessDay(day) && !isWeekend(day))
  // As the European Central Bank announces them.
  assert.deepEqual(closed(2026), [
    '2026-01-01',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-12-25',
  ])
  assert.deepEqual(closed(2027), ['2027-01-01', '2027-03-26', '2027-03-29'])
  assert.ok(year(2026).every((day) => none.isBusinessDay(day)))
  assert.ok(year(2026).every((day) => !isWeekend(day) || !target2.isBusinessDay(day)))
})

const moves: [dueOn: string, before: string, after: string, what: string][] = [
  ['2026-01-30', '2026-01-30', '2026-01-30', 'a Friday'],
  ['2026-01-31', '2026-01-30', '2026-02-02', 'the end of a month on a Saturday'],
  ['2026-02-28', '2026-02-27', '2026-03-02', 'the end of February on a Saturday'],
  ['2026-03-01', '2026-02-27', '2026-03-02', 'the first of a month on a Sunday'],
  ['2026-04-03', '2026-04-02', '2026-04-07', 'Good Friday'],
  ['2026-04-06', '2026-04-02', '2026-04-07', 'Easter Monday'],
  ['2026-05-01', '2026-04-30', '2026-05-04', '1 May on a Friday'],
  ['2026-12-25', '2026-12-24', '2026-12-28', 'Christmas on a Friday'],
  ['2026-12-26', '2026-12-24', '2026-12-28', 'the day after it'],
  ['2028-01-01', '2027-12-31', '2028-01-03', 'New Year on a Saturday, into another year'],
  ['2028-12-25', '2028-12-22', '2028-12-27', 'Christmas on a Monday'],
]
for (const [dueOn, before, after, what] of moves) {
  test(`${what} (${dueOn}) is paid on ${before}, or on ${after}`, () => {
    assert.equal(target2.payDay(dueOn, 'pay'), dueOn)
    assert.equal(target2.payDay(dueOn, 'before'), before)
    assert.equal(target2.payDay(dueOn, 'after'), after)
    for (const rule of holidayRules) assert.equal(none.payDay(dueOn, rule), dueOn)
  })
}

test('what is due by a day is what is paid on it or before, for any days that are closed', () => {
  const day = fc.integer({ min: 0, max: 60 }).map((by) => addDays('2026-03-20', by))
  const rule = fc.constantFrom<HolidayRule>(...holidayRules)
  fc.assert(
    fc.property(fc.array(day, { maxLength: 25 }), day, day, rule, (closed, due, today, by) => {
      const calendar = dates(...closed)
      const paid = calendar.payDay(due, by)
      assert.equal(due <= calendar.dueUntil(today, by), paid <= today)
      assert.equal(paid === due || calendar.isBusinessDay(paid), true)
      assert.equal(by === 'after' ? paid >= due : paid <= due, true)
    }),
  )
})

test('a calendar ends with the year 9999, and begins with the year 1', () => {
  const closed = dates('9999-12-30', '9999-12-31', '0001-01-01')
  assert.equal(closed.payDay('9999-12-31', 'after'), '9999-12-31')
  assert.equal(closed.nextBusinessDay('9999-12-31'), '9999-12-31')
  assert.equal(closed.dueUntil('9999-12-31', 'before'), '9999-12-31')
  assert.equal(closed.payDay('0001-01-01', 'before'), '0001-01-01')
})

test('a closure of 31 days is a holiday, and one of 32 is refused by its first date', () => {
  const closure = (count: number) =>
    Array.from({ length: count }, (_, index) => addDays('2026-06-01', index))
  assert.equal(closedDaysMax, 31)
  assert.equal(findLongClosure(closure(31)), undefined)
  assert.equal(findLongClosure(closure(32)), '2026-06-01')
  assert.equal(findLongClosure([]), undefined)
})

const zoned = (timeZone: string, cutOff: string | null, kind: 'none' | 'target2' = 'target2') => {
  const days = createDays([{ since: always, timeZone }])
  return createBankCalendar([{ since: always, kind, dates: [], cutOff }], () => days)
}

/** When a payment leaves that is made a millisecond before a moment, at it, and one after it. */
const around = (calendar: ReturnType<typeof zoned>, at: string) =>
  [-1, 0, 1].map((by) => calendar.transitOf(Date.parse(at) + by).leavesOn)

const cutOffs: [zone: string, cutOff: string, at: string, leaves: string, later: string][] = [
  ['UTC', '16:00', '2026-01-30T16:00:00Z', '2026-01-30', '2026-02-02'],
  ['Europe/Berlin', '16:00', '2026-03-27T15:00:00Z', '2026-03-27', '2026-03-30'],
  // The first business days after the clocks were put forward, and back.
  ['Europe/Berlin', '16:00', '2026-03-30T14:00:00Z', '2026-03-30', '2026-03-31'],
  ['Europe/Berlin', '16:00', '2026-10-26T15:00:00Z', '2026-10-26', '2026-10-27'],
  ['America/New_York', '17:30', '2026-11-02T22:30:00Z', '2026-11-02', '2026-11-03'],
  // The last day before Easter.
  ['Europe/Berlin', '16:00', '2026-04-02T14:00:00Z', '2026-04-02', '2026-04-07'],
]
for (const [zone, cutOff, at, leaves, later] of cutOffs) {
  test(`${cutOff} in ${zone} on ${leaves} is ${at}: from that millisecond on, ${later}`, () => {
    assert.deepEqual(around(zoned(zone, cutOff), at), [leaves, later, later])
  })
}

const everyDay: [zone: string, cutOff: string, day: string, at: string][] = [
  ['Europe/Berlin', '16:00', '2026-03-29', '2026-03-29T14:00:00Z'],
  ['Europe/Berlin', '02:30', '2026-03-29', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '02:00', '2026-03-29', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '03:00', '2026-03-29', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '01:59', '2026-03-29', '2026-03-29T00:59:00Z'],
  // Half past two comes twice: once it is over, it stays so.
  ['Europe/Berlin', '02:30', '2026-10-25', '2026-10-25T00:30:00Z'],
  ['Europe/Berlin', '03:00', '2026-10-25', '2026-10-25T02:00:00Z'],
  ['Europe/Berlin', '16:00', '2026-10-25', '2026-10-25T15:00:00Z'],
  // The day begins at one o'clock.
  ['Africa/Cairo', '00:30', '2026-04-24', '2026-04-23T22:00:00Z'],
  ['Australia/Lord_Howe', '02:15', '2026-10-04', '2026-10-03T15:30:00Z'],
]
for (const [zone, cutOff, day, at] of everyDay) {
  test(`${cutOff} in ${zone} on ${day}, when its clocks are changed, begins once: ${at}`, () => {
    const calendar = zoned(zone, cutOff, 'none')
    const next = addDays(day, 1)
    const [before] = around(calendar, at)
    assert.deepEqual(around(calendar, at), [before, next, next])
    assert.ok(before === day || calendar.transitOf(Date.parse(at) - 1).leavesOn < next)
    for (let hours = 0; hours < 12; hours += 0.25) {
      const then = Date.parse(at) + hours * 3_600_000
      if (createDays([{ since: always, timeZone: zone }]).dayOf(then) !== day) break
      assert.equal(calendar.transitOf(then).leavesOn, next, `${hours} h later`)
    }
  })
}

test('a payment arrives by the next business day, and of a bank without a calendar tomorrow', () => {
  const berlin = zoned('Europe/Berlin', '16:00')
  const friday = Date.parse('2026-04-02T15:00:00Z')
  assert.deepEqual(berlin.transitOf(friday), { leavesOn: '2026-04-07', arrivesBy: '2026-04-08' })
  const saturday = Date.parse('2026-01-31T08:00:00Z')
  assert.deepEqual(berlin.transitOf(saturday), { leavesOn: '2026-02-02', arrivesBy: '2026-02-03' })
  const plain = createBankCalendar([], () => createDays([]))
  assert.equal(plain.at(saturday).isPlain, true)
  assert.deepEqual(plain.transitOf(saturday), { leavesOn: '2026-01-31', arrivesBy: '2026-02-01' })
})

test('a moment is judged by the calendar that holds then, whatever follows it', () => {
  const since = Date.parse('2026-02-01T00:00:00Z')
  const calendars = [
    { since: always, kind: 'target2', dates: [], cutOff: null },
    { since, kind: 'none', dates: [], cutOff: '12:00' },
  ] as const
  const calendar = createBankCalendar(calendars, () => createDays([]))
  assert.equal(calendar.transitOf(since - 1).leavesOn, '2026-02-02')
  assert.equal(calendar.transitOf(since).leavesOn, '2026-02-01')
  assert.deepEqual(
    [calendar.at(since - 1), calendar.at(since)].map((one) => one.isBusinessDay('2026-02-01')),
    [false, true],
  )
})

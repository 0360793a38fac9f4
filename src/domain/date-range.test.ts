// Which times a request may have, and to which millisecond they are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/random.ts'
import { always, createDays, utcDays } from './days.ts'
import { AnyTime, parseInstant, periodEnd, periodStart, readTime, When } from './date-range.ts'

type Rule = { pattern: string; maxLength: number }
const [inQuery, inBody] = [When, AnyTime] as unknown as [Rule, Rule]
import type { Refusal } from './errors.ts'

const same: [text: string, utc: string][] = [
  ['2026-01-31T10:20:30Z', '2026-01-31T10:20:30.000Z'],
  ['2026-01-31t10:20:30.5z', '2026-01-31T10:20:30.500Z'],
  ['2026-01-31T10:20:30.123456Z', '2026-01-31T10:20:30.123Z'],
  ['2026-01-31T10:20:30.9999999999999Z', '2026-01-31T10:20:30.999Z'],
  ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
  ['2026-01-01T00:00:00+02:00', '2025-12-31T22:00:00.000Z'],
  ['2026-01-01T00:00:00 02:00', '2025-12-31T22:00:00.000Z'],
  ['2025-12-31T23:59:59.9996-23:59', '2026-01-01T23:58:59.999Z'],
  ['2026-01-01T00:00:00-00:00', '2026-01-01T00:00:00.000Z'],
  ['2024-02-29T00:00:00+00:00', '2024-02-29T00:00:00.000Z'],
  ['0000-12-31T23:59:00-00:01', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  // Leap seconds.
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ['2016-12-31T23:59:60.25Z', '2016-12-31T23:59:59.999Z'],
  ['2017-01-01T05:29:60+05:30', '2016-12-31T23:59:59.999Z'],
]

test('a time is any of RFC 3339, cut to milliseconds', () => {
  const pattern = new RegExp(inQuery.pattern)
  for (const [text, utc] of same) {
    assert.match(text, pattern)
    const time = readTime(text)
    assert.ok(time !== undefined, text)
    assert.equal(new Date(time).toISOString(), utc, text)
  }
})

const wrong = [
  '',
  'yesterday',
  '2026-02-30',
  '2026-02-29T00:00:00Z',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2026-01-31T10:20:30',
  '2026-01-31T10:20Z',
  '2026-01-31T10:20:30.Z',
  '2026-01-31 10:20:30Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T10:60:00Z',
  '2026-01-31T10:20:61Z',
  '2026-01-31T10:20:30+24:00',
  '2026-01-31T10:20:30+02:60',
  '2026-01-31T10:20:30+0200',
  '2026-01-31T10:20:30+02',
  '+02026-01-31T10:20:30Z',
  '20260131T102030Z',
  '2026-W05-6',
  '２０２６-01-31',
  // A leap second within a day, within a month, and by its offset.
  '2016-12-31T10:59:60Z',
  '2016-12-30T23:59:60Z',
  '2016-12-31T23:59:60+01:00',
  // Years that a response cannot write.
  '0000-12-31',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:00-00:01',
  '-0001-01-01T00:00:00Z',
]

test('a time that does not exist, or is not of the years 1 to 9999 in UTC, is refused at its path', () => {
  for (const text of wrong) {
    assert.equal(readTime(text), undefined, text)
    for (const read of [periodStart, periodEnd, parseInstant]) {
      assert.throws(
        () => read(text, '/query/from', utcDays),
        ({ code, options }: Refusal) =>
          code === 'invalid_request' && options.details?.[0]?.path === '/query/from',
      )
    }
  }
})

test('a time with any offset and more digits is the same as in UTC, in a query and in a body', () => {
  const two = (number: number) => `${number}`.padStart(2, '0')
  const utc = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) })
  const offset = fc.integer({ min: -1439, max: 1439 })
  const digits = fc.stringMatching(/^\d{0,20}$/)
  fc.assert(
    fc.property(utc, offset, digits, (at, minutes, more) => {
      const size = Math.abs(minutes)
      const sign = minutes < 0 ? '-' : '+'
      const zone = `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
      const text = `${new Date(at + minutes * 60_000).toISOString().slice(0, -1)}${more}${zone}`
      assert.equal(readTime(text), at)
      assert.equal(periodStart(text, '', utcDays), at)
      assert.equal(periodEnd(text, '', utcDays), at + 1)
      for (const { pattern, maxLength } of [inQuery, inBody]) {
        assert.match(text, new RegExp(pattern))
        assert.ok(text.length <= maxLength)
      }
    }),
  )
})

test('the end of a day is the first millisecond of the next one', () => {
  assert.equal(periodEnd('2026-02-28', '', utcDays), Date.UTC(2026, 2, 1))
  assert.equal(periodEnd('9999-12-31', '', utcDays), Date.UTC(10_000, 0, 1))
})

test('a body has times alone: a day is refused there', () => {
  assert.equal(parseInstant('2026-02-28T00:00:00+01:00', ''), Date.UTC(2026, 1, 27, 23))
  assert.throws(() => parseInstant('2026-02-28', '/body/expiresAt'), { code: 'invalid_request' })
})

const daysOf = (timeZone: string) => createDays([{ timeZone, since: always }])

test('a day that the clocks have left out is refused, and the days beside it meet', () => {
  const apia = daysOf('Pacific/Apia')
  for (const read of [periodStart, periodEnd]) {
    assert.throws(() => read('2011-12-30', '/query/to', apia), { code: 'invalid_request' })
  }
  const end = periodEnd('2011-12-29', '', apia)
  assert.equal(end, periodStart('2011-12-31', '', apia))
})

test('the first and the last day go as far as times do, east and west of Greenwich', () => {
  const [first, end] = [Date.parse('0001-01-01T00:00:00Z'), Date.UTC(10_000, 0)]
  const hourMs = 3_600_000
  const [east, west] = [daysOf('Etc/GMT-5'), daysOf('Etc/GMT+5')]
  assert.equal(periodStart('0001-01-01', '', east), first)
  assert.equal(periodEnd('9999-12-31', '', west), end)
  assert.equal(periodStart('0001-01-01', '', west), first + 5 * hourMs)
  assert.equal(periodEnd('9999-12-31', '', east), end - 5 * hourMs)
  // East, the last times are of the year 10000: they are read as the end of 9999.
  const last = '9999-12-31T23:59:59.999Z'
  assert.equal(periodStart(last, '', east), end - 5 * hourMs - 1)
  assert.equal(periodEnd(last, '', east), end - 5 * hourMs)
  assert.equal(periodEnd(last, '', utcDays), end)
})

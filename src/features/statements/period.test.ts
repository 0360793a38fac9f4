// The period of a statement and the time of a balance, at each of their bounds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../database/statements/statement.ts'
import { createDays, utcDays } from '../../domain/days.ts'
import type { Refusal } from '../../domain/errors.ts'
import { endAt, type PeriodQuery, toPeriod } from './period.ts'

const now = Date.parse('2026-05-15T10:00:00Z')

/** Knows the newest entry of the account, and nothing else. */
const dbOf = (newest?: string): Db =>
  ({ run: async () => (newest ? [{ at: new Date(newest) }] : []) }) as unknown as Db

const refusedAs = (thrown: Refusal): string => {
  const [detail] = thrown.options.details ?? []
  return `${detail?.path} ${detail?.message}`
}
const show = (at: number): string => new Date(at).toISOString()

async function periodOf(query: PeriodQuery, newest?: string, days = utcDays): Promise<string> {
  try {
    const { from, end } = await toPeriod(dbOf(newest), 'account', query, { now, days })
    return `${show(from)} ${show(end)}`
  } catch (thrown) {
    return refusedAs(thrown as Refusal)
  }
}

const [beforeFrom, tooLong] = [
  '/query/to is before from',
  '/query/to is more than a year after from',
]

test('a period has both of its ends, whole days and at most 366 of them', async () => {
  for (const [from, to, expected] of [
    ['2026-01-02', '2026-01-02', '2026-01-02T00:00:00.000Z 2026-01-03T00:00:00.000Z'],
    ['2026-01-02', '2026-01-01', beforeFrom],
    [
      '2026-01-02T12:00:00Z',
      '2026-01-02T12:00:00Z',
      '2026-01-02T12:00:00.000Z 2026-01-02T12:00:00.001Z',
    ],
    ['2026-01-02T12:00:00.001Z', '2026-01-02T12:00:00Z', beforeFrom],
    ['2026-01-01', '2027-01-01', '2026-01-01T00:00:00.000Z 2027-01-02T00:00:00.000Z'],
    ['2026-01-01', '2027-01-02', tooLong],
    ['2026-01-01', '2027-01-02T00:00:00Z', tooLong],
    [
      '2026-01-01T12:00:00Z',
      '2027-01-02T11:59:59.999Z',
      '2026-01-01T12:00:00.000Z 2027-01-02T12:00:00.000Z',
    ],
    ['2026-01-01T12:00:00Z', '2027-01-02T12:00:00Z', tooLong],
    ['9999-06-01', '9999-12-31', '9999-06-01T00:00:00.000Z +010000-01-01T00:00:00.000Z'],
  ] as const) {
    assert.equal(await periodOf({ from, to }), expected, `${from} to ${to}`)
  }
})

test('a period begins with the month of its end, and ends now or with the newest entry', async () => {
  const april = '2026-04-01T00:00:00.000Z'
  const may = '2026-05-01T00:00:00.000Z'
  for (const [query, newest, expected] of [
    [{ to: '2026-04-30' }, undefined, `${april} ${may}`],
    [{ to: '2026-05-01' }, undefined, `${may} 2026-05-02T00:00:00.000Z`],
    [{ to: '2026-05-01T00:00:00Z' }, undefined, `${may} 2026-05-01T00:00:00.001Z`],
    [{}, undefined, `${may} 2026-05-15T10:00:00.001Z`],
    [{}, '2026-05-15T09:59:59.999Z', `${may} 2026-05-15T10:00:00.001Z`],
    [{}, '2026-05-15T10:00:00.005Z', `${may} 2026-05-15T10:00:00.006Z`],
    [{ from: '2026-04-01' }, undefined, `${april} 2026-05-15T10:00:00.001Z`],
  ] as const) {
    assert.equal(await periodOf(query, newest), expected, JSON.stringify([query, newest]))
  }
  const berlin = createDays([{ since: 0, timeZone: 'Europe/Berlin' }])
  const inBerlin = await periodOf({ to: '2026-04-30' }, undefined, berlin)
  assert.equal(inBerlin, '2026-03-31T22:00:00.000Z 2026-04-30T22:00:00.000Z')
})

test('a balance is of the end of a day that is over, of now in this day, and of nothing to come', () => {
  const future = '/query/at is in the future'
  const at = (text: string | undefined, aheadMaxMs?: number): string => {
    try {
      return show(endAt(text, { until: now, days: utcDays, ...(aheadMaxMs && { aheadMaxMs }) }))
    } catch (thrown) {
      return refusedAs(thrown as Refusal)
    }
  }
  for (const [text, aheadMaxMs, expected] of [
    [undefined, undefined, '2026-05-15T10:00:00.001Z'],
    ['2026-05-14', undefined, '2026-05-15T00:00:00.000Z'],
    ['2026-05-15', undefined, '2026-05-15T10:00:00.001Z'],
    ['2026-05-16', undefined, future],
    ['2026-05-15T10:00:00Z', undefined, '2026-05-15T10:00:00.001Z'],
    ['2026-05-15T10:00:00.001Z', undefined, future],
    ['2026-05-15T10:00:01Z', 1000, '2026-05-15T10:00:01.001Z'],
    ['2026-05-15T10:00:01.001Z', 1000, future],
    ['2026-05-15T09:00:00Z', 1000, '2026-05-15T09:00:00.001Z'],
  ] as const) {
    assert.equal(at(text, aheadMaxMs), expected, `${text} ${aheadMaxMs}`)
  }
})

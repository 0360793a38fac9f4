import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fc } from '../../../test/support/random.ts'
import { Temporal } from 'temporal-polyfill'
import { dueAfter, dueBetween, type Rhythm, rhythms, type Series } from './rhythm.ts'

const series = (rhythm: Rhythm, firstOn: string, lastOn: string | null = null): Series => ({
  rhythm,
  firstOn,
  lastOn,
})

test('days are due as another author counts them', async () => {
  const path = new URL('../../../test/rhythms/examples.json', import.meta.url)
  const rows = JSON.parse(await readFile(path, 'utf8')) as [Rhythm, string, string[]][]
  assert.ok(rows.length >= 200)
  for (const [rhythm, firstOn, days] of rows) {
    assert.deepEqual(
      dueBetween(series(rhythm, firstOn), firstOn, days.at(-1) as string, 100),
      days,
      `${rhythm} from ${firstOn}`,
    )
  }
})

test('once is one day', () => {
  assert.equal(dueAfter(series('once', '2026-02-28')), '2026-02-28')
  assert.equal(dueAfter(series('once', '2026-02-28'), '2026-02-27'), '2026-02-28')
  assert.equal(dueAfter(series('once', '2026-02-28'), '2026-02-28'), undefined)
})

test('the last day may be due, and none after it', () => {
  const paid = (lastOn: string) =>
    dueBetween(series('monthly', '2026-01-31', lastOn), '2026-01-01', '2027-01-01', 100)
  assert.deepEqual(paid('2026-03-31'), ['2026-01-31', '2026-02-28', '2026-03-31'])
  assert.deepEqual(paid('2026-03-30'), ['2026-01-31', '2026-02-28'])
  assert.deepEqual(paid('2026-01-31'), ['2026-01-31'])
  assert.equal(dueAfter(series('yearly', '2024-02-29', '2024-02-29'), '2024-02-29'), undefined)
})

test('no day is due beyond the year 9999', () => {
  assert.equal(dueAfter(series('yearly', '9999-01-01'), '9999-01-01'), undefined)
  assert.equal(dueAfter(series('monthly', '9999-12-01'), '9999-12-31'), undefined)
  assert.equal(dueAfter(series('weekly', '9999-12-31'), '9999-12-31'), undefined)
})

const units = { weekly: 'weeks', monthly: 'months', yearly: 'years' } as const

test('the next day is the first that Temporal counts from the first one after any given day', () => {
  const days = fc
    .integer({ min: -400_000, max: 900_000 })
    .map((count) => Temporal.PlainDate.from('2026-01-01').add({ days: count }))
  fc.assert(
    fc.property(
      fc.constantFrom(...rhythms.filter((each) => each !== 'once')),
      days,
      fc.integer({ min: -1000, max: 30_000 }),
      (rhythm, first, distance) => {
        const after = first.add({ days: distance })
        let number = 0
        let day = first
        while (Temporal.PlainDate.compare(day, after) <= 0) {
          day = first.add({ [units[rhythm]]: ++number })
        }
        assert.equal(dueAfter(series(rhythm, first.toString()), after.toString()), day.toString())
      },
    ),
    { numRuns: 400 },
  )
})

// The file of a bank's holidays: read whole, or refused by its lines.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dayMs } from '../domain/clock.ts'
import { addDays } from '../domain/calendar/rhythm.ts'
import { ConfigError, readConfig } from './config.ts'
import { holidaysEndSoon } from './holidays.ts'

const folder = mkdtempSync(join(tmpdir(), 'strongroom-holidays-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
function read(content: string) {
  const path = join(folder, String(count++))
  writeFileSync(path, content)
  return readConfig({ STRONGROOM_HOLIDAYS: path }).holidays
}

function findProblems(content: string): readonly string[] {
  try {
    read(content)
    return []
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError, String(thrown))
    return thrown.lines
  }
}

test('a file of dates is read in any order, with the line breaks of any system', () => {
  const dates = ['2026-05-14', '2026-12-24']
  for (const text of ['2026-12-24\n2026-05-14\n', '\uFEFF2026-12-24\r\n2026-05-14']) {
    assert.deepEqual(read(text), { kind: 'dates', dates })
  }
})

test('a file ends soon from 60 days before its last date on; a computed calendar never', () => {
  const last = Date.parse('2026-12-24')
  const holidays = read('2026-12-24\n2026-05-14\n')
  for (const [ms, isSoon] of [
    [last - 60 * dayMs - 1, false],
    [last - 60 * dayMs, false],
    [last - 60 * dayMs + 1, true],
    [last + 1000 * dayMs, true],
  ] as const) {
    assert.equal(holidaysEndSoon(holidays, ms), isSoon, String(ms - last))
  }
  assert.ok(!holidaysEndSoon({ kind: 'target2', dates: [] }, last))
})

const line = (number: number, what: string) =>
  `STRONGROOM_HOLIDAYS line ${number} of the file ${what}.`
const noDate = 'is no date such as 2026-12-24'
const refused: [what: string, content: string, lines: string[]][] = [
  ['a day that no month has', '2026-02-28\n2026-02-29\n', [line(2, noDate)]],
  ['an empty line', '2026-01-02\n\n2026-01-03\n', [line(2, noDate)]],
  ['a comment, and a space', '# holidays\n2026-01-02 \n', [line(1, noDate), line(2, noDate)]],
  ['a date twice', '2026-01-02\n2026-01-05\n2026-01-02\n', [line(3, 'has the date of line 1')]],
  ['nothing', '', ['STRONGROOM_HOLIDAYS names a file without a date.']],
  [
    'too much',
    '2026-01-02\n'.repeat(6000),
    ['STRONGROOM_HOLIDAYS names a file of more than 64 KB.'],
  ],
  [
    'more than 31 days in a row',
    Array.from({ length: 32 }, (_, index) => addDays('2026-06-01', index)).join('\n'),
    [line(1, 'begins more than 31 days in a row without a business day')],
  ],
]
for (const [what, content, lines] of refused) {
  test(`a file with ${what} is refused by its line, without its text`, () => {
    assert.deepEqual(findProblems(content), lines)
  })
}

test('words, and times of the day, are read as they are', () => {
  for (const [holidays, onHoliday, cutOff] of [
    ['target2', 'before', '00:00'],
    ['none', 'after', '23:59'],
  ] as const) {
    const config = readConfig({
      STRONGROOM_HOLIDAYS: holidays,
      STRONGROOM_ON_HOLIDAY: onHoliday,
      STRONGROOM_CUT_OFF: cutOff,
    })
    assert.deepEqual(config.holidays, { kind: holidays, dates: [] })
    assert.deepEqual([config.onHoliday, config.cutOff], [onHoliday, cutOff])
  }
})

test('at most ten lines are told', () => {
  assert.equal(findProblems('x\n'.repeat(40)).length, 10)
})

// Whether a run of a standing order is tried, and what becomes of its order: each condition alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCalendar } from '../../domain/calendar/business-days.ts'
import { newId } from '../../domain/ids.ts'
import type { Code } from '../../domain/errors.ts'
import { lateRunsMax, refuseRun, type StandingOrder, toOutcome } from './standing-order-runs.ts'

const now = Date.UTC(2026, 0, 9, 12)
const day = '2026-01-09'
const run = { orderId: newId(now), dueOn: day, version: 3 }

const order = (more: Partial<StandingOrder> = {}): StandingOrder => ({
  id: run.orderId,
  status: 'active',
  version: 3,
  retryDays: 0,
  rhythm: 'weekly',
  lateCount: 0,
  amount: 100n,
  firstOn: '2026-01-02',
  lastOn: null,
  nextOn: day,
  ownerId: newId(now),
  isProgram: false,
  programEndsAt: null,
  isAllowed: true,
  onHoliday: 'pay',
  outcome: null,
  ...more,
})

const at = new Date(now)
const calendar = createCalendar({ kind: 'target2', dates: [], cutOff: null })
const refusals: [what: string, of: Partial<StandingOrder>, to: object, code: Code | undefined][] = [
  ['an order on its day', {}, {}, undefined],
  ['one that was paused meanwhile', { status: 'paused' }, {}, 'illegal_transition'],
  ['one that ended meanwhile', { status: 'ended' }, {}, 'illegal_transition'],
  ['one whose next day is a later one', { nextOn: '2026-01-16' }, {}, 'illegal_transition'],
  ['one whose next day is an earlier one', { nextOn: '2026-01-02' }, {}, 'illegal_transition'],
  ['other terms than those read', { version: 4 }, {}, 'illegal_transition'],
  [
    'a day that has not come by the clock of the database',
    {},
    { day: '2026-01-08' },
    'illegal_transition',
  ],
  ['a day that is over', {}, { day: '2026-01-10' }, undefined],
  ['a maker that may not pay any more', { isAllowed: false }, {}, 'forbidden'],
  ['a program one millisecond before its end', { programEndsAt: new Date(now + 1) }, {}, undefined],
  ['a program at its end', { programEndsAt: at }, {}, 'forbidden'],
  ['a program after its end', { programEndsAt: new Date(now - 1) }, {}, 'forbidden'],
  ['a payee that is gone', {}, { refusal: 'not_found' }, 'not_found'],
  ['a maker before a payee', { isAllowed: false }, { refusal: 'not_found' }, 'forbidden'],
  [
    'one that waits on its last day',
    { outcome: 'waiting', retryDays: 1 },
    { day: '2026-01-10' },
    undefined,
  ],
  [
    'one that waits after it',
    { outcome: 'waiting', retryDays: 1 },
    { day: '2026-01-11' },
    'insufficient_funds',
  ],
  ['one that is late and has not waited', { retryDays: 1 }, { day: '2026-01-11' }, undefined],
  [
    'one that waits for a payee that is gone',
    { outcome: 'waiting', retryDays: 1 },
    { refusal: 'not_found' },
    'not_found',
  ],
]
for (const [what, of, to, code] of refusals) {
  test(`${what}: ${code ?? 'is tried'}`, () => {
    const { day: today = day, refusal } = to as { day?: string; refusal?: 'not_found' }
    const asked = { ...run, ...(refusal && { refusal }) }
    assert.equal(refuseRun(asked, order(of), { now, day: today, calendar }), code)
  })
}

test('an order that is gone is not run', () => {
  assert.equal(refuseRun(run, undefined, { now, day, calendar }), 'illegal_transition')
})

const made = { transferId: newId(now) }
const poor = { refusal: 'insufficient_funds' } as const
type Result = typeof made | { refusal: Code }

/** What a run leaves: outcome, status, why it is paused, next day, day of attempt, late days. */
const outcomes: [
  what: string,
  of: Partial<StandingOrder>,
  today: string,
  result: Result,
  left: string,
][] = [
  ['a paid day', {}, day, made, 'made active - 2026-01-16 - 0'],
  ['a refused day', {}, day, { refusal: 'account_frozen' }, 'refused active - 2026-01-16 - 0'],
  ['a day without money', {}, day, poor, 'refused active - 2026-01-16 - 0'],
  ['a day that may wait', { retryDays: 1 }, day, poor, 'waiting active - 2026-01-09 2026-01-09 0'],
  [
    'its last day of waiting',
    { retryDays: 1 },
    '2026-01-10',
    poor,
    'waiting active - 2026-01-09 2026-01-10 1',
  ],
  ['a day after that', { retryDays: 1 }, '2026-01-11', poor, 'refused active - 2026-01-16 - 1'],
  [
    'another refusal of one that may wait',
    { retryDays: 5 },
    day,
    { refusal: 'limit_exceeded' },
    'refused active - 2026-01-16 - 0',
  ],
  [
    'a paid day that had waited',
    { retryDays: 5, outcome: 'waiting', lateCount: 7 },
    '2026-01-10',
    made,
    'made active - 2026-01-16 - 7',
  ],
  ['the last day', { lastOn: '2026-01-15' }, day, made, 'made ended - - - 0'],
  [
    'a last day that is the next one',
    { lastOn: '2026-01-16' },
    day,
    made,
    'made active - 2026-01-16 - 0',
  ],
  ['a day that is late', { lateCount: 2 }, '2026-01-10', made, 'made active - 2026-01-16 - 3'],
  ['a day in time after late ones', { lateCount: 2 }, day, made, 'made active - 2026-01-16 - 0'],
  [
    'the last late day but one',
    { lateCount: lateRunsMax - 2 },
    '2026-02-09',
    made,
    'made active - 2026-01-16 - 30',
  ],
  [
    'the last late day',
    { lateCount: lateRunsMax - 1 },
    '2026-02-09',
    made,
    'made paused missed 2026-01-16 - 0',
  ],
  [
    'a refused last late day',
    { lateCount: lateRunsMax - 1 },
    '2026-02-09',
    poor,
    'refused paused missed 2026-01-16 - 0',
  ],
  [
    'one whose next day is today',
    { lateCount: lateRunsMax - 1 },
    '2026-01-16',
    made,
    'made paused missed 2026-01-16 - 0',
  ],
  [
    'one whose next day is tomorrow',
    { lateCount: lateRunsMax - 1 },
    '2026-01-15',
    made,
    'made active - 2026-01-16 - 31',
  ],
  [
    'one that ends',
    { lateCount: lateRunsMax - 1, lastOn: day },
    '2026-02-09',
    made,
    'made ended - - - 31',
  ],
]
for (const [what, of, today, result, left] of outcomes) {
  test(`${what}: ${left}`, () => {
    const { row: ran, order: after } = toOutcome(order(of), {
      at: now,
      day: today,
      calendar,
      result,
    })
    const { outcome, status, pausedBecause, nextOn, triedOn, lateCount } = ran
    const parts = [outcome, status, pausedBecause, nextOn, triedOn, lateCount]
    assert.equal(parts.map((part) => part ?? '-').join(' '), left)
    const isPaid = 'transferId' in result
    assert.deepEqual(
      [ran.orderId, ran.dueOn, ran.at.getTime(), ran.transferId, ran.amount, ran.refusal],
      [
        run.orderId,
        day,
        now,
        isPaid ? result.transferId : null,
        isPaid ? 100n : null,
        isPaid ? null : result.refusal,
      ],
    )
    // A refusal and a pause are told, a day that waits is not.
    assert.deepEqual(
      [ran.refusedMailId !== null, ran.pausedMailId !== null],
      [outcome === 'refused', status === 'paused'],
    )
    // A later run of the same batch is judged by the new state.
    const { status: then, nextOn: next, lateCount: count } = after
    const isWaiting = outcome === 'waiting'
    assert.deepEqual(
      [then, next, count, after.outcome],
      [status, nextOn, lateCount, isWaiting ? 'waiting' : null],
    )
  })
}

const moved: [dueOn: string, onHoliday: StandingOrder['onHoliday'], movedTo: string | null][] = [
  ['2026-01-09', 'before', null],
  ['2026-01-09', 'after', null],
  ['2026-01-10', 'pay', null],
  ['2026-01-10', 'before', '2026-01-09'],
  ['2026-01-10', 'after', '2026-01-12'],
]

test('a run tells the day that it was moved to, and none where it was not', () => {
  for (const [dueOn, onHoliday, movedTo] of moved) {
    const terms = order({ nextOn: dueOn, firstOn: dueOn, onHoliday })
    const { row: ran } = toOutcome(terms, { at: now, day: dueOn, calendar, result: made })
    assert.deepEqual([ran.dueOn, ran.movedTo], [dueOn, movedTo], onHoliday)
  }
})

test('an order is late behind its day of payment, or its due day where the rule has moved it ahead', () => {
  const cases: [onHoliday: StandingOrder['onHoliday'], today: string, lateCount: number][] = [
    ['before', '2026-01-09', 0],
    ['before', '2026-01-10', 0],
    ['before', '2026-01-11', 1],
    ['after', '2026-01-12', 0],
    ['after', '2026-01-13', 1],
    ['pay', '2026-01-10', 0],
    ['pay', '2026-01-11', 1],
  ]
  for (const [onHoliday, today, lateCount] of cases) {
    const terms = order({ nextOn: '2026-01-10', firstOn: '2026-01-03', onHoliday })
    const { row: ran } = toOutcome(terms, { at: now, day: today, calendar, result: made })
    assert.equal(ran.lateCount, lateCount, `${onHoliday} ${today}`)
  }
})

test('an order whose maker acts on the account no more is paused for that, and one that ends has ended', () => {
  const cases: [of: Partial<StandingOrder>, today: string, left: unknown[]][] = [
    [{}, day, ['paused', 'member', null]],
    // For both reasons it is told by the mail of the first one.
    [{ lateCount: lateRunsMax - 1 }, '2026-02-09', ['paused', 'member', null]],
    [{ lastOn: day }, day, ['ended', null, null]],
  ]
  for (const [of, today, left] of cases) {
    const about = { at: now, day: today, calendar, result: made, isOfMember: true }
    const { row: ran } = toOutcome(order(of), about)
    assert.deepEqual([ran.status, ran.pausedBecause, ran.pausedMailId], left)
  }
})

// Whether a line of a payment list is tried, and why not, each bound on both its sides.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ListLine, refuseLine, type StandingLine, toLineOutcome } from './list-lines.ts'

const now = Date.parse('2026-01-05T10:00:00Z')
const asked = { listId: 'list', place: 0 }
const due: StandingLine = {
  ...asked,
  amount: 100n,
  outcome: null,
  status: 'ordered',
  executeOn: '2026-01-05',
  isProgram: false,
  programEndsAt: null,
  isAllowed: true,
}
const endsAt = (ms: number) => ({ isProgram: true, programEndsAt: new Date(now + ms) })

const cases: [
  what: string,
  line: Partial<StandingLine>,
  refusal?: string,
  more?: Partial<ListLine>,
][] = [
  ['due today', {}],
  ['at once', { executeOn: null }],
  ['due yesterday', { executeOn: '2026-01-04' }],
  ['due tomorrow', { executeOn: '2026-01-06' }, 'illegal_transition'],
  ['of a list that is checked', { status: 'checked' }, 'illegal_transition'],
  ['of a list that is cancelled', { status: 'cancelled' }, 'illegal_transition'],
  ['of a list that is executed', { status: 'executed' }, 'illegal_transition'],
  ['made', { outcome: 'made' }, 'illegal_transition'],
  ['refused', { outcome: 'refused' }, 'illegal_transition'],
  ['of who may not pay', { isAllowed: false }, 'forbidden'],
  ['of who is gone', { isAllowed: null }, 'forbidden'],
  ['of a program, 1 ms before its end', endsAt(1)],
  ['of a program, at its end', endsAt(0), 'forbidden'],
  ['of a program, 1 ms after its end', endsAt(-1), 'forbidden'],
  ['without a payee', {}, 'not_found', { refusal: 'not_found' }],
  ['without a payee, made', { outcome: 'made' }, 'illegal_transition', { refusal: 'not_found' }],
  ['without a payee or a right', { isAllowed: false }, 'forbidden', { refusal: 'not_found' }],
]

for (const [what, line, refusal, more] of cases) {
  test(`a line ${what} is ${refusal ?? 'tried'}`, () => {
    const told = refuseLine({ ...asked, ...more }, { ...due, ...line }, { now, day: '2026-01-05' })
    assert.equal(told, refusal)
  })
}

test('a line that is not there is not tried', () => {
  const told = refuseLine(asked, undefined, { now, day: '2026-01-05' })
  assert.equal(told, 'illegal_transition')
})

test('what is written of a line is its transfer, or why there is none', () => {
  const made = toLineOutcome({ ...due, place: 7 }, now, { transferId: 't' })
  const { mailId, ...rest } = made
  const about = { listId: 'list', place: 7, at: new Date(now) }
  assert.deepEqual(rest, { ...about, outcome: 'made', transferId: 't', refusal: null })
  assert.match(mailId, /^[0-9a-f-]{36}$/)
  const refused = toLineOutcome(due, now, { refusal: 'account_frozen' })
  assert.deepEqual(
    [refused.outcome, refused.transferId, refused.refusal],
    ['refused', null, 'account_frozen'],
  )
})

// The states of a movement of money, each with each step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../src/state/failure.ts'
import {
  isOpen,
  isTooLate,
  type Movement,
  type MovementStep,
  takeStep,
} from '../src/state/movement.ts'

const fresh: Movement = {
  key: 'key',
  ownerId: 'ada',
  name: 'transfer.review',
  path: '/transfers',
  body: { amount: '1.00' },
  state: 'review',
}
const after = (...steps: MovementStep[]): Movement => steps.reduce(takeStep, fresh)

const send: MovementStep = { what: 'send', at: 1000, page: '/portal/transfer?review' }
const asked: MovementStep = { what: 'asked' }
const confirmed: MovementStep = { what: 'confirmed', at: 2000 }
const lost: MovementStep = { what: 'lost' }
const left: MovementStep = { what: 'left' }
const made: MovementStep = { what: 'made', result: { id: 'transfer' } }
const refused = (status: number, code = 'limit_exceeded'): MovementStep => {
  const failure = new Failure(code as never, new Response(null, { status: status || 599 }))
  Object.assign(failure, { status })
  return { what: 'refused', failure }
}

const begins: Record<string, Movement> = {
  review: fresh,
  sending: after(send),
  asking: after(send, asked),
  'sending, confirmed': after(send, asked, confirmed),
  unknown: after(send, lost),
  'unknown, confirmed': after(send, asked, confirmed, lost),
  made: after(send, made),
  refused: after(send, refused(409)),
}

/** `open` where it was sent and an effect is possible. */
const table: [from: string, taken: MovementStep, told: string, what: string][] = [
  ['review', send, 'sending open', 'it is sent'],
  ['review', lost, 'review', 'nothing was sent'],
  ['review', made, 'review', 'nothing was sent'],
  ['sending', send, 'sending open', 'a second press'],
  ['sending', asked, 'sending', 'a confirmation is asked for: it has no effect yet'],
  ['sending', lost, 'unknown open', 'an answer is lost'],
  ['sending', left, 'unknown open', 'the session ends before an answer'],
  ['sending', made, 'made', 'it is made'],
  ['sending', refused(409), 'refused', 'the service keeps the refusal under the key'],
  ['sending', refused(404), 'refused', 'the account is gone'],
  ['sending', refused(202, 'approval_pending'), 'refused', 'it waits for a second person'],
  ['sending', refused(409, 'request_in_progress'), 'unknown open', 'it is under way already'],
  ['sending', refused(503, 'outcome_unknown'), 'unknown open', 'the service does not know'],
  ['sending', refused(401, 'session_expired'), 'review', 'the session had ended before'],
  ['sending', refused(429, 'rate_limited'), 'review', 'too many requests'],
  ['asking', left, 'review', 'the session ends while the person is asked'],
  ['asking', refused(0, 'unconfirmed'), 'review', 'the person does not confirm'],
  ['asking', confirmed, 'sending open', 'the person confirms'],
  ['sending, confirmed', asked, 'sending open', 'the confirmed attempt may have taken effect'],
  ['unknown', send, 'unknown open', 'it is looked for again'],
  ['unknown', asked, 'sending', 'nothing was confirmed before, so nothing took effect'],
  ['unknown', made, 'made', 'an answer tells that it was made'],
  ['unknown', refused(409), 'refused', 'an answer tells that it was refused'],
  ['unknown', refused(409, 'request_in_progress'), 'unknown open', 'it is still under way'],
  ['unknown', refused(401, 'session_expired'), 'unknown open', 'the session ends'],
  ['unknown', refused(403, 'forbidden'), 'unknown open', 'a refusal of this attempt alone'],
  ['unknown', left, 'unknown open', 'the person signs out'],
  ['unknown, confirmed', asked, 'unknown open', 'the confirmed attempt may have taken effect'],
  ['made', send, 'made', 'it is over'],
  ['made', lost, 'made', 'it is over'],
  ['refused', send, 'refused', 'the same again needs a new review'],
  ['refused', made, 'refused', 'it is over'],
]

test('a movement whose answer was lost or was not waited for says so, also once it is made', () => {
  assert.equal(after(send, made).wasLost, undefined)
  for (const step of [lost, left]) assert.equal(after(send, step, made).wasLost, true)
})

test('a movement that is sent again keeps when and where it was sent first', () => {
  const again: MovementStep = { what: 'send', at: 5000, page: '/portal/' }
  for (const steps of [[send], [send, lost], [send, asked, confirmed, lost]]) {
    assert.deepEqual(after(...steps, again), after(...steps))
  }
})

for (const [from, taken, told, what] of table) {
  test(`${from}: ${what}: ${told}`, () => {
    const next = takeStep(begins[from] as Movement, taken)
    assert.equal(`${next.state}${isOpen(next) ? ' open' : ''}`, told)
    assert.equal(next.key, 'key')
    assert.deepEqual(next.body, fresh.body)
  })
}

test('a movement that had no effect is the review that it was, with the refusal alone', () => {
  for (const review of [fresh, { ...fresh, saved: '/beneficiaries/1' }]) {
    const refusal = refused(429, 'rate_limited')
    const { failure } = refusal as { failure: Failure }
    const cases: [MovementStep[], Movement][] = [
      [[send, asked, left], review],
      [[send, refusal], { ...review, failure }],
      [[send, asked, refusal], { ...review, failure }],
    ]
    for (const [steps, expected] of cases) {
      assert.deepEqual(steps.reduce<Movement>(takeStep, review), expected)
    }
    const again: MovementStep[] = [send, refusal, send]
    assert.deepEqual(again.reduce<Movement>(takeStep, review), takeStep(review, send))
  }
})

test('a movement counts as sent from its first confirmation on', () => {
  const later: MovementStep = { what: 'confirmed', at: 9000 }
  assert.equal(after(send, asked, confirmed).sentAt, 2000)
  assert.equal(after(send, asked, confirmed, lost, asked, later).sentAt, 2000)
})

test('an outcome after a lost answer says that one was lost', () => {
  assert.equal(after(send, lost, made).wasLost, true)
  assert.equal(after(send, made).wasLost, undefined)
  assert.deepEqual(after(send, lost, made).result, { id: 'transfer' })
})

test('a repeat is given up before the service forgets the key, and by a clock that was set back', () => {
  const hour = 3_600_000
  const sent = after(send)
  for (const [now, isLate] of [
    [999, true],
    [1000, false],
    [1000 + 23 * hour, false],
    [1001 + 23 * hour, true],
  ] as const) {
    assert.equal(isTooLate(sent, now), isLate, `${now}`)
  }
  assert.equal(isTooLate(fresh, 50 * hour), false)
})

// What each refusal tells a page about the movement or change that it has sent: for every code of
// the service and of the page itself, in every state. No browser is needed.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Code, codes, errorStatus } from '../../src/domain/errors.ts'
import { Failure, type OwnCode } from '../src/state/failure.ts'
import { type Movement, repeatMsMax, takeStep } from '../src/state/movement.ts'
import { units } from './units-support.ts'

/**
 * - `final`: the service keeps it under the key, so no attempt takes effect any more
 * - `open`: this attempt may have taken effect
 * - `attempt`: this attempt has none; one before may have
 * - `none`: neither this attempt nor one before has any
 */
const meanings = {
  invalid_request: 'final',
  malformed_json: 'final',
  invalid_credentials: 'attempt',
  issuer_refused: 'attempt',
  issuer_unavailable: 'attempt',
  second_factor_required: 'attempt',
  session_expired: 'attempt',
  session_revoked: 'attempt',
  token_expired: 'attempt',
  unauthenticated: 'attempt',
  confirmation_required: 'attempt',
  factor_enrolment_required: 'attempt',
  forbidden: 'attempt',
  not_found: 'final',
  method_not_allowed: 'attempt',
  not_acceptable: 'attempt',
  request_timeout: 'attempt',
  account_closed: 'final',
  account_frozen: 'final',
  account_not_empty: 'final',
  already_exists: 'final',
  already_reversed: 'final',
  archived: 'final',
  beneficiary_cooling: 'final',
  beneficiary_inactive: 'final',
  card_cancelled: 'final',
  credits_blocked: 'final',
  currency_mismatch: 'final',
  debits_blocked: 'final',
  duplicate_transfer: 'final',
  illegal_transition: 'final',
  insufficient_funds: 'final',
  limit_exceeded: 'final',
  payee_check_required: 'final',
  payee_not_accepted: 'final',
  signature_required: 'final',
  request_in_progress: 'open',
  payload_too_large: 'attempt',
  uri_too_long: 'attempt',
  unsupported_media_type: 'attempt',
  expectation_failed: 'attempt',
  idempotency_key_reused: 'attempt',
  rate_limited: 'attempt',
  headers_too_large: 'attempt',
  internal_error: 'open',
  not_implemented: 'attempt',
  outcome_unknown: 'open',
  unavailable: 'attempt',
  offline: 'open',
  unconfirmed: 'none',
  approval_pending: 'final',
  passkey_failed: 'attempt',
  link_refused: 'attempt',
} as const satisfies Record<Code | OwnCode, 'final' | 'open' | 'attempt' | 'none'>
const all = Object.keys(meanings) as (Code | OwnCode)[]

const statusOf = (code: Code | OwnCode): number => {
  if (code === 'approval_pending') return 202
  return codes.find((each) => each === code) ? errorStatus(code as Code) : 0
}
const failureOf = (code: Code | OwnCode): Failure =>
  Object.assign(new Failure(code), { status: statusOf(code) })

const fresh: Movement = {
  key: 'key',
  ownerId: 'ada',
  name: 'transfer.review',
  path: '/transfers',
  body: { amount: '1.00' },
  state: 'review',
}
const sending = takeStep(fresh, { what: 'send', at: 1000, page: '/portal/transfer' })
const unknown = takeStep(sending, { what: 'lost' })

test('a movement is made, refused, open or again a review, as the code of its answer says', () => {
  for (const code of all) {
    const failure = failureOf(code)
    const next = (from: Movement) => {
      const { state, sentAt, failure: told } = takeStep(from, { what: 'refused', failure })
      assert.equal(told, failure, code)
      assert.equal(sentAt === undefined, state === 'review', code)
      return state
    }
    const expected = {
      final: ['refused', 'refused'],
      open: ['unknown', 'unknown'],
      attempt: ['review', 'unknown'],
      none: ['review', 'review'],
    }[meanings[code]]
    assert.deepEqual([next(sending), next(unknown)], expected, code)
  }
})

test('a change that is no movement ends the same way, but that its refusals are not kept', () => {
  for (const code of all) {
    const failure = Object.assign(new units.Failure(code), { status: statusOf(code) })
    const isLostAnswer = ['offline', 'outcome_unknown', 'internal_error'].includes(code)
    const isAnswer = code === 'unconfirmed' || [400, 404, 409].includes(statusOf(code))
    const ends = [units.toEndState(failure, false), units.toEndState(failure, true)]
    const expected = isLostAnswer ? 'unknown' : 'refused'
    assert.deepEqual(ends, [expected, isLostAnswer || !isAnswer ? 'unknown' : 'refused'], code)
  }
})

type Answered = Code | OwnCode | 'done'

/** Answers in turn, and gives how often was asked. Pauses end at once and move the clock. */
function answerWith(t: TestContext, wait: string, ...answers: Answered[]) {
  const seen = { asked: 0, lost: 0, confirmations: [] as (string | null)[], now: 1000 }
  // One that stands over another would put that one back at the end of the test.
  t.mock.restoreAll()
  t.mock.method(Date, 'now', () => seen.now)
  t.mock.method(globalThis, 'fetch', async (_: string, { headers }: RequestInit) => {
    seen.asked++
    seen.confirmations.push((headers as Headers).get('confirmation'))
    const code = answers.shift() ?? 'done'
    if (code === 'done') return Response.json({ id: 1 })
    if (code === 'offline') throw new TypeError('network')
    const challenge = code === 'confirmation_required' ? { id: 'c' } : undefined
    const options = { status: statusOf(code), headers: { 'retry-after': wait } }
    return Response.json({ code, challenge }, options)
  })
  t.mock.method(globalThis, 'setTimeout', (run: () => void, milliseconds: number) => {
    seen.now += milliseconds
    queueMicrotask(run)
    return 0
  })
  return seen
}

type Sending = { method?: string; isRepeatable: boolean } & Record<string, unknown>
async function outcomeOf(seen: ReturnType<typeof answerWith>, sent: Sending) {
  const change = { method: 'POST', path: '/x', key: 'k', ...sent }
  const end = await units
    .sendUntilKnown(change, () => void seen.lost++)
    .then(
      (result) => (result === undefined ? 'gone' : 'done'),
      (thrown: { code: string }) => thrown.code,
    )
  return `${end} after ${seen.asked}, lost ${seen.lost}`
}

const sent = codes.filter((code) => code !== 'confirmation_required')

test('only what may have taken effect or asks to wait is sent again, and only with a key', async (t) => {
  for (const code of [...sent, 'offline'] as const) {
    const isBusy = code === 'unavailable' || code === 'rate_limited'
    const isOpen = meanings[code] === 'open'
    const repeated = isOpen ? 'done after 2, lost 1' : isBusy ? 'done after 2, lost 0' : ''
    const once = `${code} after 1, lost 0`
    assert.equal(
      await outcomeOf(answerWith(t, '3', code), { isRepeatable: true }),
      repeated || once,
      code,
    )
    assert.equal(
      await outcomeOf(answerWith(t, '3', code), { isRepeatable: false }),
      isBusy ? repeated : once,
      code,
    )
    // A longer wait is told, unless the outcome of an attempt before is open.
    const late = await outcomeOf(answerWith(t, '4', code), { isRepeatable: true })
    assert.equal(late, isOpen ? repeated : once, code)
    const open = await outcomeOf(answerWith(t, '4', code), { isRepeatable: true, isOpen: true })
    assert.equal(open, isOpen || isBusy ? 'done after 2, lost 1' : once, code)
    const deleted = await outcomeOf(answerWith(t, '4', code), {
      isRepeatable: true,
      method: 'DELETE',
    })
    if (code === 'not_found') assert.equal(deleted, 'gone after 1, lost 0')
    else assert.equal(deleted, isOpen ? repeated : once, code)
  }
})

test('a repeat is sent as long as the service knows the key, to the millisecond', async (t) => {
  for (const [more, expected] of [
    [0, 'done after 2, lost 1'],
    [-1, 'offline after 1, lost 1'],
  ] as const) {
    const seen = answerWith(t, '0', 'offline')
    // The first pause is one second.
    const until = { isRepeatable: true, repeatableUntil: 1000 + 1000 + more }
    assert.equal(await outcomeOf(seen, until), expected)
  }
  assert.equal(repeatMsMax, 23 * 3_600_000, 'an hour less than the service keeps a key')
})

test('what was not confirmed had no effect, unless it was sent confirmed before', async (t) => {
  const answer = async (given: string | undefined, more: object = {}) => {
    const seen = answerWith(t, '0', 'confirmation_required')
    const told: boolean[] = []
    const onConfirming = (isDone: boolean) => {
      told.push(isDone)
      if (!isDone) queueMicrotask(() => units.askedConfirmation.value?.settle(given))
    }
    const outcome = await outcomeOf(seen, { isRepeatable: true, onConfirming, ...more })
    return [outcome, told, seen.confirmations]
  }
  assert.deepEqual(await answer('c'), ['done after 2, lost 0', [false, true], [null, 'c']])
  assert.deepEqual(await answer(undefined), ['unconfirmed after 1, lost 0', [false], [null]])
  const before = { isConfirmed: true }
  const same = ['confirmation_required after 1, lost 0', [false], [null]]
  assert.deepEqual(await answer(undefined, before), same)
  const ended = new AbortController()
  ended.abort()
  const seen = answerWith(t, '0')
  await assert.rejects(
    units.sendUntilKnown(
      { method: 'POST', path: '/x', isRepeatable: true },
      () => undefined,
      ended.signal,
    ),
    { name: 'AbortError' },
  )
  assert.equal(seen.asked, 0)
})

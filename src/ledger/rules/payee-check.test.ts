// Whether a payee is known well enough, and for how long a check of its name is a fact.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkResults } from '../../domain/payee-name.ts'
import { type PayeeCheck, refusePayee, toPayeeColumns } from './payee-check.ts'

const now = Date.UTC(2026, 0, 2, 9)
const lifetimeMs = 15 * 60_000
const check = (more: Partial<PayeeCheck> = {}): PayeeCheck => ({
  id: 'c',
  result: 'match',
  holderName: null,
  checkedAt: new Date(now),
  isAccepted: false,
  ...more,
})

test('a payee is refused without a check that is wanted, and with one that is a quarter of an hour old', () => {
  assert.equal(refusePayee({ isRequired: true }, now), 'payee_check_required')
  assert.equal(refusePayee({ isRequired: false }, now), undefined)
  for (const isRequired of [true, false]) {
    const judge = (ageMs: number) =>
      refusePayee({ isRequired, check: check({ checkedAt: new Date(now - ageMs) }) }, now)
    assert.equal(judge(0), undefined)
    assert.equal(judge(lifetimeMs - 1), undefined)
    assert.equal(judge(lifetimeMs), 'payee_check_required')
  }
})

test('a name that does not match is refused until the payer accepts it, and a match needs nothing', () => {
  for (const result of checkResults) {
    const judge = (isAccepted: boolean) =>
      refusePayee({ isRequired: true, check: check({ result, isAccepted }) }, now)
    assert.equal(judge(false), result === 'match' ? undefined : 'payee_not_accepted', result)
    assert.equal(judge(true), undefined, result)
  }
  // An acceptance is as old as its check.
  const old = check({ isAccepted: true, checkedAt: new Date(now - lifetimeMs) })
  assert.equal(refusePayee({ isRequired: true, check: old }, now), 'payee_check_required')
})

test('what is kept of a check is what was told and accepted, and nothing without one', () => {
  const told = check({ result: 'close_match', holderName: 'Ada Okafor', isAccepted: true })
  assert.deepEqual(toPayeeColumns(told), {
    payeeResult: 'close_match',
    payeeName: 'Ada Okafor',
    payeeAccepted: true,
  })
  const none = { payeeResult: null, payeeName: null, payeeAccepted: null }
  assert.deepEqual(toPayeeColumns(undefined), none)
})

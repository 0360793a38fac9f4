// What an order of a person with a second factor needs, decided on what the locks have found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Confirmed } from '../../gate/confirmations.ts'
import { takeConfirmation, type Unconfirmed } from './confirmation.ts'
import type { Movement } from './movement.ts'

const [digest, event] = [Buffer.alloc(32, 1), { id: 'e' } as never]
const confirmation = { userId: 'u', sessionId: 's', digest, challengeId: 'c', event }
const exempt = { amount: 30n, sum: 100n }
const expiresAt = new Date(2)
const challenge: Confirmed = { id: 'c', userId: 'u', sessionId: 's', digest, expiresAt }

const movement = (more: Partial<Movement> = {}, challengeId?: string): Movement => ({
  kind: 'transfer',
  fromAccountId: 'a',
  toAccountId: 'b',
  amount: 10n,
  currency: 'EUR',
  reference: '',
  beneficiaryId: 'p',
  caller: { userId: 'u', sessionId: 's', kid: null, role: 'customer' },
  confirmation: { ...confirmation, challengeId, exempt },
  ...more,
})

const facts = (unconfirmed: [string, Unconfirmed][] = []) => ({
  now: 1,
  confirmed: new Map([['c', challenge]]),
  unconfirmed: new Map(unconfirmed),
})
const newPlan = () => ({ used: [] as string[], unconfirmed: new Map<string, Unconfirmed>() })
const payee = { transferId: 't', beneficiary: { trusted: false } }

test('of two movements of one batch that name a confirmation, one has it', () => {
  const [found, plan] = [facts(), newPlan()]
  const take = () => takeConfirmation(movement({}, 'c'), payee, found, plan)
  assert.deepEqual([take(), take()], [event, 'missing'])
  assert.deepEqual(plan.used, ['c'])
})

test('a confirmation of another person, session, digest or time is missing', () => {
  const others: Partial<Confirmed>[] = [
    { userId: 'v' },
    { sessionId: 't' },
    { digest: Buffer.alloc(32, 2) },
    { expiresAt: new Date(1) },
  ]
  for (const other of others) {
    const found = { ...facts(), confirmed: new Map([['c', { ...challenge, ...other }]]) }
    const plan = newPlan()
    assert.equal(takeConfirmation(movement({}, 'c'), payee, found, plan), 'missing')
    assert.deepEqual(plan, newPlan(), 'nothing is changed')
  }
})

test('staff movements are never exempt, nor is a payment that names a confirmation it has not', () => {
  const judge = (some: Movement, trusted = false) =>
    takeConfirmation(
      some,
      { transferId: 't', beneficiary: { trusted } },
      { ...facts(), confirmed: new Map() },
      newPlan(),
    )
  for (const kind of ['deposit', 'withdrawal', 'reversal', 'return', 'settlement'] as const) {
    assert.equal(judge(movement({ kind }), true), 'missing', kind)
  }
  assert.equal(judge(movement({ amount: 1n }, 'c'), true), 'missing')
})

test('the sum and the count hold to their last unit, and begin anew with a confirmation', () => {
  const judge = (before: Unconfirmed, amount: bigint) =>
    takeConfirmation(movement({ amount }), payee, facts([['a', before]]), newPlan())
  assert.equal(judge({ amount: 70n, count: 3, transferIds: [] }, 30n), undefined)
  assert.equal(judge({ amount: 71n, count: 3, transferIds: [] }, 30n), 'missing')
  assert.equal(judge({ amount: 0n, count: 0, transferIds: [] }, 31n), 'missing')
  assert.equal(judge({ amount: 0n, count: 4, transferIds: [] }, 1n), undefined)
  assert.equal(judge({ amount: 0n, count: 5, transferIds: [] }, 1n), 'missing')
  const [found, plan] = [facts([['a', { amount: 100n, count: 5, transferIds: [] }]]), newPlan()]
  assert.equal(takeConfirmation(movement({}, 'c'), payee, found, plan), event)
  assert.equal(takeConfirmation(movement(), payee, found, plan), undefined)
  assert.deepEqual([...plan.unconfirmed], [['a', { amount: 10n, count: 1, transferIds: ['t'] }]])
})

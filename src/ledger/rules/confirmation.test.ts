// What an order of a person with a second factor needs, decided on what the locks have found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Confirmed } from '../../gate/confirmations.ts'
import { giveBackUnconfirmed, takeConfirmation, type Unconfirmed } from './confirmation.ts'
import type { Movement, TransferMovement } from './movement.ts'

const [digest, event] = [Buffer.alloc(32, 1), { id: 'e' } as never]
const confirmation = { userId: 'u', sessionId: 's', digest, challengeId: 'c', event }
const exempt = { amount: 30n, sum: 100n }
const expiresAt = new Date(2)
const challenge: Confirmed = { id: 'c', userId: 'u', sessionId: 's', digest, expiresAt }

const movement = (more: Partial<TransferMovement> = {}, challengeId?: string) =>
  ({
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
  }) as const satisfies Movement

const found = {
  transferId: 't',
  beneficiary: { trusted: false },
  challenge: undefined,
  before: undefined,
  now: 1,
}

test('a confirmation of another person, session, digest or time is missing', () => {
  const others: Partial<Confirmed>[] = [
    { userId: 'v' },
    { sessionId: 't' },
    { digest: Buffer.alloc(32, 2) },
    { expiresAt: new Date(1) },
  ]
  for (const other of others) {
    const about = { ...found, challenge: { ...challenge, ...other } }
    assert.equal(takeConfirmation(movement({}, 'c'), about), 'missing')
  }
})

test('staff movements are never exempt, nor is a payment that names a confirmation it has not', () => {
  const trusted = { ...found, beneficiary: { trusted: true } }
  for (const kind of ['deposit', 'withdrawal', 'reversal', 'return', 'settlement'] as const) {
    const made = { ...movement(), kind, originalId: 'o' }
    assert.equal(takeConfirmation(made, trusted), 'missing', kind)
  }
  assert.equal(takeConfirmation(movement({ amount: 1n }, 'c'), trusted), 'missing')
})

test('the sum and the count hold to their last unit, and begin anew with a confirmation', () => {
  const judge = (amount: bigint, sum: bigint, count: number) => {
    const before: Unconfirmed = { amount: sum, count, transferIds: [] }
    return takeConfirmation(movement({ amount }), { ...found, before })
  }
  const left = (amount: bigint, count: number) => ({
    unconfirmed: { amount, count, transferIds: ['t'] },
  })
  assert.deepEqual(judge(30n, 70n, 3), left(100n, 4))
  assert.equal(judge(30n, 71n, 3), 'missing')
  assert.equal(judge(31n, 0n, 3), 'missing')
  assert.deepEqual(judge(1n, 0n, 4), left(1n, 5))
  assert.equal(judge(1n, 0n, 5), 'missing')
  const before = { amount: 100n, count: 5, transferIds: [] }
  const unconfirmed = { amount: 0n, count: 0, transferIds: [] }
  assert.deepEqual(takeConfirmation(movement({}, 'c'), { ...found, challenge, before }), {
    used: 'c',
    event,
    unconfirmed,
  })
  assert.deepEqual(takeConfirmation(movement(), { ...found, before: unconfirmed }), left(10n, 1))
})

test('what needs no confirmation counts to no sum: a movement of another caller, own money, a trusted payee', () => {
  const before = { amount: 100n, count: 5, transferIds: ['s'] }
  const about = { ...found, before }
  const { confirmation: _, ...without } = movement()
  const { beneficiaryId: __, ...within } = movement()
  const large = { amount: 1_000_000n }
  assert.deepEqual(takeConfirmation({ ...without, ...large }, about), {})
  assert.deepEqual(takeConfirmation({ ...within, ...large }, about), {})
  const trusted = { ...about, beneficiary: { trusted: true } }
  assert.deepEqual(takeConfirmation(movement(large), trusted), {})
  assert.equal(takeConfirmation(movement(large), { ...about, beneficiary: undefined }), 'missing')
  // A signature is always confirmed, also of a small amount to a trusted payee.
  const draft = { id: 'd', people: [] }
  assert.equal(takeConfirmation(movement({ amount: 1n, draft }), trusted), 'missing')
})

test('a confirmation begins the sum of payments anew, and that of any other movement does not', () => {
  const before = { amount: 100n, count: 5, transferIds: ['s'] }
  const about = { ...found, challenge, before }
  const { beneficiaryId: _, ...within } = movement({}, 'c')
  const used = { used: 'c', event }
  assert.deepEqual(takeConfirmation(within, about), used)
  const deposit = { ...movement({}, 'c'), kind: 'deposit' } as const
  assert.deepEqual(takeConfirmation(deposit, about), used)
})

test('a payment that came back leaves the sum that it is in, and stays in the number of payments', () => {
  const before = { amount: 100n, count: 3, transferIds: ['s', 't', 'u'] }
  assert.deepEqual(giveBackUnconfirmed({ id: 't', amount: 30n }, before), {
    amount: 70n,
    count: 3,
    transferIds: ['s', 'u'],
  })
  assert.equal(giveBackUnconfirmed({ id: 'v', amount: 30n }, before), undefined)
  assert.equal(giveBackUnconfirmed({ id: 't', amount: 30n }, undefined), undefined)
})

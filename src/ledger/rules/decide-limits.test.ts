// Who pays for whom, and the last cent that each limit of a transfer lets leave.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerAccount } from '../../../test/support/ledger-account.ts'
import type { Code } from '../../domain/errors.ts'
import { type Account, decide, type Facts, findExceeded } from './decide.ts'
import { maxBalance } from './holds.ts'
import type { MoneyMovement } from './movement.ts'

const now = Date.UTC(2026, 0, 2, 9)
const day = '2026-01-02'
const account = ledgerAccount({ balance: 1000n, spentOn: day, spentAmount: 50n })
const caller = { userId: 'ada', sessionId: 's', kid: null, role: 'customer' } as const
const cash: Account = { ...account, id: 'cash', kind: 'cash', ownerId: null, balance: 0n }

const judge = (more: object = {}, facts: Partial<Facts> = {}): Code | undefined => {
  const made = {
    kind: 'transfer',
    fromAccountId: 'a',
    toAccountId: 'b',
    amount: 100n,
    currency: 'EUR',
    reference: '',
    caller,
    ...more,
  } as unknown as MoneyMovement
  return decide(made, { from: account, to: { ...account, id: 'b' }, at: now, day, ...facts })
}

test('a program and the last signer of a draft pay for the owner, and no other person does', () => {
  const program = { ...caller, userId: 'program', operation: 'createTransfer' }
  const ben = { ...caller, userId: 'ben' }
  const draft = { id: 'd', people: ['ada', 'ben'] }
  const cases: [what: string, more: object, refusal: Code | undefined][] = [
    ['the owner', {}, undefined],
    ['a program', { caller: program }, undefined],
    ['a signer', { caller: ben, draft }, undefined],
    ['another person', { caller: ben }, 'forbidden'],
    ['a member', { caller: { ...ben, memberFor: 'ada' } }, undefined],
    ['a member of another owner', { caller: { ...caller, memberFor: 'ben' } }, 'forbidden'],
  ]
  for (const [what, more, refusal] of cases) assert.equal(judge(more), refusal, what)
  // An account of the bank has no owner to pay for.
  const facts = { from: { ...account, ownerId: null }, to: { ...account, id: 'b', ownerId: null } }
  assert.equal(judge({ caller: program }, facts), 'forbidden')
})

test('a member takes back what it has ordered, and the owner also what a member has', () => {
  const clearing: Account = { ...cash, id: 'c', kind: 'clearing' }
  const original = {
    kind: 'transfer',
    status: 'pending',
    reversedBy: null,
    claimedBy: null,
    isErased: false,
    toAccountId: 'c',
  } as const
  const member = { ...caller, userId: 'ben', memberFor: 'ada' }
  const judgeBack = (by: object, callerId: string) =>
    judge(
      { kind: 'cancellation', originalId: 'o', caller: by },
      { from: clearing, to: account, original: { ...original, callerId } },
    )
  assert.equal(judgeBack(member, 'ben'), undefined)
  assert.equal(judgeBack(member, 'ada'), 'forbidden')
  assert.equal(judgeBack(caller, 'ben'), undefined)
  assert.equal(judgeBack({ ...member, memberFor: 'eve' }, 'ben'), 'forbidden')
})

test('people behind a movement are found among several, and others are not', () => {
  const deposit = (notOf: string[]) =>
    judge({ kind: 'deposit', notOf }, { from: cash, to: account })
  assert.equal(deposit(['root']), undefined)
  assert.equal(deposit(['root', 'ada']), 'forbidden')
  assert.equal(deposit(['ada', 'root']), 'forbidden')
  const withdrawal = { kind: 'withdrawal', notOf: ['root', 'ada'] }
  assert.equal(judge(withdrawal, { to: cash }), 'forbidden')
})

test('a payee that cools is paid from the millisecond on at which that ends', () => {
  const pay = (coolsUntil: Date | null) =>
    judge({ beneficiaryId: 'p' }, { beneficiary: { accountId: 'a', status: 'active', coolsUntil } })
  assert.equal(pay(new Date(now + 1)), 'beneficiary_cooling')
  assert.equal(pay(new Date(now)), undefined)
  assert.equal(pay(null), undefined)
})

test('the smallest amount is paid, and balances go to their bounds', () => {
  assert.equal(judge({ amount: 1n }), undefined)
  const deposit = (from: Partial<Account>, to: Partial<Account>) =>
    judge({ kind: 'deposit' }, { from: { ...cash, ...from }, to: { ...account, ...to } })
  assert.equal(deposit({}, { balance: maxBalance - 100n }), undefined)
  assert.equal(deposit({}, { balance: maxBalance - 99n }), 'limit_exceeded')
  assert.equal(deposit({ balance: 100n - maxBalance }, {}), undefined)
  assert.equal(deposit({ balance: 99n - maxBalance }, {}), 'limit_exceeded')
})

test('of the limits of the bank, the owner and the member the lowest holds, and is the one that is told', () => {
  const none = { perPayment: null, day: undefined }
  const perPayment = (limit: bigint) => ({ name: 'perPayment', limit, used: 0n })
  const perDay = (limit: bigint, used: bigint) => ({ name: 'dailyTransfers', limit, used })
  const cases: [
    what: string,
    from: Partial<Account>,
    member: Facts['member'],
    exceeded: ReturnType<typeof findExceeded> | object,
  ][] = [
    ['none', {}, undefined, undefined],
    ['none of a member', {}, none, undefined],
    ['a payment at its limit', { ownPerPayment: 100n }, undefined, undefined],
    ['a payment above it', { ownPerPayment: 99n }, undefined, perPayment(99n)],
    ['a payment of a member', {}, { ...none, perPayment: 99n }, perPayment(99n)],
    ['a member at its limit', {}, { ...none, perPayment: 100n }, undefined],
    ['the lower', { ownPerPayment: 98n }, { ...none, perPayment: 99n }, perPayment(98n)],
    ['the day at its limit', { dailyTransferLimit: 150n }, undefined, undefined],
    ['the day above it', { dailyTransferLimit: 149n }, undefined, perDay(149n, 50n)],
    ['the own day', { ownPerDay: 149n }, undefined, perDay(149n, 50n)],
    ['the own day, lower', { dailyTransferLimit: 149n, ownPerDay: 148n }, none, perDay(148n, 50n)],
    ['that of the bank, lower', { dailyTransferLimit: 9n, ownPerDay: 10n }, none, perDay(9n, 50n)],
    ['another day', { ownPerDay: 100n, spentOn: '2026-01-01' }, undefined, undefined],
    ['the day of a member', {}, { ...none, day: { limit: 119n, used: 20n } }, perDay(119n, 20n)],
    ['a member at its day', {}, { ...none, day: { limit: 120n, used: 20n } }, undefined],
    [
      'the account before the member',
      { ownPerDay: 149n },
      { ...none, day: { limit: 1n, used: 0n } },
      perDay(149n, 50n),
    ],
    [
      'what waited',
      { ownPerPayment: 1n, nextPerPayment: 99n, nextLimitsAt: new Date(now) },
      undefined,
      perPayment(99n),
    ],
  ]
  for (const [what, more, member, exceeded] of cases) {
    const from = { ...account, ...more }
    const movement = { kind: 'transfer', amount: 100n } as MoneyMovement
    assert.deepEqual(findExceeded(movement, { from, day, at: now, member }), exceeded, what)
    assert.equal(judge({}, { from, member }), exceeded ? 'limit_exceeded' : undefined, what)
    const fee = { kind: 'withdrawal', amount: 100n } as MoneyMovement
    assert.equal(findExceeded(fee, { from, day, at: now, member }), undefined, what)
  }
})

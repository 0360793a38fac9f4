// The law of the ledger, one row per refusal, in order of precedence: each row breaks its own check
// and every one after it, so a check that moves up or down is noticed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Code } from '../domain/errors.ts'
import { currencies } from '../domain/money.ts'
import { bankAccount } from './internal-accounts.ts'
import { type Account, decide, type Facts, maxBalance } from './decide.ts'
import type { Kind, Order } from './order.ts'

const day = '2026-01-02'
const caller = { userId: 'ada', sessionId: 's', kid: null, role: 'customer' } as const

const account = (id: string, more: Partial<Account> = {}): Account => ({
  id,
  kind: 'customer',
  ownerId: 'ada',
  currency: 'EUR',
  status: 'active',
  balance: 100n,
  overdraftLimit: 0n,
  dailyTransferLimit: null,
  spentOn: null,
  spentAmount: 0n,
  ...more,
})

const order = (more: Partial<Order> = {}): Order => ({
  kind: 'transfer',
  fromAccountId: 'a',
  toAccountId: 'b',
  amount: 100n,
  currency: 'EUR',
  reference: '',
  caller,
  ...more,
})

type Case = { order?: Partial<Order>; from?: Partial<Account>; to?: Partial<Account> } & Pick<
  Partial<Facts>,
  'original' | 'beneficiary'
>

const judge = ({ order: asked, from, to, original, beneficiary }: Case): Code | undefined => {
  const sides = { from: account('a', from), to: account('b', to) }
  return decide(order(asked), { ...sides, original, beneficiary, day })
}

/** Breaks of an ordinary transfer, the first check first. */
const transferBreaks: readonly [Code, string, Case][] = [
  ['forbidden', 'the source is somebody else’s', { from: { ownerId: 'ben' } }],
  ['forbidden', 'the target is somebody else’s', { to: { ownerId: 'ben' } }],
  ['not_found', 'the target is the bank’s own', { to: { kind: 'cash' } }],
  ['account_closed', 'the source is closed', { from: { status: 'closed' } }],
  ['account_closed', 'the target is closed', { to: { status: 'closed' } }],
  ['account_frozen', 'the source is frozen', { from: { status: 'frozen' } }],
  ['currency_mismatch', 'the source holds another currency', { from: { currency: 'USD' } }],
  ['currency_mismatch', 'the target holds another currency', { to: { currency: 'USD' } }],
  ['invalid_request', 'both are one account', { to: { id: 'a' } }],
  ['insufficient_funds', 'the balance is too low', { from: { balance: 99n } }],
  ['limit_exceeded', 'the daily limit is reached', { from: { dailyTransferLimit: 99n } }],
  ['limit_exceeded', 'the target would overflow', { to: { balance: maxBalance - 99n } }],
]

/** This break with all later ones of other codes; a status or owner is broken once. */
const merged = (cases: readonly Case[]): Case => ({
  from: Object.assign({}, ...cases.map(({ from }) => from).toReversed()) as Partial<Account>,
  to: Object.assign({}, ...cases.map(({ to }) => to).toReversed()) as Partial<Account>,
})

transferBreaks.forEach(([code, what, broken], index) => {
  test(`${code}: ${what}`, () => assert.equal(judge(broken), code))
  test(`${code}: ${what}, whatever else is wrong`, () => {
    const rest = transferBreaks.slice(index).map(([, , each]) => each)
    assert.equal(judge(merged(rest)), code)
  })
})

test('a transfer with nothing wrong may take the last cent', () => {
  assert.equal(judge({}), undefined)
})

test('a frozen account receives', () => {
  assert.equal(judge({ to: { status: 'frozen' } }), undefined)
})

test('the floor is zero less the overdraft limit, to the cent', () => {
  assert.equal(judge({ from: { balance: 60n, overdraftLimit: 40n } }), undefined)
  assert.equal(judge({ from: { balance: 60n, overdraftLimit: 39n } }), 'insufficient_funds')
})

test('the daily limit counts what left that day, and only that day', () => {
  const limited = { dailyTransferLimit: 150n, spentAmount: 50n, spentOn: day }
  assert.equal(judge({ from: limited }), undefined)
  assert.equal(judge({ from: { ...limited, spentAmount: 51n } }), 'limit_exceeded')
  assert.equal(judge({ from: { ...limited, spentAmount: 51n, spentOn: '2026-01-01' } }), undefined)
  assert.equal(judge({ from: { ...limited, dailyTransferLimit: 0n } }), 'limit_exceeded')
})

test('an amount of nothing or less is refused', () => {
  for (const amount of [0n, -1n]) assert.equal(judge({ order: { amount } }), 'invalid_request')
})

test('an account that is not there is forbidden to customers and not found for staff', () => {
  const facts = { from: account('a'), to: undefined, original: undefined, day }
  assert.equal(decide(order(), facts), 'forbidden')
  assert.equal(decide(order(), { ...facts, from: undefined, to: account('b') }), 'forbidden')
  assert.equal(decide(order({ kind: 'deposit' }), facts), 'not_found')
})

test('through a beneficiary, the target may be anybody’s', () => {
  const beneficiaryId = 'x'
  const beneficiary = { accountId: 'a', status: 'active' } as const
  const to = { ownerId: 'ben' }
  assert.equal(judge({ order: { beneficiaryId }, to, beneficiary }), undefined)
  const elsewhere = { name: 'X', iban: 'DE89370400440532013000' }
  const out = { beneficiaryId, counterparty: elsewhere }
  const clearing = { ownerId: null, kind: 'clearing' } as const
  assert.equal(judge({ order: out, to: clearing, beneficiary }), undefined)
  assert.equal(judge({ order: out, to, beneficiary }), 'not_found')
})

test('a beneficiary is paid from its own account alone, and only while it is active', () => {
  const paid = { order: { beneficiaryId: 'x' }, to: { ownerId: 'ben' } }
  const standing = { accountId: 'a', status: 'active' } as const
  const cases: readonly [Facts['beneficiary'], Code][] = [
    [undefined, 'forbidden'],
    [{ ...standing, accountId: 'b' }, 'forbidden'],
    [{ ...standing, accountId: 'b', status: 'deleted' }, 'forbidden'],
    [{ ...standing, status: 'deleted' }, 'not_found'],
    [{ ...standing, status: 'deactivated' }, 'beneficiary_inactive'],
  ]
  for (const [beneficiary, code] of cases) assert.equal(judge({ ...paid, beneficiary }), code)
  const deactivated = { ...standing, status: 'deactivated' } as const
  const frozen = { ...paid, from: { status: 'frozen' }, beneficiary: deactivated } as const
  assert.equal(judge(frozen), 'account_frozen')
  // What came before is settled, returned or reversed whatever has become of the beneficiary since.
  const settled = { order: { ...paid.order, kind: 'settlement' } } as const
  assert.equal(judge({ ...settled, original: original('transfer', 'pending') }), undefined)
})

const cash: Partial<Account> = { kind: 'cash', ownerId: null, balance: 0n }
const staffCases: readonly [string, Case, Code | undefined][] = [
  ['a deposit takes cash below zero', { order: { kind: 'deposit' }, from: cash }, undefined],
  [
    'a deposit is into a customer’s account',
    { order: { kind: 'deposit' }, from: cash, to: cash },
    'not_found',
  ],
  [
    'a deposit reaches a frozen account',
    { order: { kind: 'deposit' }, from: cash, to: { status: 'frozen' } },
    undefined,
  ],
  [
    'cash has an end too',
    { order: { kind: 'deposit' }, from: { ...cash, balance: -maxBalance } },
    'limit_exceeded',
  ],
  [
    'a withdrawal has a floor',
    { order: { kind: 'withdrawal', amount: 101n } },
    'insufficient_funds',
  ],
  [
    'a withdrawal is out of a customer’s account',
    { order: { kind: 'withdrawal' }, from: cash, to: cash },
    'not_found',
  ],
  [
    'a withdrawal does not count as a transfer',
    { order: { kind: 'withdrawal' }, from: { dailyTransferLimit: 0n } },
    undefined,
  ],
  [
    'a withdrawal from a frozen account',
    { order: { kind: 'withdrawal' }, from: { status: 'frozen' } },
    'account_frozen',
  ],
]
for (const [what, judged, expected] of staffCases) {
  test(what, () => assert.equal(judge({ ...judged }), expected))
}

const undoing: readonly [Order['kind'], Facts['original'], Code | undefined][] = [
  ['reversal', original('transfer', 'completed'), undefined],
  ['reversal', original('deposit', 'completed'), undefined],
  ['reversal', original('withdrawal', 'completed'), undefined],
  ['reversal', original('transfer', 'completed', 'r'), 'already_reversed'],
  ['reversal', original('transfer', 'pending'), 'illegal_transition'],
  ['reversal', original('transfer', 'returned', 'r'), 'illegal_transition'],
  ['reversal', original('reversal', 'completed'), 'illegal_transition'],
  ['reversal', original('return', 'completed'), 'illegal_transition'],
  ['return', original('transfer', 'pending'), undefined],
  ['return', original('transfer', 'completed'), 'illegal_transition'],
  ['return', original('transfer', 'returned', 'r'), 'illegal_transition'],
  ['settlement', original('transfer', 'pending'), undefined],
  ['settlement', original('transfer', 'completed'), 'illegal_transition'],
  ['settlement', original('transfer', 'returned', 'r'), 'illegal_transition'],
]

function original(kind: Kind, status: 'completed' | 'pending' | 'returned', by?: string) {
  return { kind, status, reversedBy: by ?? null }
}

for (const [kind, before, expected] of undoing) {
  const state = `${before?.status} ${before?.kind}${before?.reversedBy ? ', reversed' : ''}`
  test(`${kind} of a ${state}: ${expected ?? 'yes'}`, () => {
    assert.equal(judge({ order: { kind }, original: before }), expected)
  })
}

test('every currency has its two accounts, under identifiers that are well formed and differ', () => {
  const ids = currencies.flatMap((currency) => [
    bankAccount('cash', currency),
    bankAccount('clearing', currency),
  ])
  assert.equal(new Set(ids).size, currencies.length * 2)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

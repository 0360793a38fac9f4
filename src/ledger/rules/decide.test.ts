// Every refusal of the table, in order of precedence: each row fails its own check and all later
// ones, so a check that moves up or down fails a test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerAccount } from '../../../test/support/ledger-account.ts'
import type { Code } from '../../domain/errors.ts'
import { currencies } from '../../domain/money.ts'
import {
  bankAccount,
  bankCodes,
  furtherAccount,
  furtherMax,
  isBankAccountId,
  isRightBankId,
} from './internal-accounts.ts'
import {
  type Account,
  decide,
  decideHold,
  decideStep,
  type Facts,
  refuseUnknownSide,
} from './decide.ts'
import { type Hold, maxBalance } from './holds.ts'
import type {
  Kind,
  MovementCaller,
  MovementKind,
  MovementOf,
  PostedMovement,
  ReserveMovement,
  Status,
} from './movement.ts'

const day = '2026-01-02'
const now = Date.UTC(2026, 0, 2, 9)
const caller = { userId: 'ada', sessionId: 's', kid: null, role: 'customer' } as const
const program = { ...caller, userId: 'program', operation: 'cancelTransfer' } as const

const account = (id: string, more: Partial<Account> = {}): Account => ledgerAccount({ id, ...more })

const common = {
  fromAccountId: 'a',
  toAccountId: 'b',
  amount: 100n,
  currency: 'EUR',
  reference: '',
  caller,
} as const
type PartialMovement = { [K in MovementKind]: Partial<MovementOf<K>> }[PostedMovement['kind']]
const movement = (more: PartialMovement = {}): PostedMovement =>
  ({ ...common, kind: 'transfer', ...more }) as PostedMovement

type Case = { movement?: PartialMovement; from?: Partial<Account>; to?: Partial<Account> } & Pick<
  Partial<Facts>,
  'original' | 'beneficiary' | 'hold'
>

const decideCase = (asked: Case): Code | undefined => {
  const { movement: more, from, to, original, beneficiary, hold: about } = asked
  const sides = { from: account('a', from), to: account('b', to) }
  const facts = { ...sides, original, beneficiary, hold: about, at: now, day }
  const made = movement(more)
  const isStep = made.kind === 'sending' || made.kind === 'settlement'
  return isStep ? decideStep(made, facts) : decide(made, facts)
}

/** What makes an ordinary transfer fail, the first check first. */
const transferCases: readonly [Code, string, Case][] = [
  ['forbidden', 'the source belongs to another customer', { from: { ownerId: 'ben' } }],
  ['forbidden', 'the target belongs to another customer', { to: { ownerId: 'ben' } }],
  ['not_found', 'the target is an account of the bank', { to: { kind: 'cash' } }],
  ['not_found', 'the target is the suspense account', { to: { kind: 'suspense' } }],
  ['account_closed', 'the source is closed', { from: { status: 'closed' } }],
  ['account_closed', 'the target is closed', { to: { status: 'closed' } }],
  ['account_frozen', 'the source is frozen', { from: { status: 'frozen' } }],
  ['debits_blocked', 'debits are blocked', { from: { debitsBlockedUntil: new Date(now + 1) } }],
  ['credits_blocked', 'credits are blocked', { to: { creditsBlockedUntil: new Date(now + 1) } }],
  ['currency_mismatch', 'the source holds another currency', { from: { currency: 'USD' } }],
  ['currency_mismatch', 'the target holds another currency', { to: { currency: 'USD' } }],
  ['invalid_request', 'both are one account', { to: { id: 'a' } }],
  ['insufficient_funds', 'the balance is too low', { from: { balance: 99n } }],
  ['limit_exceeded', 'the daily limit is reached', { from: { dailyTransferLimit: 99n } }],
  ['limit_exceeded', 'the target would overflow', { to: { balance: maxBalance - 99n } }],
  ['signature_required', 'two people sign from that amount on', { from: { signaturesFrom: 100n } }],
]

/** This case with all later ones; the first value of a property stands. */
const merged = (cases: readonly Case[]): Case => ({
  from: Object.assign({}, ...cases.map(({ from }) => from).toReversed()) as Partial<Account>,
  to: Object.assign({}, ...cases.map(({ to }) => to).toReversed()) as Partial<Account>,
})

transferCases.forEach(([code, what, failing], index) => {
  test(`${code}: ${what}`, () => assert.equal(decideCase(failing), code))
  test(`${code}: ${what}, with all later checks failing too`, () => {
    const rest = transferCases.slice(index).map(([, , later]) => later)
    assert.equal(decideCase(merged(rest)), code)
  })
})

test('a transfer with nothing wrong may take the last cent', () => {
  assert.equal(decideCase({}), undefined)
})

test('a frozen account receives', () => {
  assert.equal(decideCase({ to: { status: 'frozen' } }), undefined)
})

test('the floor is zero less the overdraft limit, to the cent', () => {
  assert.equal(decideCase({ from: { balance: 60n, overdraftLimit: 40n } }), undefined)
  assert.equal(decideCase({ from: { balance: 60n, overdraftLimit: 39n } }), 'insufficient_funds')
})

test('the daily limit counts what left that day, and only that day', () => {
  const limited = { dailyTransferLimit: 150n, spentAmount: 50n, spentOn: day }
  assert.equal(decideCase({ from: limited }), undefined)
  assert.equal(decideCase({ from: { ...limited, spentAmount: 51n } }), 'limit_exceeded')
  assert.equal(
    decideCase({ from: { ...limited, spentAmount: 51n, spentOn: '2026-01-01' } }),
    undefined,
  )
  assert.equal(decideCase({ from: { ...limited, dailyTransferLimit: 0n } }), 'limit_exceeded')
})

test('an amount of zero or less is refused', () => {
  for (const amount of [0n, -1n])
    assert.equal(decideCase({ movement: { amount } }), 'invalid_request')
})

test('an unknown account is forbidden to customers and not found for staff', () => {
  assert.equal(refuseUnknownSide(movement()), 'forbidden')
  assert.equal(refuseUnknownSide(movement({ kind: 'deposit' })), 'not_found')
})

test('through a beneficiary, the target may belong to any customer', () => {
  const beneficiaryId = 'x'
  const beneficiary = { accountId: 'a', status: 'active' } as const
  const to = { ownerId: 'ben' }
  assert.equal(decideCase({ movement: { beneficiaryId }, to, beneficiary }), undefined)
  const elsewhere = { name: 'X', iban: 'DE89370400440532013000' }
  const out = { beneficiaryId, counterparty: elsewhere }
  const clearing = { ownerId: null, kind: 'clearing' } as const
  assert.equal(decideCase({ movement: out, to: clearing, beneficiary }), undefined)
  assert.equal(decideCase({ movement: out, to, beneficiary }), 'not_found')
})

test('a beneficiary is paid from its own account alone, and only while it is active', () => {
  const paid = { movement: { beneficiaryId: 'x' }, to: { ownerId: 'ben' } }
  const active = { accountId: 'a', status: 'active' } as const
  const cases: readonly [Facts['beneficiary'], Code][] = [
    [undefined, 'forbidden'],
    [{ ...active, accountId: 'b' }, 'forbidden'],
    [{ ...active, accountId: 'b', status: 'deleted' }, 'forbidden'],
    [{ ...active, status: 'deleted' }, 'not_found'],
    [{ ...active, status: 'deactivated' }, 'beneficiary_inactive'],
    [{ ...active, coolsUntil: new Date(now + 1) }, 'beneficiary_cooling'],
  ]
  for (const [beneficiary, code] of cases) assert.equal(decideCase({ ...paid, beneficiary }), code)
  const deactivated = { ...active, status: 'deactivated' } as const
  const frozen = { ...paid, from: { status: 'frozen' }, beneficiary: deactivated } as const
  assert.equal(decideCase(frozen), 'account_frozen')
  // A transfer is settled, returned or reversed in any state of its beneficiary.
  const settled = { movement: { kind: 'settlement' } } as const
  assert.equal(decideCase({ ...settled, original: original('transfer', 'pending') }), undefined)
})

const cash: Partial<Account> = { kind: 'cash', ownerId: null, balance: 0n }
const staffCases: [string, Case, Code | undefined][] = [
  ['a deposit takes cash below zero', { movement: { kind: 'deposit' }, from: cash }, undefined],
  [
    'a deposit is into a customer’s account',
    { movement: { kind: 'deposit' }, from: cash, to: cash },
    'not_found',
  ],
  [
    'a deposit reaches a frozen account',
    { movement: { kind: 'deposit' }, from: cash, to: { status: 'frozen' } },
    undefined,
  ],
  [
    'cash has a lowest balance',
    { movement: { kind: 'deposit' }, from: { ...cash, balance: -maxBalance } },
    'limit_exceeded',
  ],
  [
    'a withdrawal has a floor',
    { movement: { kind: 'withdrawal', amount: 101n } },
    'insufficient_funds',
  ],
  [
    'a withdrawal is out of a customer’s account',
    { movement: { kind: 'withdrawal' }, from: cash, to: cash },
    'not_found',
  ],
  [
    'a withdrawal does not count as a transfer',
    { movement: { kind: 'withdrawal' }, from: { dailyTransferLimit: 0n } },
    undefined,
  ],
  [
    'a withdrawal from a frozen account',
    { movement: { kind: 'withdrawal' }, from: { status: 'frozen' } },
    'account_frozen',
  ],
]
const clearing = { kind: 'clearing', ownerId: null } as const
const suspense = { kind: 'suspense', ownerId: null } as const
const incoming = { kind: 'incoming' } as const
staffCases.push(
  ['money from another bank arrives', { movement: incoming, from: clearing }, undefined],
  [
    'money from another bank reaches a frozen account',
    { movement: incoming, from: clearing, to: { status: 'frozen' } },
    undefined,
  ],
  [
    'money from another bank for a closed account',
    { movement: incoming, from: clearing, to: { status: 'closed' } },
    'account_closed',
  ],
  ['money from another bank out of cash', { movement: incoming, from: cash }, 'not_found'],
  [
    'money from another bank for an account of the bank',
    { movement: incoming, from: clearing, to: cash },
    'not_found',
  ],
  [
    'money from another bank lies in suspense',
    { movement: { ...incoming, suspenseId: 'b' }, from: clearing, to: cash },
    undefined,
  ],
  [
    'money from another bank is sent back out of suspense',
    {
      movement: { kind: 'return' },
      from: suspense,
      to: clearing,
      original: original('incoming', 'completed'),
    },
    undefined,
  ],
  [
    'money is sent back out of suspense to elsewhere than clearing',
    {
      movement: { kind: 'return' },
      from: suspense,
      to: cash,
      original: original('incoming', 'completed'),
    },
    'not_found',
  ],
  [
    'what was refunded lies in suspense, and is not sent back',
    {
      movement: { kind: 'return' },
      from: suspense,
      to: clearing,
      original: original('refund', 'completed'),
    },
    'illegal_transition',
  ],
  [
    'money that was sent back comes back',
    {
      movement: { kind: 'return' },
      from: clearing,
      to: suspense,
      original: original('return', 'sent'),
    },
    undefined,
  ],
  [
    'money for an account of the people behind the caller',
    { movement: { ...incoming, notOf: ['ada'] }, from: clearing },
    'forbidden',
  ],
  [
    'a settlement for an account of the people behind the caller',
    { movement: { kind: 'settlement', notOf: ['ada'] }, original: original('transfer', 'sent') },
    'forbidden',
  ],
  [
    'a payment is cancelled by another customer',
    {
      movement: { kind: 'cancellation' },
      from: clearing,
      to: { ownerId: 'ben' },
      original: original('transfer', 'pending'),
    },
    'forbidden',
  ],
  [
    'a program cancels what its owner has paid',
    {
      movement: { kind: 'cancellation', caller: program },
      from: clearing,
      original: original('transfer', 'pending'),
    },
    'forbidden',
  ],
  [
    'a program cancels what it has paid',
    {
      movement: { kind: 'cancellation', caller: program },
      from: clearing,
      original: { ...original('transfer', 'pending'), callerId: program.userId },
    },
    undefined,
  ],
  [
    'the return of a payment within the bank',
    { movement: { kind: 'return' }, original: original('transfer', 'completed') },
    'illegal_transition',
  ],
)

for (const [kind, from] of [
  ['settlement', {}],
  ['return', clearing],
] as const) {
  const of = (by: MovementCaller, claimedBy: string | null): Case => ({
    movement: { kind, caller: by },
    from,
    original: { ...original('transfer', 'sent'), claimedBy },
  })
  staffCases.push(
    [`the ${kind} by a rail of what another has sent`, of(program, 'other'), 'forbidden'],
    [`the ${kind} by a rail of what it has sent`, of(program, program.userId), undefined],
    [`the ${kind} by a rail of what nobody has sent`, of(program, null), undefined],
    [`the ${kind} by staff of what a rail has sent`, of(caller, 'other'), undefined],
  )
}

const fees = { kind: 'fees', ownerId: null, balance: 0n } as const
staffCases.push(
  ['a fee is taken', { movement: { kind: 'fee' }, to: fees }, undefined],
  [
    'a fee of another person',
    { movement: { kind: 'fee' }, from: { ownerId: 'ben' }, to: fees },
    undefined,
  ],
  ['interest is paid', { movement: { kind: 'interest' }, from: fees }, undefined],
  [
    'a correction is between two accounts of the bank',
    {
      movement: { kind: 'correction' },
      from: cash,
      to: fees,
    },
    undefined,
  ],
  ['a correction is between two customers', { movement: { kind: 'correction' } }, 'not_found'],
  [
    'a fee does not fit',
    { movement: { kind: 'fee', amount: 1001n }, to: fees },
    'insufficient_funds',
  ],
  [
    'a fee does not count to the daily limit',
    {
      movement: { kind: 'fee' },
      from: { dailyTransferLimit: 0n },
      to: fees,
    },
    undefined,
  ],
  [
    'interest reaches a frozen account',
    {
      movement: { kind: 'interest' },
      from: fees,
      to: { status: 'frozen' },
    },
    undefined,
  ],
)

const clearingOf = { kind: 'clearing', ownerId: null } as const
const hold: Hold = {
  id: 'h',
  accountId: 'a',
  cardId: null,
  kind: 'authorization',
  currency: 'EUR',
  reference: '',
  callerId: 'rail',
  createdAt: new Date(now - 1),
  amount: 80n,
  captured: 20n,
  remaining: 60n,
  status: 'active',
  expiresAt: new Date(now + 1),
  endedAt: null,
}
const capture = {
  kind: 'capture',
  amount: 60n,
  hold: { step: 'capture', id: 'h', isFinal: false },
} as const
const held = { from: { held: 60n }, to: clearingOf, hold }
const other = { ...caller, operation: 'captureHold' }
staffCases.push(
  ['what is held leaves by no transfer', { from: { held: 1n } }, 'insufficient_funds'],
  ['what is not held leaves', { movement: { amount: 40n }, from: { held: 60n } }, undefined],
  ['a hold is captured', { ...held, movement: capture }, undefined],
  ['no hold is captured', { ...held, movement: capture, hold: undefined }, 'not_found'],
  [
    'a hold of another account is captured',
    { ...held, movement: capture, hold: { ...hold, accountId: 'c' } },
    'not_found',
  ],
  ['a hold is captured for a customer', { from: held.from, hold, movement: capture }, 'not_found'],
  [
    'a program captures the hold of another',
    { ...held, movement: { ...capture, caller: other } },
    'forbidden',
  ],
  ['more than remains', { ...held, movement: { ...capture, amount: 61n } }, 'limit_exceeded'],
  [
    'a hold in the millisecond of its end',
    { ...held, movement: capture, hold: { ...hold, expiresAt: new Date(now) } },
    'illegal_transition',
  ],
  [
    'a hold that was released',
    { ...held, movement: capture, hold: { ...hold, status: 'released', remaining: 0n } },
    'illegal_transition',
  ],
  [
    'a hold of a frozen account is captured',
    { ...held, from: { held: 60n, status: 'frozen' }, movement: capture },
    'account_frozen',
  ],
  [
    'a capture does not count to the daily limit',
    { ...held, from: { held: 60n, dailyTransferLimit: 0n }, movement: capture },
    undefined,
  ],
)

/** A movement about a hold names its account on both sides. */
const decideOnHold = (
  terms: ReserveMovement['hold'],
  more: { movement?: Partial<ReserveMovement>; from?: Partial<Account>; hold?: Partial<Hold> } = {},
): Code | undefined => {
  const from = account('a', { held: 60n, ...more.from })
  const about = terms.step === 'place' ? undefined : { ...hold, ...more.hold }
  const amount = terms.step === 'place' ? 40n : 0n
  const made = { ...common, kind: 'hold', amount, hold: terms, ...more.movement } as const
  return decideHold(made, { from, to: from, at: now, day, hold: about })
}

test('a hold is placed within what is available, and on a frozen account for a court alone', () => {
  const place = { step: 'place', kind: 'authorization', cardId: null, expiresAt: null } as const
  const seizure = { ...place, kind: 'seizure' } as const
  assert.equal(decideOnHold(place), undefined)
  assert.equal(decideOnHold(place, { movement: { amount: 41n } }), 'insufficient_funds')
  assert.equal(decideOnHold(place, { from: { overdraftLimit: 1n } }), undefined)
  assert.equal(decideOnHold(place, { from: { status: 'frozen' } }), 'account_frozen')
  assert.equal(decideOnHold(seizure, { from: { status: 'frozen' } }), undefined)
  const blocked = { from: { debitsBlockedUntil: new Date(now + 1) } }
  assert.equal(decideOnHold(place, blocked), 'debits_blocked')
  assert.equal(decideOnHold(seizure, blocked), undefined)
  assert.equal(decideOnHold(place, { from: { debitsBlockedUntil: new Date(now) } }), undefined)
  assert.equal(decideOnHold(seizure, { from: { status: 'closed' } }), 'not_found')
  assert.equal(decideOnHold(seizure, { from: { kind: 'clearing' } }), 'not_found')
  assert.equal(decideOnHold(place, { movement: { currency: 'USD' } }), 'currency_mismatch')
})

test('a hold is changed while it is active: above what was captured, within what is available', () => {
  const change = (amount: bigint) => ({ step: 'change', id: 'h', amount }) as const
  const frozen = { from: { status: 'frozen' } } as const
  assert.equal(decideOnHold(change(120n)), undefined)
  assert.equal(decideOnHold(change(121n)), 'insufficient_funds')
  assert.equal(decideOnHold(change(21n)), undefined)
  assert.equal(decideOnHold(change(20n)), 'limit_exceeded')
  assert.equal(decideOnHold(change(81n), frozen), 'account_frozen')
  assert.equal(decideOnHold(change(79n), frozen), undefined)
  const blocked = { from: { debitsBlockedUntil: new Date(now + 1) } }
  assert.equal(decideOnHold(change(81n), blocked), 'debits_blocked')
  assert.equal(decideOnHold(change(79n), blocked), undefined)
  assert.equal(decideOnHold({ step: 'release', id: 'h' }, frozen), undefined)
  const over = { hold: { expiresAt: new Date(now) } }
  assert.equal(decideOnHold(change(79n), over), 'illegal_transition')
  assert.equal(decideOnHold({ step: 'release', id: 'h' }, over), 'illegal_transition')
  const program = { movement: { caller: { ...caller, operation: 'releaseHold' } } }
  assert.equal(decideOnHold({ step: 'release', id: 'h' }, program), 'forbidden')
})

for (const [what, staffCase, expected] of staffCases) {
  test(what, () => assert.equal(decideCase(staffCase), expected))
}

const followUps: readonly [PostedMovement['kind'], Facts['original'], Code | undefined][] = [
  ['reversal', original('transfer', 'completed'), undefined],
  ['reversal', original('deposit', 'completed'), undefined],
  ['reversal', original('withdrawal', 'completed'), undefined],
  ['reversal', original('transfer', 'completed', 'r'), 'already_reversed'],
  ['reversal', original('transfer', 'pending'), 'illegal_transition'],
  ['reversal', original('transfer', 'returned', 'r'), 'illegal_transition'],
  ['reversal', original('reversal', 'completed'), 'illegal_transition'],
  ['reversal', original('return', 'completed'), 'illegal_transition'],
  ['reversal', original('cancellation', 'completed'), 'illegal_transition'],
  ['reversal', original('incoming', 'completed'), undefined],
  ['reversal', original('fee', 'completed'), undefined],
  ['reversal', original('interest', 'completed', 'r'), 'already_reversed'],
  ['return', original('correction', 'completed'), 'illegal_transition'],
  ['return', original('transfer', 'pending'), undefined],
  ['return', original('transfer', 'sent'), undefined],
  ['return', original('transfer', 'completed'), undefined],
  ['return', original('transfer', 'completed', 'r'), 'already_reversed'],
  ['return', original('transfer', 'returned', 'r'), 'illegal_transition'],
  ['return', original('transfer', 'cancelled', 'r'), 'illegal_transition'],
  ['return', original('incoming', 'completed'), 'illegal_transition'],
  ['return', undefined, 'illegal_transition'],
  ['cancellation', original('transfer', 'pending'), undefined],
  ['cancellation', original('transfer', 'sent'), 'illegal_transition'],
  ['cancellation', original('transfer', 'completed'), 'illegal_transition'],
  ['cancellation', original('transfer', 'cancelled', 'r'), 'illegal_transition'],
  ['cancellation', original('transfer', 'returned', 'r'), 'illegal_transition'],
  ['sending', original('transfer', 'pending'), undefined],
  ['sending', original('transfer', 'sent'), 'illegal_transition'],
  ['sending', original('transfer', 'cancelled', 'r'), 'illegal_transition'],
  ['sending', original('transfer', 'completed'), 'illegal_transition'],
  ['settlement', original('transfer', 'pending'), undefined],
  ['settlement', original('transfer', 'sent'), undefined],
  ['settlement', original('transfer', 'cancelled', 'r'), 'illegal_transition'],
  ['settlement', original('transfer', 'completed'), 'illegal_transition'],
  ['settlement', original('transfer', 'returned', 'r'), 'illegal_transition'],
]

function original(kind: Kind, status: Status, by?: string, isErased = false) {
  const common = { callerId: 'ada', claimedBy: null, toAccountId: 'a' }
  return { ...common, kind, status, reversedBy: by ?? null, isErased }
}

test('a transfer whose texts are erased is not reversed, and still comes back from another bank', () => {
  const erased = original('transfer', 'completed', undefined, true)
  const from = { kind: 'clearing', ownerId: null } as const
  const judge = (kind: Kind) => decideCase({ movement: { kind }, from, original: erased })
  assert.deepEqual([judge('reversal'), judge('return')], ['illegal_transition', undefined])
})

for (const [kind, before, expected] of followUps) {
  const state = `${before?.status} ${before?.kind}${before?.reversedBy ? ', reversed' : ''}`
  test(`${kind} of a ${state}: ${expected ?? 'yes'}`, () => {
    // What comes back from another bank comes out of clearing.
    const isFromClearing = kind === 'return' || kind === 'cancellation'
    const from = isFromClearing ? ({ kind: 'clearing', ownerId: null } as const) : {}
    assert.equal(decideCase({ movement: { kind }, from, original: before }), expected)
  })
}

test('the accounts of the bank have different, well-formed identifiers, which their kind proves', () => {
  const ids = currencies.flatMap((currency) => [
    ...bankCodes.map((code) => bankAccount(code, currency)),
    ...Array.from({ length: furtherMax }, (_, number) => furtherAccount(number, currency)),
  ])
  assert.equal(new Set(ids).size, currencies.length * (bankCodes.length + furtherMax))
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.ok(isBankAccountId(id))
    const kinds = [...bankCodes, 'further'].filter((kind) => isRightBankId(id, kind, 'EUR'))
    assert.equal(kinds.length, id.endsWith(Buffer.from('EUR').toString('hex')) ? 1 : 0)
  }
  const beyond = furtherAccount(furtherMax, 'EUR')
  assert.equal(isRightBankId(beyond, 'further', 'EUR'), false)
  assert.equal(isRightBankId(bankAccount('cash', 'EUR'), 'customer', 'EUR'), false)
})

// Whether a payment is the one that was signed: each term of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOfDraft } from './signatures.ts'

const draft = {
  accountId: 'from',
  beneficiaryId: null,
  toAccountId: 'to',
  amount: 100n,
  reference: 'Rent',
} as const
const movement = { fromAccountId: 'from', toAccountId: 'to', amount: 100n, reference: 'Rent' }
const payee = { ...draft, toAccountId: null, beneficiaryId: 'payee' }
const toPayee = { ...movement, toAccountId: 'clearing', beneficiaryId: 'payee' }

const of = (signed: object, paid: typeof movement): boolean =>
  isOfDraft(signed as Parameters<typeof isOfDraft>[0], paid)

test('a payment has every term of its draft, or is another one', () => {
  assert.ok(of(draft, movement))
  assert.ok(of(payee, toPayee), 'the account of a payee is found when it is paid')
  const others = {
    fromAccountId: 'other',
    toAccountId: 'other',
    beneficiaryId: 'other',
    amount: 101n,
    reference: '',
  } satisfies Record<keyof typeof toPayee, string | bigint>
  for (const [term, other] of Object.entries(others)) {
    assert.ok(!of(draft, { ...movement, [term]: other }), term)
    if (term !== 'toAccountId') assert.ok(!of(payee, { ...toPayee, [term]: other }), term)
  }
  const { beneficiaryId: _, ...plain } = toPayee
  assert.ok(!of(payee, plain), 'without its payee')
})

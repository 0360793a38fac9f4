// Where the money of a transfer goes, for each payee that a body may name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../database/statements/statement.ts'
import { Refusal } from '../../domain/errors.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { findDestination, readPayee, toDestination } from './destination.ts'

const refusalOf = (code: string, message?: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof Refusal)
  assert.deepEqual([thrown.code, thrown.options.details?.[0]?.message], [code, message])
  return true
}

test('a body names one payee, and not the account that pays', () => {
  assert.deepEqual(readPayee('a', { toAccountId: 'b' }), { toAccountId: 'b' })
  assert.deepEqual(readPayee('a', { beneficiaryId: 'b' }), { beneficiaryId: 'b' })
  for (const [payee, message] of [
    [{}, 'is missing, or beneficiaryId is'],
    [{ toAccountId: 'a' }, 'is the same account'],
    [{ toAccountId: 'b', beneficiaryId: 'c' }, 'cannot be beside beneficiaryId'],
  ] as const) {
    assert.throws(() => readPayee('a', payee), refusalOf('invalid_request', message))
  }
})

const banks = [{ country: 'DE', prefix: '37040044' }]
const [ownIban, otherIban] = ['DE89370400440532013000', 'DE02120300000000202051']
const clearing = bankAccount('clearing', 'EUR')

test('a beneficiary is paid at this bank by its account, elsewhere by clearing, and not where it has none', () => {
  const named = { name: 'Ben', iban: ownIban }
  const target = { beneficiaryId: 'b', ...named }
  assert.deepEqual(toDestination({ ...target, targetId: 't' }, 'EUR', banks), {
    toAccountId: 't',
    beneficiaryId: 'b',
    counterparty: { name: 'Ben', iban: null },
    named,
  })
  assert.equal(toDestination({ ...target, targetId: null }, 'EUR', banks), undefined)
  const other = { name: 'Ben', iban: otherIban }
  assert.deepEqual(toDestination({ ...target, ...other, targetId: null }, 'EUR', banks), {
    toAccountId: clearing,
    beneficiaryId: 'b',
    counterparty: other,
    named: other,
  })
})

test('a payee is looked up where it is a beneficiary, which may be gone or without an account', async () => {
  const dbOf = (iban?: string): Db =>
    ({
      run: async () => (iban === undefined ? [] : [{ name: 'Ben', iban, targetId: null }]),
    }) as unknown as Db
  const body = { fromAccountId: 'a', currency: 'EUR' } as const
  const find = (db: Db, payee: { toAccountId?: string; beneficiaryId?: string }) =>
    findDestination(db, { ...body, ...payee }, banks)
  assert.deepEqual(await find(dbOf(), { toAccountId: 'b' }), { toAccountId: 'b' })
  assert.equal(await find(dbOf(), { beneficiaryId: 'b' }), undefined)
  assert.equal((await find(dbOf(otherIban), { beneficiaryId: 'b' }))?.toAccountId, clearing)
  await assert.rejects(find(dbOf(ownIban), { beneficiaryId: 'b' }), refusalOf('account_closed'))
})

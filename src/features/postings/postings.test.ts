// What the bank books: fees, interest and corrections.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSound,
  many,
  openAccount,
  readBalance,
  scene,
  tally,
} from '../../../test/support/fixture.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { bankAccount } from '../../ledger/internal-accounts.ts'

const path = '/api/v1/admin/postings'
const money = { amount: '2.50', currency: 'EUR' } as const
const feeOf = (fromAccountId: string, more: object = {}) => ({
  fromAccountId,
  toCode: 'fees',
  ...money,
  kind: 'fee',
  reason: 'Account fee January',
  ...more,
})
const interestOf = (toAccountId: string, more: object = {}) => ({
  fromCode: 'interest',
  toAccountId,
  ...money,
  kind: 'interest',
  reason: 'Interest January',
  ...more,
})

test('the holder reads a fee and interest with their reason, in the history and in a statement', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const fee = await root.post(path, feeOf(from))
  assert.equal(fee.status, 201, fee.text)
  assert.equal(fee.headers['location'], `/api/v1/transfers/${fee.body.id}`)
  assert.equal((await root.post(path, interestOf(from, { amount: '1.25' }))).status, 201)
  const between = { fromCode: 'fees', toCode: 'suspense', ...money, kind: 'correction' }
  assert.equal((await root.post(path, { ...between, reason: 'Wrong account' })).status, 201)
  assert.equal(await readBalance(ada, from), '98.75')
  const { items } = (await ada.get(`/api/v1/accounts/${from}/transactions?limit=2`)).body
  assert.deepEqual(
    items.map(({ kind, amount, reference, counterparty }: Record<string, unknown>) => ({
      kind,
      amount,
      reference,
      counterparty,
    })),
    [
      { kind: 'interest', amount: '1.25', reference: 'Interest January', counterparty: null },
      { kind: 'fee', amount: '-2.50', reference: 'Account fee January', counterparty: null },
    ],
  )
  const camt = await ada.get(`/api/v1/accounts/${from}/statement?format=camt053`)
  const codes = [
    ...camt.text.matchAll(/<Domn><Cd>(\w+)<\/Cd><Fmly><Cd>(\w+)<\/Cd><SubFmlyCd>(\w+)/g),
  ]
  assert.deepEqual(
    codes.map(([, ...code]) => code.join('/')),
    ['PMNT/CNTR/CDPT', 'ACMT/MDOP/CHRG', 'ACMT/MCOP/INTR'],
  )
  const trial = await root.get('/api/v1/admin/trial-balance')
  const [euro] = trial.body.currencies
  const balances = euro.accounts.map(
    ({ code, balance }: Record<string, string>) => `${code} ${balance}`,
  )
  assert.deepEqual(balances, [
    'cash -100.00',
    'clearing 0.00',
    'fees 0.00',
    'interest -1.25',
    'suspense 2.50',
    'opening 0.00',
  ])
  await assertSound(bank)
})

test('a posting is reversed once, like any transfer', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const { id } = (await root.post(path, feeOf(from))).body
  const reverse = () => root.post(`/api/v1/admin/transfers/${id}/reversal`, { reason: 'Waived' })
  assert.equal((await reverse()).status, 201)
  assert.equal((await reverse()).body.code, 'already_reversed')
  assert.equal(await readBalance(ada, from), '100.00')
  assert.equal((await root.get('/api/v1/admin/bank-accounts/fees/EUR')).body.balance, '0.00')
  await assertSound(bank)
})

test('a posting with two customers, without a side or with one named twice is 400', async (t) => {
  const { root, from, to } = await scene(t)
  const bad: object[] = [
    feeOf(from, { toCode: undefined, toAccountId: to }),
    feeOf(from, { toCode: undefined }),
    feeOf(from, { fromAccountId: undefined }),
    feeOf(from, { fromCode: 'cash' }),
    feeOf(from, { toAccountId: to }),
    feeOf(from, { fromAccountId: undefined, fromCode: 'fees' }),
    feeOf(from, { kind: 'transfer' }),
    feeOf(from, { amount: '0.00' }),
    feeOf(from, { amount: '-1.00' }),
    feeOf(from, { amount: '1.001' }),
    feeOf(from, { reason: '' }),
    feeOf(from, { externalId: '' }),
    feeOf(from, { externalId: 'x'.repeat(141) }),
    feeOf(from, { externalId: 'é' }),
  ]
  for (const body of bad) {
    const reply = await root.post(path, body)
    assert.equal(reply.status, 400, JSON.stringify(body))
  }
  for (const body of [
    feeOf(bankAccount('cash', 'EUR')),
    feeOf(from, { toCode: 'nostro' }),
    feeOf('01890a5d-ac96-774b-bcce-b302099a8057'),
  ]) {
    assert.equal((await root.post(path, body)).status, 404, JSON.stringify(body))
  }
})

test('a fee that does not fit, of a frozen or a closed account, is 409; interest reaches a frozen one', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  const refused = async (body: object) => (await root.post(path, body)).body.code
  const externalId = 'fee 1'
  assert.equal(await refused(feeOf(to, { externalId })), 'insufficient_funds')
  // The number is free until something was booked under it.
  assert.equal((await root.post(path, interestOf(to, { externalId }))).status, 201)
  assert.equal(await refused(feeOf(from, { currency: 'JPY', amount: '2' })), 'currency_mismatch')
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Lost' })
  assert.equal(await refused(feeOf(from)), 'account_frozen')
  assert.equal((await root.post(path, interestOf(from))).status, 201)
  const closed = await openAccount(ada)
  assert.equal((await ada.delete(`/api/v1/accounts/${closed}`)).status, 204)
  assert.equal(await refused(interestOf(closed)), 'account_closed')
  await assertSound(bank)
})

test('of fifty postings with one external identifier one is booked, and the others are its answer', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const body = interestOf(from, { externalId: '2026-01-interest-1' })
  const replies = await many(50, () => root.post(path, body))
  assert.deepEqual(tally(replies), { 201: 50 })
  assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1)
  const replayed = replies.filter(({ headers }) => headers['idempotency-replayed'] === 'true')
  assert.equal(replayed.length, 49)
  assert.equal(await readBalance(ada, from), '102.50')
  bank.clock.advance(40 * 24 * 3_600_000)
  const later = await bank.login('root')
  const again = await later.post(path, { ...body, amount: '2.5' })
  assert.deepEqual([again.status, again.body.id], [201, replies[0]?.body.id])
  const other = await later.post(path, { ...body, amount: '2.51' })
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  await assertSound(bank)
})

test('administrators and programs with the grant book; nobody books on an account of their own', async (t) => {
  const bank = await scene(t)
  const { ada, from } = bank
  for (const name of ['ada', 'agnes'] as const) {
    assert.equal((await (await bank.as(name)).post(path, feeOf(from))).status, 403)
  }
  const both = await bank.as('both')
  const own = (await both.post('/api/v1/accounts', { currency: 'EUR' })).body.id as string
  assert.equal((await both.post(path, interestOf(own))).status, 403)
  const program = await newProgram(bank, { operations: ['createPosting'] })
  assert.equal((await program.post(path, feeOf(from))).status, 201)
  const none = await newProgram(bank, { operations: ['getOverview'] })
  assert.equal((await none.post(path, feeOf(from))).status, 403)
  assert.equal(await readBalance(ada, from), '97.50')
})

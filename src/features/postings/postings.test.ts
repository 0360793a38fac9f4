// What the bank books: fees, interest and corrections.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSound,
  many,
  openAccount,
  patiently,
  readBalance,
  scene,
  sceneIn,
  tally,
} from '../../../test/support/fixture.ts'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { clientWith, people, type Reply, world } from '../../../test/support/world.ts'
import { newId } from '../../domain/ids.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

const path = '/api/v1/admin/postings'
const money = { amount: '2.50', currency: 'EUR' } as const
const feeOf = <M extends object>(fromAccountId: string, more = {} as M) => ({
  fromAccountId,
  toCode: 'fees',
  ...money,
  kind: 'fee',
  reason: 'Account fee January',
  ...more,
})
const interestOf = <M extends object>(toAccountId: string, more = {} as M) => ({
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

const batchPath = `${path}/batch`
type Outcome = { externalId: string; transfer?: { id: string }; error?: { code: string } }
const codesOf = (results: Outcome[]) => results.map(({ error }) => error?.code ?? 'done')

test('a thousand postings in one request are booked once each by externalId, with an outcome and an event for each', async (t) => {
  const bank = await scene(t)
  const { ada, from, to } = bank
  const closed = await openAccount(ada)
  assert.equal((await ada.delete(`/api/v1/accounts/${closed}`)).status, 204)
  const engine = await newProgram(bank, { operations: ['createPostingBatch', 'createPosting'] })
  const money = { amount: '0.01' }
  const items = Array.from({ length: 1000 }, (_, index) =>
    interestOf(index % 2 === 0 ? from : to, { ...money, externalId: `interest ${index}` }),
  )
  const bad = {
    10: interestOf(closed, { externalId: 'closed' }),
    11: interestOf(newId(1), { externalId: 'unknown' }),
    12: { ...interestOf(from, { externalId: 'no such code' }), fromCode: 'nostro' },
    13: feeOf(to, { amount: '100.00', externalId: 'too much' }),
    // Twice in one request: with the same terms, and with others.
    14: items[0],
    15: interestOf(from, { amount: '0.02', externalId: 'interest 0' }),
  }
  const expected = [
    'account_closed',
    'not_found',
    'not_found',
    'insufficient_funds',
    'done',
    'idempotency_key_reused',
  ]
  const sent = Object.assign([...items], bad)
  const first = await engine.post(batchPath, { items: sent })
  assert.equal(first.status, 200, first.text)
  const results = first.body.results as Outcome[]
  assert.deepEqual(codesOf(results).slice(10, 16), expected)
  assert.equal(codesOf(results).filter((code) => code === 'done').length, 995)
  assert.deepEqual(
    results.map(({ externalId }) => externalId),
    sent.map(({ externalId }) => externalId),
  )
  assert.equal(results[14]?.transfer?.id, results[0]?.transfer?.id)
  assert.equal(await readBalance(ada, from), '104.97')
  assert.equal(await readBalance(ada, to), '4.97')
  const again = await engine.post(batchPath, { items: sent })
  assert.deepEqual(again.body.results, results, 'the same answers, and nothing is booked')
  const alone = await engine.post(path, items[1] ?? {})
  assert.equal(alone.body.id, results[1]?.transfer?.id, 'also by one posting alone')
  assert.equal(await readBalance(ada, from), '104.97')
  const { rows } = await bank.sql(
    `select count(*)::int as events, count(distinct detail)::int as transfers from audit_events
     where action = 'createPostingBatch' and target in ($1, $2)`,
    [from, to],
  )
  assert.deepEqual(rows, [{ events: 994, transfers: 994 }])
  await assertSound(bank)
})

test('of many postings one of a wrong form refuses all, and nothing is booked', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  const good = interestOf(from, { externalId: 'good' })
  const bad: [object, string][] = [
    [feeOf(from, { externalId: 'a', toCode: undefined }), '/body/items/1/toCode'],
    [
      feeOf(from, { externalId: 'a', toCode: undefined, toAccountId: to }),
      '/body/items/1/toAccountId',
    ],
    [interestOf(from, { externalId: 'a', amount: '1.001' }), '/body/items/1/amount'],
    [interestOf(from, { externalId: 'a', amount: '0.00' }), '/body/items/1/amount'],
    [interestOf(from), '/body/items/1/externalId'],
    [interestOf(from, { externalId: 'x'.repeat(141) }), '/body/items/1/externalId'],
  ]
  for (const [item, place] of bad) {
    const reply = await root.post(batchPath, { items: [good, item] })
    assert.deepEqual([reply.status, reply.body.details?.[0]?.path], [400, place], reply.text)
  }
  for (const items of [[], Array.from({ length: 1001 }, () => good)]) {
    assert.equal((await root.post(batchPath, { items })).status, 400)
  }
  assert.equal(await readBalance(ada, from), '100.00')
})

test('of many postings those on accounts of the people behind the caller are refused', async (t) => {
  const bank = await scene(t)
  const both = await bank.as('both')
  const own = await openAccount(both)
  await bank.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const items = [own, bank.from].map((id) => interestOf(id, { externalId: id }))
  const { body } = await both.post(batchPath, { items })
  assert.deepEqual(codesOf(body.results), ['forbidden', 'done'])
})

test('of fifty equal requests with many postings each posting is booked once, on two instances', async (t) => {
  const bank = await scene(t)
  const { ada, from } = bank
  const engine = await newProgram(bank, { operations: ['createPostingBatch'] })
  const second = clientWith((await bank.another()).send, engine.token)
  const items = Array.from({ length: 20 }, (_, index) =>
    interestOf(from, { amount: '0.10', externalId: `January ${index}` }),
  )
  // A busy machine refuses some of the postings: they may be asked for again under their numbers.
  const isRefused = ({ status, body }: Reply) =>
    status === 503 || codesOf(body.results).includes('unavailable')
  const replies = await many(50, (index) =>
    patiently(() => (index % 2 === 0 ? engine : second).post(batchPath, { items }), isRefused),
  )
  const booked = replies.map(({ body }) => (body.results as Outcome[]).map((r) => r.transfer?.id))
  for (const ids of booked) assert.deepEqual(ids, booked[0])
  assert.ok(booked[0]?.every((id) => id !== undefined))
  assert.equal(await readBalance(ada, from), '102.00')
  await assertSound(bank)
})

test('many postings take one confirmation that tells their number and sums, and none where each takes a second person', async (t) => {
  const bank = await scene(t)
  const { root, from } = bank
  await giveFactor(bank, 'root')
  const items = [
    interestOf(from, { externalId: 'a' }),
    interestOf(from, { amount: '1', externalId: 'b' }),
    { ...interestOf(from, { externalId: 'c' }), toAccountId: undefined, toCode: 'suspense' },
    {
      fromCode: 'interest',
      toCode: 'suspense',
      amount: '30',
      currency: 'JPY',
      kind: 'correction',
      reason: 'Found',
      externalId: 'd',
    },
  ]
  const refused = await root.post(batchPath, { items })
  assert.equal(refused.body.code, 'confirmation_required')
  const { count, total } = refused.body.challenge.terms
  assert.deepEqual([count, total], ['4', '6.00 EUR, 30 JPY'])
  const headers = await confirmAnyway(bank, refused)
  const done = await root.post(batchPath, { items }, { headers })
  assert.deepEqual(codesOf(done.body.results), ['done', 'done', 'done', 'done'])
  const held = await sceneIn(await world(t, { settings: { FOUR_EYES: 'createPosting' } }))
  const posting = interestOf(held.from, { externalId: 'a' })
  assert.equal((await held.root.post(batchPath, { items: [posting] })).status, 403)
  assert.equal((await held.root.post(path, posting)).status, 202)
})

// The bank's own accounts are seen by staff alone, and further ones are bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSound,
  deposit,
  many,
  patiently,
  readPages,
  scene,
  tally,
} from '../../../test/support/fixture.ts'
import { currencies } from '../../domain/money.ts'
import { bankCodes, furtherMax } from '../../ledger/rules/internal-accounts.ts'

const path = '/api/v1/admin/bank-accounts'
const month = '?from=2026-01-01&to=2026-01-31'

test('staff list the accounts of the bank with their balances; nobody else does', async (t) => {
  const bank = await scene(t)
  const { ada, root } = bank
  const agnes = await bank.as('agnes')
  const all = await readPages(agnes, `${path}?limit=7`)
  assert.equal(all.length, currencies.length * bankCodes.length)
  const { body } = await root.get(`${path}?currency=EUR&limit=100`)
  assert.deepEqual(
    body.items.map(({ code, balance }: Record<string, string>) => [code, balance]),
    bankCodes.map((code) => [code, code === 'cash' ? '-100.00' : '0.00']),
  )
  assert.deepEqual((await agnes.get(`${path}/cash/EUR`)).body, body.items[0])
  for (const end of ['', '/cash/EUR', '/cash/EUR/transactions', '/cash/EUR/statement']) {
    assert.equal((await ada.get(`${path}${end}`)).status, 403, end)
  }
  for (const end of ['/cash/XXX', '/Cash/EUR', '/cash']) {
    const { status } = await agnes.get(`${path}${end}`)
    assert.ok(status === 400 || status === 404, end)
  }
  assert.equal((await agnes.get(`${path}/nostro/EUR`)).status, 404)
  const create = { code: 'nostro', currency: 'EUR', name: 'Nostro' }
  assert.equal((await agnes.post(path, create)).status, 403)
})

test('the history and the statement of an account of the bank name no customer, and add up', async (t) => {
  const bank = await scene(t)
  const { root, from } = bank
  await deposit(root, from, '2.50')
  const history = await root.get(`${path}/cash/EUR/transactions?direction=out&minAmount=2`)
  assert.equal(history.status, 200, history.text)
  const amounts = history.body.items.map(({ amount }: { amount: string }) => amount)
  assert.deepEqual(amounts, ['-2.50', '-100.00'])
  for (const { counterparty, reference } of history.body.items) {
    assert.deepEqual([counterparty, reference], [null, 'Paid in'])
  }
  const { body } = await root.get(`${path}/cash/EUR/statement${month}`)
  assert.deepEqual(body.account, { code: 'cash', currency: 'EUR' })
  assert.deepEqual([body.openingBalance, body.closingBalance], ['0.00', '-102.50'])
  assert.equal(body.entries.length, 2)
  const camt = await root.get(`${path}/cash/EUR/statement${month}&format=camt053`)
  assert.match(camt.text, /<Acct><Id><Othr><Id>cash-EUR<\/Id><\/Othr><\/Id><Ccy>EUR<\/Ccy>/)
  assert.match(camt.headers['content-disposition'] ?? '', /"?statement-cash-EUR-2026-01.xml/)
  const csv = await root.get(`${path}/cash/EUR/statement${month}&format=csv`)
  assert.equal(csv.text.trim().split('\r\n').length, 3)
  assert.equal((await root.get(`${path}/cash/EUR/statement${month}&format=pdf`)).status, 200)
  // A customer's routes do not lead there, nor the other way.
  const { rows } = await bank.sql(
    `select id from accounts where code = 'cash' and currency = 'EUR'`,
  )
  const id = String(rows[0]?.['id'])
  assert.equal((await root.get(`/api/v1/accounts/${id}/statement?format=csv`)).status, 404)
})

test('an administrator adds 50 accounts of the bank and no more, each code once a currency', async (t) => {
  const bank = await scene(t)
  const { root } = bank
  const add = (code: string, currency = 'EUR') =>
    root.post(path, { code, currency, name: 'Card scheme' })
  const created = await add('card-scheme')
  assert.equal(created.status, 201, created.text)
  assert.equal(created.headers['location'], `${path}/card-scheme/EUR`)
  assert.deepEqual((await root.get(`${path}/card-scheme/EUR`)).body, created.body)
  for (const code of ['card-scheme', 'cash', 'opening', 'customers', 'total']) {
    assert.equal((await add(code)).body.code, 'already_exists', code)
  }
  for (const code of ['', 'c', 'Cash', 'a b', '1a', 'a'.repeat(31)]) {
    assert.equal((await add(code)).status, 400, code)
  }
  const replies = await many(furtherMax + 10, (index) =>
    patiently(() => add(`nostro-${index}`, index % 2 === 0 ? 'EUR' : 'JPY')),
  )
  assert.deepEqual(tally(replies), { 201: furtherMax - 1, '409 limit_exceeded': 11 })
  const { rows } = await bank.sql(`select count(*)::int as n from accounts where kind = 'further'`)
  assert.deepEqual(rows, [{ n: furtherMax }])
  await assertSound(bank)
})

test('that a payment was sent or settled is no line of the clearing account, and is not counted as one', async (t) => {
  const bank = await scene(t)
  const { root, ada, from } = bank
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  const payee = await ada.post(payees, { name: 'Otto', iban: 'DE89370400440532013000' })
  const about = { fromAccountId: from, beneficiaryId: payee.body.id, currency: 'EUR' }
  const paid = await ada.post('/api/v1/transfers', { ...about, amount: '2.00' })
  const transfer = `/api/v1/admin/transfers/${paid.body.id}`
  for (const step of ['send', 'settle']) {
    const reply = await root.post(`${transfer}/${step}`, { externalId: step })
    assert.equal(reply.status, 200, reply.text)
  }
  const clearing = '/api/v1/admin/bank-accounts/clearing/EUR'
  for (const list of [`${clearing}/transactions`, `${clearing}/transactions?minAmount=0`]) {
    const { items } = (await root.get(list)).body
    assert.deepEqual(
      items.map(({ kind, amount }: Record<string, string>) => `${kind} ${amount}`),
      ['transfer 2.00'],
    )
  }
  const { entries, nextCursor } = (await root.get(`${clearing}/statement?from=2026-01-01`)).body
  assert.deepEqual([entries.length, nextCursor], [1, null])
  assert.equal((await root.get(clearing)).body.entryCount, 1)
  const back = await root.post(`${transfer}/return`, { reasonCode: 'AC04', externalId: 'back' })
  assert.equal(back.status, 200, back.text)
  assert.equal((await root.get(clearing)).body.entryCount, 2)
  await assertSound(bank)
})

// Receipts of single payments, over HTTP, as a library reads them.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { deposit, openAccount } from '../../../test/support/fixture.ts'
import { readPdf } from '../../../test/support/statement-files.ts'
import { type ApiClient, world } from '../../../test/support/world.ts'

const elsewhere = 'DE89370400440532013000'

async function scene(t: TestContext) {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const [from, own] = [await openAccount(ada), await openAccount(ada)]
  const paidIn = await deposit(root, from, '1000.00')
  const path = `/api/v1/accounts/${from}/beneficiaries`
  const payee = (await ada.post(path, { name: 'Vermieter GmbH', iban: elsewhere })).body.id
  const terms = { fromAccountId: from, amount: '1234.50', currency: 'EUR', reference: 'Miete März' }
  await deposit(root, from, '1000.01')
  const pending = (await ada.post('/api/v1/transfers', { ...terms, beneficiaryId: payee })).body
  const made = (await ada.post('/api/v1/transfers', { ...terms, amount: '2', toAccountId: own }))
    .body
  return { bank, ada, root, from, paidIn, pending, made }
}

const ask = (client: ApiClient, id: string, query = '', headers = {}) =>
  client.get(`/api/v1/transfers/${id}/receipt${query}`, { headers })

/** The words of the PDF in the order in which they are read. */
async function textOf(client: ApiClient, id: string): Promise<string> {
  const reply = await ask(client, id, '?format=pdf')
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['content-type'], 'application/pdf')
  assert.equal(reply.headers['content-disposition'], `attachment; filename="receipt-${id}.pdf"`)
  const { texts } = await readPdf(reply.bytes)
  assert.equal(texts.length, 1)
  return texts[0] ?? ''
}

test('a receipt names both sides, amount, reference and time, and says when the payment is on its way', async (t) => {
  const { ada, root, pending, made } = await scene(t)
  const text = await textOf(ada, pending.id)
  for (const part of [
    'Payment receipt',
    '1,234.50 EUR',
    'On its way to another bank. It is not completed yet.',
    'Ada Okafor',
    'Vermieter GmbH',
    'DE89 3704 0044 0532 0130 00',
    'Miete März',
    '2 January 2026',
    pending.id,
  ]) {
    assert.ok(text.includes(part), `${part} in ${text}`)
  }
  const done = await textOf(ada, made.id)
  assert.ok(done.includes('Completed.') && !done.includes('On its way'))
  assert.equal((await root.post(`/api/v1/admin/transfers/${pending.id}/settle`)).status, 200)
  assert.ok((await textOf(ada, pending.id)).includes('Completed.'))
})

test('a receipt is in the language of the customer, also for staff, who read that of cash as well', async (t) => {
  const { ada, root, pending, paidIn } = await scene(t)
  await ada.patch('/api/v1/me', { language: 'de' })
  for (const client of [ada, root]) {
    const text = await textOf(client, pending.id)
    assert.ok(text.includes('Zahlungsbeleg') && text.includes('Noch nicht ausgeführt.'), text)
    assert.ok(text.includes('1.234,50 EUR'), text)
  }
  const cash = await textOf(root, paidIn.id)
  assert.ok(cash.includes('Ada Okafor') && cash.includes('1.000,00 EUR'), cash)
})

test('nobody reads the receipt of a payment of others, and as JSON it is the transfer', async (t) => {
  const { bank, ada, pending, paidIn } = await scene(t)
  const ben = await bank.as('ben')
  for (const query of ['', '?format=pdf']) {
    assert.equal((await ask(ben, pending.id, query)).status, 403)
    assert.equal((await ask(ada, paidIn.id, query)).status, 403)
  }
  const json = await ask(ada, pending.id)
  assert.deepEqual(json.body, (await ada.get(`/api/v1/transfers/${pending.id}`)).body)
  const byAccept = await ask(ada, pending.id, '', { accept: 'application/pdf' })
  assert.equal(byAccept.headers['content-type'], 'application/pdf')
})

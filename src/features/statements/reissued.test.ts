// A statement of a period that is over never changes: it names people as they were called then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, sceneIn } from '../../../test/support/fixture.ts'
import { people, type World, world } from '../../../test/support/world.ts'

const day = 24 * 3_600_000
const january = '?from=2026-01-01&to=2026-01-31'
const formats = ['json', 'csv', 'pdf', 'camt053'] as const

async function advance(bank: World, days: number): Promise<void> {
  bank.clock.advance(days * day)
  // The sessions have expired.
  for (const name of ['ada', 'ben', 'root'] as const) {
    Object.assign(await bank.as(name), await bank.login(name))
  }
}

test('a statement of a closed period is the same bytes in every format after names, states and later entries have changed, and names the holder of its end', async (t) => {
  const bank = await world(t)
  const { ada, root, from, to } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const bens = await openAccount(ben)
  const { iban } = (await ben.get(`/api/v1/accounts/${bens}`)).body
  const addPayee = async (name: string, payee: string) => {
    const path = `/api/v1/accounts/${from}/beneficiaries`
    const made = await ada.post(path, { name, iban: payee, nickname: 'Rent' })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const pay = async (target: object, amount: string) => {
    const body = { fromAccountId: from, amount, currency: 'EUR', reference: `For ${amount}` }
    const paid = await ada.post('/api/v1/transfers', { ...body, ...target })
    assert.equal(paid.status, 201, paid.text)
    return paid.body.id as string
  }
  const payee = await addPayee('Benny', iban)
  const elsewhere = await addPayee('Far Away', 'GB33BUKB20201555555555')
  await pay({ toAccountId: to }, '5.00')
  const reversed = await pay({ beneficiaryId: payee }, '7.00')
  await pay({ beneficiaryId: payee }, '8.00')
  await pay({ beneficiaryId: elsewhere }, '9.00')
  const undoing = await root.post(`/api/v1/admin/transfers/${reversed}/reversal`, {
    reason: 'By mistake',
  })
  assert.equal(undoing.status, 201, undoing.text)
  await advance(bank, 31)

  const read = async (format: string, account: string, period = january) => {
    // Each class of limits counts by the second.
    bank.clock.advance(1000)
    const path = `/api/v1/accounts/${account}/statement${period}&format=${format}`
    const reply = await root.get(path)
    assert.equal(reply.status, 200, reply.text)
    return reply.text
  }
  const readAll = async () => {
    const texts: Record<string, string> = {}
    for (const account of [from, to, bens]) {
      for (const format of formats) texts[`${format} ${account}`] = await read(format, account)
    }
    return texts
  }
  const issued = await readAll()
  assert.match(issued[`camt053 ${from}`] ?? '', /<Ownr><Nm>Ada Okafor<\/Nm>/)
  for (const name of ['Benny', 'Far Away', 'Ada Okafor']) {
    assert.ok(issued[`csv ${from}`]?.includes(name), name)
  }

  for (const [name, familyName] of [
    ['ada', 'Lovelace'],
    ['ben', 'Franklin'],
  ] as const) {
    const renamed = await root.patch(`/api/v1/admin/users/${people[name].id}`, { familyName })
    assert.equal(renamed.status, 200, renamed.text)
  }
  await ada.delete(`/api/v1/beneficiaries/${payee}`)
  await pay({ toAccountId: to }, '1.00')
  const back = { fromAccountId: to, toAccountId: from, amount: '6.00', currency: 'EUR' }
  assert.equal((await ada.post('/api/v1/transfers', back)).status, 201)
  assert.equal((await ada.delete(`/api/v1/accounts/${to}`)).status, 204)
  const frozen = await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Asked' })
  assert.equal(frozen.status, 200)
  await deposit(root, from, '2.00')
  await advance(bank, 40)
  const again = await readAll()
  for (const [name, text] of Object.entries(issued)) assert.equal(again[name], text, name)

  const february = '?from=2026-02-01&to=2026-02-28'
  assert.match(await read('camt053', from, february), /<Ownr><Nm>Ada Lovelace<\/Nm>/)
  assert.match(await read('csv', from, february), /Ada Lovelace/)
  assert.match(await read('csv', bens, january), /Ada Okafor/)
})

test('a history shows the names and IBANs of the day, in every list and entry, whoever is renamed since', async (t) => {
  const bank = await world(t)
  const { ada, root, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const bens = await openAccount(ben)
  const { iban } = (await ben.get(`/api/v1/accounts/${bens}`)).body
  const { iban: adas } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const path = `/api/v1/accounts/${from}/beneficiaries`
  const { id: beneficiaryId } = (await ada.post(path, { name: 'Benny', iban })).body
  const body = { fromAccountId: from, beneficiaryId, amount: '1.00', currency: 'EUR' }
  const paid = (await ada.post('/api/v1/transfers', body)).body
  const change = { givenName: 'Augusta', familyName: 'Lovelace' }
  assert.equal((await root.patch(`/api/v1/admin/users/${people.ada.id}`, change)).status, 200)
  bank.clock.advance(60_000)
  assert.equal((await ada.post('/api/v1/transfers', body)).status, 201)
  const names = async (client: typeof ada, url: string) => {
    const { items } = (await client.get(url)).body
    return items.map(({ counterparty }: { counterparty: object }) => counterparty)
  }
  const [before, after] = [
    { name: 'Ada Okafor', iban: adas },
    { name: 'Augusta Lovelace', iban: adas },
  ]
  const list = `/api/v1/accounts/${bens}/transactions`
  for (const url of [list, '/api/v1/transactions']) {
    assert.deepEqual(await names(ben, url), [after, before], url)
  }
  assert.deepEqual((await ben.get(`${list}/${paid.id}`)).body.counterparty, before)
  assert.deepEqual(await names(ben, `${list}?text=okafor`), [before])
  assert.deepEqual(await names(ben, `${list}?text=LOVE`), [after])
  const benny = { name: 'Benny', iban }
  const own = `/api/v1/accounts/${from}/transactions?kind=transfer`
  assert.deepEqual(await names(ada, own), [benny, benny])
})

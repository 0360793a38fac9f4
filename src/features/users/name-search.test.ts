// People and payments are found by the name as it is stored, and as people type it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, transferBody } from '../../../test/support/fixture.ts'
import { clientWith, password, world } from '../../../test/support/world.ts'

/** Each with other ways to type it. */
const names: readonly (readonly [given: string, family: string, ...typed: string[]])[] = [
  ['İbrahim', 'Yıldız', 'ibrahim', 'IBRAHİM YILDIZ', 'ıbrahım yildiz', 'YILDIZ'],
  ['ΝΊΚΟΣ', 'ΠΑΠΑΔΟΠΟΥΛΟΣ', 'Νίκος', 'νικος παπαδοπουλος', 'παπαδόπουλος', 'νικοσ'],
  ['Anna-Lena', 'Strauß', 'STRAUSS', 'strauẞ', 'anna lena stra', 'ANNA-LENA'],
  ['Zoe\u0308', 'Nu\u0301n\u0303ez', 'zoë', 'ZOE NUNEZ', 'núñez'],
  ['می\u200cخواهم', 'قرش', 'میخواهم'],
]

test('staff find a person by the name as it is stored, in either case and each Unicode form, from each word on', async (t) => {
  const bank = await world(t)
  const [root, agnes] = [await bank.as('root'), await bank.as('agnes')]
  for (const [index, [givenName, familyName, ...typed]] of names.entries()) {
    const username = `person${index}`
    const person = { username, email: `${username}@example.com`, roles: ['customer'], password }
    // First under another name: what is stored follows the change.
    const made = await root.post('/api/v1/admin/users', {
      ...person,
      givenName: 'Former',
      familyName: 'Name',
    })
    const { id } = made.body
    const change = { givenName, familyName }
    assert.equal((await root.patch(`/api/v1/admin/users/${id}`, change)).status, 200)
    const login = await bank.send('POST', '/api/v1/auth/login', { body: { username, password } })
    const own = clientWith(bank.send, login.body.token)
    const account = (await own.post('/api/v1/accounts', { currency: 'EUR' })).body.id
    const stored = `${givenName} ${familyName}`
    const ways = [stored, givenName, familyName, ...typed].flatMap((text) => [
      text,
      text.toUpperCase(),
      text.toLowerCase(),
      text.normalize('NFC'),
      text.normalize('NFD'),
    ])
    for (const text of ways) {
      for (const [path, found] of [
        ['/api/v1/admin/users?name=', id],
        ['/api/v1/admin/users?search=', id],
        ['/api/v1/admin/accounts?holder=', account],
      ]) {
        const { status, body } = await agnes.get(`${path}${encodeURIComponent(text)}`)
        assert.equal(status, 200, text)
        assert.deepEqual(
          body.items.map((item: { id: string }) => item.id),
          [found],
          `${path}${text}`,
        )
      }
    }
  }
  assert.deepEqual((await agnes.get('/api/v1/admin/users?name=Former')).body.items, [])
})

test('a payment is found by its reference and its counterparty in either case and each Unicode form', async (t) => {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const [from, to] = [await openAccount(ada), await openAccount(await bank.as('ben'))]
  await deposit(root, from, '100.00')
  const { iban } = (await root.get(`/api/v1/admin/accounts/${to}`)).body
  for (const [given, family] of names) {
    bank.clock.advance(11_000)
    const name = `${given} ${family}`
    const payee = { name, iban }
    const { body } = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
    const reference = `${family} ${given}`
    const order = { ...transferBody(from, to), toAccountId: undefined, beneficiaryId: body.id }
    const paid = await ada.post('/api/v1/transfers', { ...order, reference })
    assert.equal(paid.status, 201, paid.text)
    await ada.delete(`/api/v1/beneficiaries/${body.id}`)
    for (const text of [name, reference, given, family]) {
      for (const way of [text, text.toUpperCase(), text.normalize('NFC'), text.normalize('NFD')]) {
        const query = `text=${encodeURIComponent(way)}`
        const found = await ada.get(`/api/v1/accounts/${from}/transactions?${query}`)
        const references = found.body.items.map((item: { reference: string }) => item.reference)
        assert.deepEqual(references, [reference], way)
      }
    }
  }
})

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

test('staff find a person by what a caller says, the best first, and nobody else', async (t) => {
  const bank = await world(t)
  const [root, agnes] = [await bank.as('root'), await bank.as('agnes')]
  const add = async (username: string, givenName: string, familyName: string, phone?: string) => {
    bank.clock.advance(1000)
    const email = `${username}@post.example`
    const roles = ['customer']
    const person = { username, email, givenName, familyName, roles, password, phone }
    const made = await root.post('/api/v1/admin/users', person)
    assert.equal(made.status, 201, made.text)
    const login = await bank.send('POST', '/api/v1/auth/login', { body: { username, password } })
    const own = clientWith(bank.send, login.body.token)
    const account = (await own.post('/api/v1/accounts', { currency: 'EUR' })).body
    return { id: made.body.id as string, own, account }
  }
  const mira = await add('mira.h', 'Mira', 'Hoffmann', '+493023125084')
  await add('mhofmann', 'Maria', 'Hofmann')
  await add('lee77', "Anna-Lena O'Neil", 'Lee')
  await add('kim', 'Kim', 'Ng')
  const cards = `/api/v1/accounts/${mira.account.id}/cards`
  const card = (await mira.own.post(cards, {})).body
  const last = card.maskedNumber.slice(-4)
  const settings = `/api/v1/accounts/${mira.account.id}/settings`
  const { registeredPhone: _, ...before } = (await mira.own.get(settings)).body
  const { iban } = (await root.get(`/api/v1/admin/accounts/${mira.account.id}`)).body
  const find = async (q: string, more = '') => {
    const { status, body, text } = await agnes.get(
      `/api/v1/admin/users?q=${encodeURIComponent(q)}${more}`,
    )
    assert.equal(status, 200, `${q}: ${text}`)
    return body.items.map(({ username }: { username: string }) => username)
  }
  for (const [said, found] of [
    ['Hoffmann Mira', ['mira.h']],
    ['hoffmann, mira', ['mira.h']],
    ['Mira Hoffmann', ['mira.h']],
    ['hoff mira', ['mira.h']],
    ['hof', ['mhofmann', 'mira.h']],
    ['mi', ['mira.h']],
    // One letter missing, wrong, too many, swapped: first of all as it was said.
    ['Hoffman', ['mira.h', 'mhofmann']],
    ['Hofmann', ['mhofmann', 'mira.h']],
    ['Hoffmamn', ['mira.h']],
    ['Hofffmann', ['mira.h']],
    ['Hfofmann', ['mhofmann', 'mira.h']],
    ['Hoffmann Mria', ['mhofmann', 'mira.h']],
    // Letters that are doubled or not, in both names.
    ['Mira Hofman', ['mira.h']],
    ['Hofman', ['mhofmann', 'mira.h']],
    ['Hofman Mirra', ['mira.h']],
    ['Leenna', ['lee77']],
    ['Hoffmann Anna', []],
    ['Hxxfmann', []],
    ["o'neil", ['lee77']],
    ['lena anna', ['lee77']],
    ['lea', ['lee77']],
    ['Ng', ['kim']],
    ['N', []],
    ['Ny', []],
    ['030 231 250 84', ['mira.h']],
    ['+49 (0)30/23125084', ['mira.h']],
    ['0049-30-23125084', ['mira.h']],
    ['125084', ['mira.h']],
    ['25084', []],
    ['+43 30 23125084', []],
    [last, ['mira.h']],
    [`hoffmann ${last}`, ['mira.h']],
    [`hofmann ${last}`, ['mira.h']],
    [`lee ${last}`, []],
    [iban.replace(/(.{4})/g, '$1 '), ['mira.h']],
    [`IBAN: ${iban.toLowerCase()}`, ['mira.h']],
    [iban.replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0')), []],
    ['mira.h@post.example', ['mira.h']],
    ['MIRA.H@', ['mira.h']],
    ['mhof', ['mhofmann']],
    ["' & 'a", []],
    ["lee' & (:", ['lee77']],
    [':', []],
    ['-', []],
    ['1', []],
    ['@', []],
  ] as const) {
    assert.deepEqual(await find(said), found, said)
  }
  assert.deepEqual(await find('hofmann', '&status=active&role=customer'), ['mhofmann', 'mira.h'])
  assert.deepEqual(await find('hofmann', '&role=admin'), [])
  const pages: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const at: string = cursor && `&cursor=${cursor}`
    const { body } = await agnes.get(`/api/v1/admin/users?q=hofmann&limit=1${at}`)
    pages.push(...body.items.map(({ username }: { username: string }) => username))
    cursor = body.nextCursor
  }
  assert.deepEqual(pages, ['mhofmann', 'mira.h'])
  for (const [query, status] of [
    ['q=hofmann&name=a', 400],
    ['q=%25', 400],
    ['q=', 400],
  ] as const) {
    assert.equal((await agnes.get(`/api/v1/admin/users?${query}`)).status, status, query)
  }
  assert.equal((await mira.own.get('/api/v1/admin/users?q=ada')).status, 403)

  // A registered number, another name and a card that is gone.
  const registered = { ...before, registeredPhone: '+442079460000' }
  assert.equal((await root.patch(settings, registered)).status, 200)
  assert.deepEqual(await find('020 7946 0000'), ['mira.h'])
  await root.patch(`/api/v1/admin/users/${mira.id}`, { familyName: 'Berg' })
  assert.deepEqual(await find('hoffmann'), ['mhofmann'])
  assert.deepEqual(await find('berk mira'), ['mira.h'])
  const gone = await mira.own.put(`/api/v1/cards/${card.id}`, { status: 'cancelled' })
  assert.equal(gone.status, 200, gone.text)
  assert.deepEqual(await find(last), [])
})

// People and accounts under a number of their caller's, and the people that a program makes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkMailTo, readMails, tokenIn } from '../../../test/support/mailbox.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { people, type World, world } from '../../../test/support/world.ts'

const users = '/api/v1/admin/users'
const made = `${users}/made`
const names = { givenName: 'Clara', familyName: 'Haskil', roles: ['customer'] }
const named = (username: string, more: object = {}) => ({
  ...names,
  username,
  email: `${username}@example.com`,
  ...more,
})
const newPassword = 'twelve blue herons by the weir'
const use = ({ send }: World, token: string) =>
  send('POST', '/api/v1/auth/password-reset/confirm', { body: { token, newPassword } })

test('a number of its caller makes a person or an account once, and finds it', async (t) => {
  const bank = await world(t)
  const operations = ['createUser', 'openAccount', 'listUsers', 'findAccounts', 'listMadeUsers']
  const [one, other] = [
    await newProgram(bank, { operations }),
    await newProgram(bank, { operations }),
  ]
  const [root, agnes] = [await bank.as('root'), await bank.as('agnes')]
  const body = named('clara', { phone: '+442079460000', externalId: 'C-17' })
  const [first, again] = await Promise.all([one.post(users, body), one.post(users, body)])
  assert.deepEqual([first.status, again.status], [201, 201], first.text + again.text)
  assert.equal(first.body.externalId, 'C-17')
  assert.equal(first.text, again.text)
  const replays = [first, again].map(({ headers }) => headers['idempotency-replayed'])
  assert.equal(replays.filter((each) => each === 'true').length, 1)
  bank.clock.advance(1)
  const same = await other.post(users, named('carl', { externalId: 'C-17' }))
  assert.equal(same.status, 201, same.text)
  const { id } = first.body
  const opening = { currency: 'EUR', ownerId: id, externalId: 'A-17' }
  const account = await one.post('/api/v1/accounts', opening)
  assert.equal(account.status, 201, account.text)
  assert.equal(account.body.externalId, 'A-17')
  const repeated = await one.post('/api/v1/accounts', opening)
  assert.deepEqual(
    [repeated.text, repeated.headers['location']],
    [account.text, account.headers['location']],
  )
  const taken = await one.post('/api/v1/accounts', { ...opening, externalId: 'C-17' })
  assert.equal(taken.body.code, 'idempotency_key_reused')
  const idsAt = async (who: Pick<typeof root, 'get'>, path: string) =>
    (await who.get(path)).body.items.map((item: { id: string }) => item.id)
  assert.deepEqual(await idsAt(agnes, `${users}?externalId=C-17`), [same.body.id, id])
  assert.deepEqual(await idsAt(agnes, `${users}?externalId=C-17&username=clara`), [id])
  assert.deepEqual(await idsAt(one, `${users}?externalId=C-17`), [id])
  const accounts = '/api/v1/admin/accounts?externalId=A-17'
  assert.deepEqual(await idsAt(agnes, accounts), [account.body.id])
  assert.deepEqual(await idsAt(one, accounts), [account.body.id])
  assert.deepEqual(await idsAt(other, accounts), [])
  assert.equal(
    (await agnes.get(`/api/v1/admin/accounts/${account.body.id}`)).body.externalId,
    'A-17',
  )
  assert.equal((await agnes.get(`${users}/${id}`)).body.externalId, 'C-17')
  assert.ok(!('externalId' in (await agnes.get(`/api/v1/accounts/${account.body.id}`)).body))
  const withPassword = { ...named('dora'), externalId: 'C-18', password: newPassword }
  const refused = await root.post(users, withPassword)
  assert.deepEqual(refused.body.details[0].path, '/body/password')
})

test('a program makes customers by invitation alone, also where a second person approves', async (t) => {
  const bank = await world(t)
  const held = await bank.another({ settings: { FOUR_EYES: 'createUser' } })
  const program = await newProgram(bank, { operations: ['createUser', 'listMadeUsers'] })
  const wrong = [
    { roles: ['admin'] },
    { roles: ['customer', 'support-agent'] },
    { roles: ['customer'], password: newPassword },
  ]
  for (const more of wrong) {
    for (const voice of [program, program.on(held.send)]) {
      const reply = await voice.post(users, named('eve', more))
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden'], reply.text)
    }
  }
  // As if it had been stored before.
  const waiting = await program.on(held.send).post(users, named('eve'))
  assert.equal(waiting.status, 202, waiting.text)
  const { approvalId } = waiting.body
  const approve = async () =>
    held.send('POST', `/api/v1/admin/approvals/${approvalId}/approve`, {
      token: (await bank.as('both')).token,
    })
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.both.id])
  const swap = (from: string, to: string) =>
    bank.sql(`update approvals set request = replace(request, $2, $3) where id = $1`, [
      approvalId,
      from,
      to,
    ])
  await swap('"customer"', '"admin"')
  assert.equal((await approve()).body.code, 'forbidden')
  await swap('"admin"', '"customer"')
  assert.equal((await approve()).status, 200)
  const { items } = (await program.get(made)).body
  assert.deepEqual(
    items.map(({ username }: { username: string }) => username),
    ['eve'],
  )
})

test('a program sees the people that it has made and no others, and changes none', async (t) => {
  const bank = await world(t)
  const operations = ['createUser', 'listMadeUsers']
  const program = await newProgram(bank, { operations })
  const other = await newProgram(bank, { operations })
  const ids: string[] = []
  for (const name of ['anna', 'berta', 'carla']) {
    const body = named(name, name === 'berta' ? { externalId: 'B' } : {})
    ids.unshift((await program.post(users, body)).body.id)
    bank.clock.advance(1)
  }
  const idsOf = (reply: { body: { items: { id: string }[] } }) =>
    reply.body.items.map(({ id }) => id)
  assert.deepEqual(idsOf(await program.get(made)), ids)
  const page = await program.get(`${made}?limit=2`)
  const rest = await program.get(`${made}?limit=2&cursor=${page.body.nextCursor}`)
  assert.deepEqual([...idsOf(page), ...idsOf(rest)], ids)
  assert.deepEqual(idsOf(await program.get(`${made}?externalId=B`)), [ids[1]])
  assert.deepEqual(idsOf(await other.get(made)), [])
  assert.deepEqual(idsOf(await other.get(`${made}?externalId=B`)), [])
  const refused = [
    await program.get(users),
    await program.get(`${users}/${ids[0]}`),
    await program.patch(`${users}/${ids[0]}`, { givenName: 'X' }),
    await program.post(`${users}/${ids[0]}/password-link`),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 403, 403],
  )
})

test('an invitation of a program ends while the program may invite nobody, unless staff invite again', async (t) => {
  const bank = await world(t)
  const program = await newProgram(bank, { operations: ['createUser'] })
  const invite = async (name: string) => {
    const { body } = await program.post(users, named(name))
    return { id: body.id as string, email: body.email as string }
  }
  const tokens = new Map<string, string>()
  for (const name of ['anna', 'berta', 'carla']) {
    const { email } = await invite(name)
    tokens.set(name, tokenIn(await linkMailTo(bank, email)))
  }
  const tokenOf = (name: string) => tokens.get(name) as string
  assert.equal((await use(bank, tokenOf('anna'))).status, 204)
  const dora = await invite('dora')
  for (const change of [
    { status: 'disabled' },
    { status: 'active', grants: { readAccounts: null, payFrom: [], operations: [] } },
  ]) {
    await program.change(change)
    const check = await bank.send('POST', '/api/v1/auth/password-reset/check', {
      body: { token: tokenOf('berta') },
    })
    assert.equal(check.status, 400)
    assert.equal((await use(bank, tokenOf('berta'))).status, 400)
  }
  const askReset = (email: string) =>
    bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })
  const before = (await readMails(bank)).length
  assert.ok((await askReset('berta@example.com')).status < 300)
  assert.equal((await readMails(bank)).length, before, 'nor is a new link made by the person')
  // Who has a password signs in, and may set another one.
  const login = { username: 'anna', password: newPassword }
  assert.equal((await bank.send('POST', '/api/v1/auth/login', { body: login })).status, 200)
  const root = await bank.as('root')
  assert.equal((await root.post(`${users}/${dora.id}/password-link`)).status, 204)
  assert.equal((await use(bank, tokenIn(await linkMailTo(bank, dora.email)))).status, 204)
  await program.change({ grants: { readAccounts: null, payFrom: [], operations: ['createUser'] } })
  assert.equal((await use(bank, tokenOf('carla'))).status, 204)
})

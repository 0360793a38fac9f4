// A user name has one normalised form, and no other user can have a look-alike of it (CWE-1007).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMails } from '../support/mailbox.ts'
import {
  password,
  people,
  type Reply,
  type ApiClient,
  world,
  type World,
} from '../support/world.ts'
import { alike, canonical, unlike } from './characters.ts'
import { bodyFields } from './fields.ts'

const users = '/api/v1/admin/users'
const stored = `${canonical}@example.com`
const person = {
  username: canonical,
  email: stored,
  givenName: 'Karl',
  familyName: 'Fis',
  roles: ['customer'],
}
const other = { ...person, username: 'another', email: 'another@example.com' }

const logIn = ({ send }: World, username: string, from?: string, secret = password) =>
  send('POST', '/api/v1/auth/login', {
    body: { username, password: secret },
    ...(from !== undefined && { from }),
  })

async function create(root: ApiClient): Promise<string> {
  const reply = await root.post(users, { ...person, password })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id as string
}

/** Staff are told of each new device that they log in on. */
const mailsOfCustomers = async (bank: World) =>
  (await readMails(bank)).filter(({ to }) => to?.[0]?.address !== 'root@example.com')

const toEmails = (name: string): string[] => [
  `${name}@example.com`,
  `${name}＠example.com`,
  `${name}@ＥＸＡＭＰＬＥ.com`,
  `${name}@example․com`,
]

test('every spelling that normalises to a user name is that user, at login, in a search and in a conflict', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const id = await create(root)
  for (const [how, name] of Object.entries(alike)) {
    for (const username of [name, `${name}@example.com`]) {
      const { status, body } = await logIn(bank, username)
      assert.deepEqual([status, body.user?.id, body.user?.username], [200, id, canonical], how)
    }
    const found = await root.get(`${users}?username=${encodeURIComponent(name)}`)
    assert.deepEqual(
      found.body.items.map((each: { id: string }) => each.id),
      [id],
      how,
    )
    const taken = [
      await root.post(users, { ...other, username: name }),
      ...(await Promise.all(toEmails(name).map((email) => root.post(users, { ...other, email })))),
      await root.patch(`${users}/${people.ada.id}`, {
        email: `${name}@example.com`,
      }),
    ]
    for (const { status, body } of taken) {
      assert.deepEqual([status, body.code], [409, 'already_exists'], how)
    }
  }
})

test('a look-alike of a user name is refused with 400, and at login answered like an unknown name', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  await create(root)
  const nobody = await logIn(bank, 'nobody')
  assert.deepEqual([nobody.status, nobody.body.code], [401, 'invalid_credentials'])
  const assertNone = (reply: Reply, path: string, how: string) => {
    assert.deepEqual([reply.status, reply.body.details?.[0]?.path], [400, path], how + reply.text)
  }
  for (const [how, name] of Object.entries(unlike)) {
    assertNone(await root.post(users, { ...other, username: name }), '/body/username', how)
    const query = `username=${encodeURIComponent(name)}`
    assertNone(await root.get(`${users}?${query}`), '/query/username', how)
    const email = `${name}@example.com`
    assertNone(await root.post(users, { ...other, email }), '/body/email', how)
    assertNone(await root.patch(`${users}/${people.ada.id}`, { email }), '/body/email', how)
    const reset = await bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })
    assertNone(reset, '/body/email', how)
    for (const username of [name, email]) {
      const refused = await logIn(bank, username)
      assert.deepEqual([refused.status, refused.text], [401, nobody.text], how)
    }
  }
  assert.deepEqual(await mailsOfCustomers(bank), [])
})

test('an address that a mail program would read as another one is refused on each route that takes one', async (t) => {
  const bank = await world(t)
  const [root, ada] = [await bank.as('root'), await bank.as('ada')]
  const addresses = [
    '=?utf-8?q?mallory=40evil.example?=@example.com',
    'ada@[127.0.0.1]',
    'ada@127.0.0.1',
    'ada@xn--zzzzz999999.example',
    'ada@xn--abc-.example',
    `${'a'.repeat(65)}@example.com`,
  ]
  for (const email of addresses) {
    const body = { email }
    const answers = [
      await root.post(users, { ...other, email }),
      await root.patch(`${users}/${people.ada.id}`, body),
      await bank.send('POST', '/api/v1/auth/password-reset', { body }),
      await ada.post('/api/v1/me/email', { email, currentPassword: password }),
    ]
    for (const { status, body, text } of answers) {
      const [detail] = body.details ?? []
      const wanted = { path: '/body/email', message: 'is not an e-mail address' }
      assert.deepEqual([status, detail], [400, wanted], email + text)
    }
  }
  assert.equal(bodyFields.filter(({ key }) => key === 'email').length, 4)
  assert.deepEqual(await mailsOfCustomers(bank), [])
})

test('failed logins count under the normalised name, and under another for a look-alike', async (t) => {
  const bank = await world(t, { limits: 'default' })
  await create(await bank.as('root'))
  const from = (turn: number) => `127.0.9.${turn}`
  const spellings = Object.values(alike)
  for (const [turn, name] of spellings.slice(0, 5).entries()) {
    const guess = await logIn(bank, name, from(turn + 1), 'a wrong one of some length')
    assert.equal(guess.status, 401, name)
  }
  for (const [turn, name] of [...spellings.slice(5), canonical].entries()) {
    assert.equal((await logIn(bank, name, from(turn + 20))).status, 429, name)
  }
  const others = [unlike['a Cyrillic a'], unlike['a space at the end'], 'kaffi']
  for (const [turn, name] of others.entries()) {
    assert.equal((await logIn(bank, name as string, from(turn + 40))).status, 401, name)
  }
  // What can be no user name counts under itself, like any other.
  const [none, another] = [unlike['a Cyrillic a'] as string, unlike['a Greek kappa'] as string]
  for (let turn = 0; turn < 4; turn++) await logIn(bank, none, from(turn + 70))
  assert.equal((await logIn(bank, none, from(80))).status, 429)
  assert.equal((await logIn(bank, another, from(81))).status, 401)
  bank.clock.advance(60_000)
  assert.equal((await logIn(bank, spellings.at(-1) as string, from(60))).status, 200)
})

test('a reset link goes to the stored e-mail address, whichever spelling asked for it', async (t) => {
  const bank = await world(t)
  await create(await bank.as('root'))
  const spelt = Object.values(alike).flatMap(toEmails)
  for (const email of spelt) {
    const { status } = await bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })
    assert.equal(status, 202, email)
  }
  const mails = await mailsOfCustomers(bank)
  assert.equal(mails.length, spelt.length)
  for (const { to } of mails)
    assert.deepEqual(
      to?.map(({ address }) => address),
      [stored],
    )
})

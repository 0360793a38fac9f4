// A customer changes the e-mail address. Links to set a password go there, so a thief in a session
// must not be able to move it: it takes the password, the factor and a link in the new mailbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump } from '../../../test/support/database-dump.ts'
import type { Reply } from '../../../test/support/client.ts'
import { confirmAnyway, giveFactor, toChallengeId } from '../../../test/support/confirmations.ts'
import { many, tally } from '../../../test/support/fixture.ts'
import { mailServer, readMails, tokenMailedTo } from '../../../test/support/mailbox.ts'
import { type ApiClient, password, people, world, type World } from '../../../test/support/world.ts'

const path = '/api/v1/me/email'
const person = `/api/v1/admin/users/${people.ada.id}`
const [oldEmail, newEmail] = ['ada@example.com', 'ada@example.org']
const minute = 60_000

const ask = (voice: Pick<ApiClient, 'post'>, email = newEmail, currentPassword = password) =>
  voice.post(path, { email, currentPassword })
const prove = (voice: Pick<ApiClient, 'post'>, token: string) =>
  voice.post(`${path}/proof`, { token })
const emailOf = async ({ sql }: World, id: string = people.ada.id) =>
  (await sql('select email from users where id = $1', [id])).rows[0]?.['email']
const askForReset = (bank: World, email: string) =>
  bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })
const logIn = (bank: World, username: string): Promise<Reply> =>
  bank.send('POST', '/api/v1/auth/login', { body: { username, password } })

/** Recipient and subject of each mail that was not read before. */
function inboxOf(bank: World) {
  let known = 0
  return async (): Promise<string[]> => {
    const all = await readMails(bank)
    const fresh = all.slice(known).map(({ to, subject }) => `${to?.[0]?.address}: ${subject}`)
    known = all.length
    return fresh.toSorted()
  }
}

test('a new address takes the password and the factor, is told to the old one at once, and is used for nothing before its link proves it', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  await giveFactor(bank, 'ada')
  const inbox = inboxOf(bank)
  const wrong = await ask(ada, newEmail, 'not the password')
  assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, '/body/currentPassword'])
  const refused = await ask(ada, 'ADA@example.org')
  const [shown] = (
    await bank.sql('select terms from challenges where id = $1', [toChallengeId(refused)])
  ).rows
  assert.equal((shown?.['terms'] as Record<string, string> | undefined)?.['email'], newEmail)
  assert.deepEqual(await inbox(), [], 'nothing has begun')
  const headers = await confirmAnyway(bank, refused)
  const body = { email: 'ADA@example.org', currentPassword: password }
  const asked = await ada.post(path, body, { headers })
  assert.equal(asked.status, 202, asked.text)
  const next = { email: newEmail, until: '2026-01-02T09:30:00.000Z' }
  assert.deepEqual(asked.body, { email: oldEmail, next })
  assert.deepEqual(await inbox(), [
    `${oldEmail}: Another e-mail address was asked for`,
    `${newEmail}: Prove your e-mail address`,
  ])
  const proof = (await readMails(bank)).find(({ to }) => to?.[0]?.address === newEmail)
  assert.doesNotMatch(proof?.text ?? '', /\bada\b/, 'a stranger learns no user name')
  const token = await tokenMailedTo(bank, newEmail)
  assert.ok(!(await dump(bank)).includes(token), 'the token is stored nowhere')
  assert.deepEqual((await ada.get(path)).body, { email: oldEmail, next })

  assert.equal((await logIn(bank, newEmail)).body.code, 'invalid_credentials')
  await askForReset(bank, newEmail)
  assert.deepEqual(await inbox(), [], 'no link to set a password')
  await askForReset(bank, oldEmail)
  assert.deepEqual(await inbox(), [`${oldEmail}: Set a new password`])

  const ben = await bank.as('ben')
  assert.equal((await prove(ben, token)).body.details[0].path, '/body/token', 'of another person')
  const replies = await many(3, () => prove(ada, token))
  assert.equal(tally(replies)['200'], 1, JSON.stringify(tally(replies)))
  assert.equal(await emailOf(bank), newEmail)
  assert.deepEqual(await inbox(), [
    `${oldEmail}: Your e-mail address was changed`,
    `${newEmail}: This is your e-mail address now`,
  ])
  assert.equal((await ada.get('/api/v1/me')).body.code, 'session_revoked')
  const links = await bank.sql('select from password_tokens')
  assert.equal(links.rows.length, 0, 'the link that was mailed to the old address is void')
  await askForReset(bank, oldEmail)
  assert.deepEqual(await inbox(), [])
  await askForReset(bank, newEmail)
  assert.deepEqual(await inbox(), [`${newEmail}: Set a new password`])
  const details = await bank.sql(
    `select action, actor_id, detail from audit_events where outcome = 'success'
     and action in ('requestEmailChange', 'proveEmail') order by action`,
  )
  assert.deepEqual(
    details.rows.map((row) => [row['action'], row['actor_id'], row['detail']]),
    [
      ['proveEmail', people.ada.id, null],
      ['requestEmailChange', people.ada.id, null],
    ],
    'no address: the trail cannot be erased',
  )
})

test('a link works until a millisecond before its end; a second request ends the first, and three are sent in an hour', async (t) => {
  const settings = { SESSION_IDLE: '2h', TOKEN_TTL: '2h' }
  const bank = await world(t, { settings })
  const ada = await bank.as('ada')
  const tokens: string[] = []
  for (const email of ['one@example.org', 'two@example.org', 'three@example.org']) {
    assert.equal((await ask(ada, email)).status, 202)
    tokens.push(await tokenMailedTo(bank, email))
  }
  assert.equal((await ask(ada, 'four@example.org')).body.code, 'limit_exceeded')
  assert.equal((await ada.get(path)).body.next.email, 'three@example.org')
  for (const token of tokens.slice(0, 2)) assert.equal((await prove(ada, token)).status, 400)
  bank.clock.advance(30 * minute - 1)
  const inTime = await bank.another()
  assert.equal((await ada.get(path)).body.next.email, 'three@example.org')
  bank.clock.advance(1)
  assert.equal((await prove(ada, tokens[2] as string)).status, 400)
  assert.equal((await ada.get(path)).body.next, undefined)
  assert.equal(await emailOf(bank), oldEmail)
  bank.clock.advance(30 * minute)
  assert.equal((await ask(ada, newEmail)).status, 202, 'the hour is over')
  const token = await tokenMailedTo(bank, newEmail)
  bank.clock.advance(30 * minute - 1)
  const asOther = await inTime.send('POST', `${path}/proof`, { token: ada.token, body: { token } })
  assert.equal(asOther.status, 200, asOther.text)
  for (const [body, where] of [
    [{ email: 'x'.repeat(300), currentPassword: password }, '/body/email'],
    [{ email: 'no address', currentPassword: password }, '/body/email'],
  ] as const) {
    const reply = await (await bank.login('ada')).post(path, body)
    assert.deepEqual([reply.status, reply.body.details[0].path], [400, where])
  }
})

test('what ends access ends the request: sessions, a password, a status, another address by staff; a logout does not', async (t) => {
  const settings = { LIMITS: '{"login":{"attempts":"100000/1h"}}' }
  const bank = await world(t, { settings })
  const root = await bank.as('root')
  const clear = () => bank.sql('delete from alert_windows')
  const begin = async () => {
    // At most so many changes in a second.
    bank.clock.advance(2000)
    await clear()
    const asking = await bank.login('ada')
    assert.equal((await ask(asking)).status, 202)
    return { asking, token: await tokenMailedTo(bank, newEmail) }
  }
  const twice = async (voice: ApiClient, changed: string) => {
    const change = { currentPassword: password, newPassword: changed }
    assert.equal((await voice.post('/api/v1/auth/password', change)).status, 204)
    const back = { currentPassword: changed, newPassword: password }
    assert.equal((await voice.post('/api/v1/auth/password', back)).status, 204)
  }
  const ends: Record<string, (asking: ApiClient) => Promise<unknown>> = {
    'the owner revokes the session that asked': async ({ sessionId }) =>
      (await bank.login('ada')).delete(`/api/v1/auth/sessions/${sessionId}`),
    'staff revoke the session that asked': ({ sessionId }) =>
      root.delete(`/api/v1/admin/sessions/${sessionId}`),
    'staff revoke all sessions': () => root.delete(`${person}/sessions`),
    'the password is changed': (asking) => twice(asking, 'seven lean kine and a barn'),
    'the password is reset': async () => {
      await askForReset(bank, oldEmail)
      const token = await tokenMailedTo(bank, oldEmail)
      const body = { token, newPassword: password }
      const reply = await bank.send('POST', '/api/v1/auth/password-reset/confirm', { body })
      assert.equal(reply.status, 204, reply.text)
    },
    'the person is disabled and enabled again': async () => {
      await root.patch(person, { status: 'disabled' })
      await root.patch(person, { status: 'active' })
    },
    'staff set another address': async () => {
      await root.patch(person, { email: 'staff@example.org' })
      await root.patch(person, { email: oldEmail })
    },
    'it is withdrawn': (asking) => asking.delete(`${path}/next`),
  }
  for (const [what, end] of Object.entries(ends)) {
    const { asking, token } = await begin()
    await end(asking)
    const later = await bank.login('ada')
    assert.equal((await later.get(path)).body.next, undefined, what)
    assert.equal((await prove(later, token)).status, 400, what)
    assert.equal(await emailOf(bank), oldEmail, what)
  }
  assert.equal(
    (await (await bank.login('ada')).delete(`${path}/next`)).body.code,
    'illegal_transition',
  )
  const { asking, token } = await begin()
  await asking.post('/api/v1/auth/logout')
  bank.clock.advance(2000)
  const later = await bank.login('ada')
  assert.equal((await prove(later, token)).status, 200)
})

test('an address of another person is answered like any other, and not taken; of two who prove the same one has it', async (t) => {
  const bank = await world(t)
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  const taken = await ask(ada, 'ben@example.com')
  assert.equal(taken.status, 202, taken.text)
  const token = await tokenMailedTo(bank, 'ben@example.com')
  const refused = await prove(ada, token)
  assert.equal(refused.body.code, 'already_exists')
  assert.equal(await emailOf(bank), oldEmail)
  assert.equal((await ada.get(path)).status, 200, 'no session has ended')
  assert.equal((await ask(ada, oldEmail)).body.details[0].path, '/body/email')
  const tokens: string[] = []
  for (const voice of [ada, ben]) {
    assert.equal((await ask(voice, 'both@example.org')).status, 202)
    tokens.push(await tokenMailedTo(bank, 'both@example.org'))
  }
  const replies = await Promise.all(
    [ada, ben].map((voice, index) => prove(voice, tokens[index] as string)),
  )
  assert.deepEqual(tally(replies), { '200': 1, '409 already_exists': 1 })
  assert.equal((await (await bank.as('agnes')).get(path)).status, 403, 'staff ask an administrator')
})

test('a link whose request has ended while its mail waits is not sent; a newer one is, once', async (t) => {
  const server = await mailServer(t)
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'bank@bank.example',
  }
  const bank = await world(t, { settings })
  const ada = await bank.as('ada')
  server.mood = 'refuses 450'
  await ask(ada, 'one@example.org')
  await bank.running.core.outbox.work()
  await ask(ada, 'two@example.org')
  await bank.running.core.outbox.work()
  server.mood = 'well'
  bank.clock.advance(5000)
  await bank.running.core.outbox.work()
  const sent = () => server.taken.map(({ mail }) => String(mail.to?.[0]?.address)).toSorted()
  assert.deepEqual(sent(), [oldEmail, oldEmail, 'two@example.org'])
  server.mood = 'refuses 450'
  await ask(ada, 'three@example.org')
  await bank.running.core.outbox.work()
  assert.equal((await ada.delete(`${path}/next`)).status, 200)
  server.mood = 'well'
  bank.clock.advance(5000)
  await bank.running.core.outbox.work()
  assert.ok(!sent().includes('three@example.org'), String(sent()))
})

test('a person whose address has no mailbox proves another one, and is written to there alone', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  await bank.sql(`update users set email = 'ada@localhost' where id = $1`, [people.ada.id])
  const inbox = inboxOf(bank)
  assert.equal((await ask(ada)).status, 202)
  assert.deepEqual(await inbox(), [`${newEmail}: Prove your e-mail address`])
  const proven = await prove(ada, await tokenMailedTo(bank, newEmail))
  assert.equal(proven.status, 200, proven.text)
  assert.deepEqual(await inbox(), [`${newEmail}: This is your e-mail address now`])
})

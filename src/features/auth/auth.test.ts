import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../../test/support/clock.ts'
import { commonWorld, password, people, world, type World } from '../../../test/support/world.ts'

const logIn = '/api/v1/auth/login'
const sessions = '/api/v1/auth/sessions'
const newPassword = 'a quite different secret'
const minute = 60_000
const hour = 60 * minute

/** The common world an hour later: no limit is in use, and no earlier session is alive. */
async function hourLater(limits: 'default' | 'wide' = 'wide'): Promise<World> {
  const bank = await commonWorld({ limits })
  bank.clock.advance(hour)
  return bank
}

const attempt = (
  { send }: Pick<World, 'send'>,
  secret = 'wrong',
  username = 'ada',
  from?: string,
) => send('POST', logIn, { body: { username, password: secret }, ...(from && { from }) })

const refresh = ({ send }: Pick<World, 'send'>, refreshToken: string) =>
  send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })

test('a login returns a valid token, for user name and e-mail in any spelling', async () => {
  const { send } = await hourLater()
  for (const username of ['ada', 'ADA', 'ａｄａ', 'ada@example.com', 'Ada@Example.COM']) {
    const reply = await send('POST', logIn, { body: { username, password, device: 'Phone' } })
    assert.equal(reply.status, 200, username)
    const { token, tokenType, expiresIn, user } = reply.body
    assert.equal(tokenType, 'Bearer')
    assert.equal(expiresIn, 900)
    assert.deepEqual(user, { id: people.ada.id, username: 'ada', roles: ['customer'] })
    assert.equal((await send('GET', sessions, { token })).status, 200)
  }
})

test('after five failures the sixth attempt is limited, although its password is right', async () => {
  const bank = await hourLater('default')
  for (let turn = 0; turn < 5; turn++) assert.equal((await attempt(bank)).status, 401)
  const limited = await attempt(bank, password)
  assert.equal(limited.status, 429)
  assert.equal(limited.body.code, 'rate_limited')
  assert.equal(limited.headers['retry-after'], '60')
  bank.clock.advance(59_999)
  assert.equal((await attempt(bank, password)).status, 429)
  bank.clock.advance(1)
  assert.equal((await attempt(bank, password)).status, 200)
})

test('a success clears no earlier failure', async () => {
  const bank = await hourLater('default')
  for (let turn = 0; turn < 4; turn++) assert.equal((await attempt(bank)).status, 401)
  assert.equal((await attempt(bank, password)).status, 200)
  assert.equal((await attempt(bank)).status, 401)
  assert.equal((await attempt(bank, password)).status, 429)
})

test('of sixty simultaneous guesses five are judged', async () => {
  const bank = await hourLater('default')
  const replies = await Promise.all(Array.from({ length: 60 }, () => attempt(bank)))
  assert.equal(replies.filter(({ status }) => status === 401).length, 5)
  assert.equal(replies.filter(({ status }) => status === 429).length, 55)
})

test('one address that rotates user names is limited, other addresses are not', async () => {
  const bank = await hourLater('default')
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await attempt(bank, 'wrong', `guess${turn}`)).status, 401)
  }
  assert.equal((await attempt(bank, password)).status, 429)
  assert.equal((await attempt(bank, password, 'ada', '127.0.0.2')).status, 200)
})

test('guesses at one user name from many addresses are limited, known or not; a known device logs in', async () => {
  const bank = await hourLater('default')
  const { send, login } = bank
  const { deviceToken } = (await attempt(bank, password)).body
  for (const username of ['ada', 'nobody']) {
    for (let turn = 0; turn < 5; turn++) {
      const from = `127.${username.length}.1.${turn + 1}`
      assert.equal((await attempt(bank, 'wrong', username, from)).status, 401)
    }
    const from = `127.0.2.${username === 'ada' ? 1 : 2}`
    assert.equal((await attempt(bank, password, username, from)).status, 429, username)
  }
  const from = '127.0.3.1'
  const known = await send('POST', logIn, {
    from,
    body: { username: 'ada', password, deviceToken },
  })
  assert.equal(known.status, 200)
  assert.equal(known.body.deviceToken, deviceToken)
  const stolen = { username: 'ben', password: 'wrong', deviceToken }
  for (let turn = 0; turn < 5; turn++) {
    await send('POST', logIn, { from: `127.0.4.${turn + 1}`, body: stolen })
  }
  const ben = await send('POST', logIn, {
    from: '127.0.5.1',
    body: { username: 'ben', password, deviceToken },
  })
  assert.equal(ben.status, 429, "another user's device token is no device of ben's")
  const plain = await attempt(bank, password, 'ben', '127.0.5.2')
  assert.equal(plain.status, 429, 'they were counted under his name')
  await login('agnes', { from: '127.0.6.1' })
})

test('a logged-out session is refused at once on every instance, other sessions are not', async () => {
  const { login, another } = await hourLater()
  const phone = await login('ada')
  const laptop = await login('ada')
  const second = await another()
  assert.equal((await second.send('GET', sessions, phone)).status, 200)
  const { status, headers } = await phone.post('/api/v1/auth/logout')
  assert.equal(status, 204)
  assert.deepEqual([headers['set-cookie'], headers['clear-site-data']], [undefined, undefined])
  const reply = await second.send('GET', sessions, { token: phone.token })
  assert.equal(reply.status, 401)
  assert.equal(reply.body.code, 'session_revoked')
  assert.equal((await laptop.get(sessions)).status, 200)
})

test('an idle session ends before its token expires, and only accepted requests extend it', async () => {
  const { login, clock } = await hourLater()
  const ada = await login('ada')
  clock.advance(5 * minute - 1)
  assert.equal((await ada.get(sessions)).status, 200)
  clock.advance(5 * minute - 1)
  assert.equal((await ada.get(`${sessions}?limit=0`)).status, 400)
  assert.equal((await ada.get(sessions)).status, 200)
  clock.advance(4 * minute)
  assert.equal((await ada.get(`${sessions}?limit=0`)).status, 400, 'refused: no activity')
  clock.advance(minute)
  const reply = await ada.get(sessions)
  assert.equal(reply.status, 401)
  assert.equal(reply.body.code, 'session_expired')
})

test('a refresh is activity of its session', async () => {
  const bank = await hourLater()
  const ada = await bank.login('ada')
  bank.clock.advance(5 * minute - 1)
  const { token } = (await refresh(bank, ada.refreshToken)).body
  bank.clock.advance(5 * minute - 1)
  assert.equal((await bank.send('GET', sessions, { token })).status, 200)
})

test('a session ends at its maximum age despite constant activity and refreshing', async (t) => {
  const bank = await world(t, {
    settings: { SESSION_MAX: '1h', SESSION_IDLE: '20m', TOKEN_TTL: '15m' },
  })
  const { login, clock, send } = bank
  const ada = await login('ada')
  let { token, refreshToken } = ada
  for (let minutes = 10; minutes < 60; minutes += 10) {
    clock.advance(10 * minute)
    const refreshed = await refresh(bank, refreshToken)
    assert.equal(refreshed.status, 200)
    ;({ token, refreshToken } = refreshed.body)
    assert.equal((await send('GET', sessions, { token })).status, 200)
  }
  clock.advance(10 * minute)
  const reply = await send('GET', sessions, { token })
  assert.equal(reply.body.code, 'session_expired')
  const refreshed = await refresh(bank, refreshToken)
  assert.equal(refreshed.status, 401)
  assert.equal(refreshed.body.code, 'session_expired')
})

test('an access token expires before its session, which goes on after a refresh', async (t) => {
  const bank = await world(t, { settings: { SESSION_IDLE: '1h' } })
  const { login, clock, send } = bank
  const ada = await login('ada')
  clock.advance(15 * minute)
  assert.equal((await ada.get(sessions)).body.code, 'token_expired')
  const { body } = await refresh(bank, ada.refreshToken)
  assert.equal(body.sessionId, ada.sessionId)
  assert.equal((await send('GET', sessions, { token: body.token })).status, 200)
})

test('an end that was seen is stored: an instance with an earlier clock does not revive the session', async () => {
  const { login, clock, sql, another } = await hourLater()
  const ada = await login('ada')
  clock.advance(5 * minute)
  assert.equal((await ada.get(sessions)).status, 401)
  const { rows } = await sql('select ended_because from sessions where id = $1', [ada.sessionId])
  assert.equal(rows[0]?.['ended_because'], 'expired')
  const earlier = await another({ clock: fakeClock(clock.now() - 4 * minute) })
  const { body } = await earlier.send('GET', sessions, { token: ada.token })
  assert.equal(body.code, 'session_expired')
})

test('activity on one instance keeps the session alive on another', async () => {
  const { login, clock, another, running } = await hourLater()
  const second = await another()
  const ada = await login('ada')
  clock.advance(4 * minute)
  assert.equal((await ada.get(sessions)).status, 200)
  await running.edge.flush()
  clock.advance(4 * minute)
  const { token } = ada
  assert.equal((await second.send('GET', sessions, { token })).status, 200)
})

test('a refresh token works once; a later reuse ends its session and no other', async () => {
  const bank = await hourLater()
  const { login, send, clock } = bank
  const ada = await login('ada')
  const other = await login('ada')
  const second = await refresh(bank, ada.refreshToken)
  assert.equal(second.status, 200)
  clock.advance(10_001)
  const reused = await refresh(bank, ada.refreshToken)
  assert.equal(reused.status, 401)
  assert.equal(reused.body.code, 'session_revoked')
  assert.equal((await refresh(bank, second.body.refreshToken)).status, 401)
  assert.equal((await send('GET', sessions, second.body)).status, 401)
  assert.equal((await other.get(sessions)).status, 200)
})

test('a refresh can be repeated for ten seconds, and twenty at once get one successor', async () => {
  const bank = await hourLater()
  const { login, clock } = bank
  const ada = await login('ada')
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => refresh(bank, ada.refreshToken)),
  )
  const successors = new Set(replies.map(({ body }) => body.refreshToken))
  assert.deepEqual([replies.every(({ status }) => status === 200), successors.size], [true, 1])
  clock.advance(10_000)
  const [successor] = successors
  assert.equal((await refresh(bank, ada.refreshToken)).body.refreshToken, successor)
  const third = await refresh(bank, successor)
  assert.equal(third.status, 200)
  const late = await refresh(bank, ada.refreshToken)
  assert.equal(late.status, 401, 'its successor was used: the answer was not lost')
})

test('a revoked session cannot be refreshed', async () => {
  const bank = await hourLater()
  const ada = await bank.login('ada')
  await ada.post('/api/v1/auth/logout')
  const reply = await refresh(bank, ada.refreshToken)
  assert.equal(reply.status, 401)
  assert.equal(reply.body.code, 'session_revoked')
})

test('own sessions are listed, and revoking one leaves the others', async () => {
  const { login, clock } = await hourLater()
  const phone = await login('ada', { body: { device: 'Phone' } })
  clock.advance(1)
  const laptop = await login('ada', { body: { device: 'Laptop' } })
  const ben = await login('ben')
  const { items } = (await phone.get(sessions)).body
  assert.deepEqual(
    items.map(({ device, current }: { device: string; current: boolean }) => [device, current]),
    [
      ['Laptop', false],
      ['Phone', true],
    ],
  )
  const path = `${sessions}/${laptop.sessionId}`
  assert.equal((await ben.delete(path)).status, 403)
  assert.equal((await phone.delete(path)).status, 204)
  assert.equal((await laptop.get(sessions)).status, 401)
  assert.equal((await phone.get(sessions)).body.items.length, 1)
  assert.equal((await phone.delete(path)).status, 404, 'it was her own and has ended')
})

test('a password change needs the current password, ends the other sessions and takes effect at once', async (t) => {
  const bank = await world(t)
  const ada = await bank.login('ada')
  const other = await bank.login('ada')
  const change = (currentPassword: string) =>
    ada.post('/api/v1/auth/password', { currentPassword, newPassword })
  const wrong = await change('not that one at all')
  assert.equal(wrong.status, 400)
  assert.equal(wrong.body.details[0].path, '/body/currentPassword')
  assert.equal((await change(password)).status, 204)
  assert.equal((await ada.get(sessions)).status, 200)
  assert.equal((await other.get(sessions)).body.code, 'session_revoked')
  assert.equal((await attempt(bank, password)).status, 401)
  assert.equal((await attempt(bank, newPassword)).status, 200)
  const both = await Promise.all(
    ['one good secret of a kind', 'another good secret of a kind'].map((next) =>
      ada.post('/api/v1/auth/password', { currentPassword: newPassword, newPassword: next }),
    ),
  )
  const statuses = both.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.deepEqual(statuses, [204, 400], 'of two changes at once one is made')
})

test('stolen sessions of a person allow five password guesses together, from any number of addresses', async (t) => {
  const { login, clock } = await world(t, { limits: 'default' })
  const [ada, second] = [await login('ada'), await login('ada')]
  const change = (currentPassword: string, from: string, session = ada) => {
    clock.advance(250)
    return session.post('/api/v1/auth/password', { currentPassword, newPassword }, { from })
  }
  for (let turn = 0; turn < 5; turn++) {
    const session = turn % 2 ? ada : second
    assert.equal((await change('not that one at all', `127.0.8.${turn + 1}`, session)).status, 400)
  }
  const limited = await change(password, '127.0.8.9')
  assert.equal(limited.status, 429, 'the sixth, although it is right')
  assert.ok(Number(limited.headers['retry-after']) > 50)
  clock.advance(minute)
  assert.equal((await change(password, '127.0.8.9')).status, 204)
  for (let turn = 0; turn < 6; turn++) {
    const reply = await change(newPassword, '127.0.8.9')
    assert.equal(reply.status, 204, 'a right password is not counted')
  }
})

const unfit: [why: string, password: string][] = [
  ['shorter than 12', 'elevenchars'],
  ['longer than 128', 'x1'.repeat(65)],
  ['a common one', '1qaz2wsx3edc'],
  ['a common one with digits and a sign', 'iloveyou2024!'],
  ['a repetition', 'abcabcabcabc'],
  ['one that contains the user name', 'my name is Ada, yes'],
]
test('a new password against the policy is refused by its place, never by its value', async () => {
  const { as } = await hourLater()
  const ada = await as('ada')
  for (const [why, newPassword] of unfit) {
    const reply = await ada.post('/api/v1/auth/password', {
      currentPassword: password,
      newPassword,
    })
    assert.equal(reply.status, 400, why)
    assert.equal(reply.body.details[0].path, '/body/newPassword')
    assert.ok(!reply.text.includes(newPassword))
  }
})

test('a login that is being hashed while the password changes opens no session', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const attempts = () => Array.from({ length: 8 }, () => attempt(bank, password))
  const replies = await Promise.all([
    ...attempts(),
    ada.post('/api/v1/auth/password', { currentPassword: password, newPassword }),
    ...attempts(),
  ])
  assert.equal(replies[8]?.status, 204)
  const failed = replies.map(({ status }) => status).filter((status) => status === 500)
  assert.deepEqual(failed, [], 'a login that came too late is refused as any other')
  const { rows } = await bank.sql('select id from current_sessions where user_id = $1', [
    people.ada.id,
  ])
  assert.deepEqual(
    rows.map(({ id }) => id),
    [ada.sessionId],
    'every session of the old password is gone',
  )
})

test('roles and status are read on each request: a change takes effect on the next', async (t) => {
  const { login, sql } = await world(t)
  const ada = await login('ada')
  await sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  assert.equal((await ada.get(sessions)).body.code, 'session_revoked')
})

test('a session outlives a restart, and so does its revocation', async () => {
  const { login, another } = await hourLater()
  const live = await login('ada')
  const ended = await login('ada')
  await ended.post('/api/v1/auth/logout')
  const restarted = await another()
  assert.equal((await restarted.send('GET', sessions, live)).status, 200)
  assert.equal((await restarted.send('GET', sessions, ended)).status, 401)
})

test('no more than a hundred attempts an hour from one address', async () => {
  const bank = await hourLater('default')
  for (let turn = 0; turn < 100; turn++) {
    assert.equal((await attempt(bank, password)).status, 200)
    bank.clock.advance(1000)
  }
  const limited = await attempt(bank, password)
  assert.equal(limited.status, 429)
  assert.equal(limited.headers['retry-after'], String(hour / 1000 - 100))
  bank.clock.advance(hour - 100_000)
  assert.equal((await attempt(bank, password)).status, 200)
})

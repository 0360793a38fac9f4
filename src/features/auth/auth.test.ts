import assert from 'node:assert/strict'
import { test } from 'node:test'
import { password, people, world } from '../../../test/support/world.ts'

const logIn = '/api/v1/auth/login'
const minute = 60_000
const hour = 60 * minute

test('a login gives a token that opens the gate, for user name and e-mail in any spelling', async (t) => {
  const { send } = await world(t)
  for (const username of ['ada', 'ADA', 'ａｄａ', 'ada@example.com', 'Ada@Example.COM']) {
    const reply = await send('POST', logIn, { body: { username, password, device: 'Phone' } })
    assert.equal(reply.status, 200, username)
    const { token, tokenType, expiresIn, user } = reply.body
    assert.equal(tokenType, 'Bearer')
    assert.equal(expiresIn, 900)
    assert.deepEqual(user, { id: people.ada.id, username: 'ada', roles: ['customer'] })
    assert.equal((await send('GET', '/api/v1/auth/sessions', { token })).status, 200)
  }
})

test('the sixth attempt after five failures waits, though its password is right', async (t) => {
  const { send, clock } = await world(t, { limits: 'default' })
  const attempt = (right: boolean) =>
    send('POST', logIn, { body: { username: 'ada', password: right ? password : 'wrong' } })
  for (let turn = 0; turn < 5; turn++) assert.equal((await attempt(false)).status, 401)
  const limited = await attempt(true)
  assert.equal(limited.status, 429)
  assert.equal(limited.body.code, 'rate_limited')
  assert.equal(limited.headers['retry-after'], '60')
  clock.advance(59_999)
  assert.equal((await attempt(true)).status, 429)
  clock.advance(1)
  assert.equal((await attempt(true)).status, 200)
})

test('a success clears no earlier failure', async (t) => {
  const { send } = await world(t, { limits: 'default' })
  const attempt = (guess: string) =>
    send('POST', logIn, { body: { username: 'ada', password: guess } })
  for (let turn = 0; turn < 4; turn++) assert.equal((await attempt('wrong')).status, 401)
  assert.equal((await attempt(password)).status, 200)
  assert.equal((await attempt('wrong')).status, 401)
  assert.equal((await attempt(password)).status, 429)
})

test('a hundred simultaneous guesses get five tries', async (t) => {
  const { send } = await world(t, { limits: 'default' })
  const replies = await Promise.all(
    Array.from({ length: 60 }, () =>
      send('POST', logIn, { body: { username: 'ada', password: 'wrong' } }),
    ),
  )
  assert.equal(replies.filter(({ status }) => status === 401).length, 5)
  assert.equal(replies.filter(({ status }) => status === 429).length, 55)
})

test('rotating user names from one address is stopped, other addresses are not', async (t) => {
  const { send } = await world(t, { limits: 'default' })
  for (let turn = 0; turn < 5; turn++) {
    const body = { username: `guess${turn}`, password: 'wrong' }
    assert.equal((await send('POST', logIn, { body })).status, 401)
  }
  const body = { username: 'ada', password }
  assert.equal((await send('POST', logIn, { body })).status, 429)
  assert.equal((await send('POST', logIn, { body, from: '127.0.0.2' })).status, 200)
})

test('one user name guessed from many addresses is stopped, known or not; a known device still gets in', async (t) => {
  const { send, login } = await world(t, { limits: 'default' })
  const first = await send('POST', logIn, { body: { username: 'ada', password } })
  const { deviceToken } = first.body
  for (const username of ['ada', 'nobody']) {
    for (let turn = 0; turn < 5; turn++) {
      const from = `127.${username.length}.1.${turn + 1}`
      const reply = await send('POST', logIn, { from, body: { username, password: 'wrong' } })
      assert.equal(reply.status, 401)
    }
    const from = `127.0.2.${username === 'ada' ? 1 : 2}`
    const reply = await send('POST', logIn, { from, body: { username, password } })
    assert.equal(reply.status, 429, username)
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
  await login('agnes', { from: '127.0.6.1' })
})

test('a logged-out session is refused at once on every instance, the other devices are not', async (t) => {
  const { login, another } = await world(t)
  const phone = await login('ada')
  const laptop = await login('ada')
  const second = await another()
  assert.equal((await second.send('GET', '/api/v1/auth/sessions', phone)).status, 200)
  assert.equal((await phone.post('/api/v1/auth/logout')).status, 204)
  for (const send of [second.send]) {
    const reply = await send('GET', '/api/v1/auth/sessions', { token: phone.token })
    assert.equal(reply.status, 401)
    assert.equal(reply.body.code, 'session_revoked')
  }
  assert.equal((await laptop.get('/api/v1/auth/sessions')).status, 200)
})

test('a session ends when idle, whatever its token says, and only accepted requests keep it', async (t) => {
  const { login, clock } = await world(t)
  const ada = await login('ada')
  clock.advance(5 * minute - 1)
  assert.equal((await ada.get('/api/v1/auth/sessions')).status, 200)
  clock.advance(5 * minute - 1)
  assert.equal((await ada.get('/api/v1/auth/sessions?limit=0')).status, 400)
  assert.equal((await ada.get('/api/v1/auth/sessions')).status, 200)
  clock.advance(4 * minute)
  assert.equal((await ada.get('/api/v1/auth/sessions?limit=0')).status, 400, 'refused: no activity')
  clock.advance(minute)
  const reply = await ada.get('/api/v1/auth/sessions')
  assert.equal(reply.status, 401)
  assert.equal(reply.body.code, 'session_expired')
})

test('a session ends at its absolute end under constant activity and refreshing', async (t) => {
  const { login, clock, send } = await world(t, {
    settings: { SESSION_MAX: '1h', SESSION_IDLE: '20m', TOKEN_TTL: '15m' },
  })
  const ada = await login('ada')
  let { token, refreshToken } = ada
  for (let minutes = 10; minutes < 60; minutes += 10) {
    clock.advance(10 * minute)
    const refreshed = await send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
    assert.equal(refreshed.status, 200)
    ;({ token, refreshToken } = refreshed.body)
    assert.equal((await send('GET', '/api/v1/auth/sessions', { token })).status, 200)
  }
  clock.advance(10 * minute)
  const reply = await send('GET', '/api/v1/auth/sessions', { token })
  assert.equal(reply.body.code, 'session_expired')
  const refreshed = await send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  assert.equal(refreshed.status, 401)
  assert.equal(refreshed.body.code, 'session_expired')
})

test('an access token expires on its own, and its session goes on by refreshing', async (t) => {
  const { login, clock, send } = await world(t, { settings: { SESSION_IDLE: '1h' } })
  const ada = await login('ada')
  clock.advance(15 * minute)
  assert.equal((await ada.get('/api/v1/auth/sessions')).body.code, 'token_expired')
  const { body } = await send('POST', '/api/v1/auth/refresh', {
    body: { refreshToken: ada.refreshToken },
  })
  assert.equal(body.sessionId, ada.sessionId)
  assert.equal((await send('GET', '/api/v1/auth/sessions', { token: body.token })).status, 200)
})

test('an end that was seen is written down: no later clock revives the session', async (t) => {
  const { login, clock, sql } = await world(t)
  const ada = await login('ada')
  clock.advance(5 * minute)
  assert.equal((await ada.get('/api/v1/auth/sessions')).status, 401)
  const { rows } = await sql('select ended_because from sessions where id = $1', [ada.sessionId])
  assert.equal(rows[0]?.['ended_because'], 'expired')
  clock.advance(-4 * minute)
  assert.equal((await ada.get('/api/v1/auth/sessions')).body.code, 'session_expired')
})

test('activity on one instance keeps the session alive on another', async (t) => {
  const { login, clock, another, running } = await world(t)
  const second = await another()
  const ada = await login('ada')
  clock.advance(4 * minute)
  assert.equal((await ada.get('/api/v1/auth/sessions')).status, 200)
  await running.service.sessions.flush()
  clock.advance(4 * minute)
  const { token } = ada
  assert.equal((await second.send('GET', '/api/v1/auth/sessions', { token })).status, 200)
})

test('a refresh token works once; used again later it ends its session and no other', async (t) => {
  const { login, send, clock } = await world(t)
  const ada = await login('ada')
  const other = await login('ada')
  const refresh = (refreshToken: string) =>
    send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  const second = await refresh(ada.refreshToken)
  assert.equal(second.status, 200)
  clock.advance(10_001)
  const reused = await refresh(ada.refreshToken)
  assert.equal(reused.status, 401)
  assert.equal(reused.body.code, 'session_revoked')
  assert.equal((await refresh(second.body.refreshToken)).status, 401)
  assert.equal((await send('GET', '/api/v1/auth/sessions', second.body)).status, 401)
  assert.equal((await other.get('/api/v1/auth/sessions')).status, 200)
})

test('a lost refresh answer can be asked for again for ten seconds, and twenty at once get one successor', async (t) => {
  const { login, send, clock } = await world(t)
  const ada = await login('ada')
  const refresh = (refreshToken: string) =>
    send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  const replies = await Promise.all(Array.from({ length: 20 }, () => refresh(ada.refreshToken)))
  const successors = new Set(replies.map(({ body }) => body.refreshToken))
  assert.deepEqual([replies.every(({ status }) => status === 200), successors.size], [true, 1])
  clock.advance(10_000)
  const [successor] = successors
  assert.equal((await refresh(ada.refreshToken)).body.refreshToken, successor)
  const third = await refresh(successor)
  assert.equal(third.status, 200)
  const late = await refresh(ada.refreshToken)
  assert.equal(late.status, 401, 'its successor was used: the answer was not lost')
})

test('a revocation ends refreshing too', async (t) => {
  const { login, send } = await world(t)
  const ada = await login('ada')
  const { refreshToken } = ada
  await ada.post('/api/v1/auth/logout')
  const reply = await send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  assert.equal(reply.status, 401)
  assert.equal(reply.body.code, 'session_revoked')
})

test('own sessions are listed, and revoking one leaves the others', async (t) => {
  const { login, clock } = await world(t)
  const phone = await login('ada', { body: { device: 'Phone' } })
  clock.advance(1)
  const laptop = await login('ada', { body: { device: 'Laptop' } })
  const stranger = await login('ben')
  const { items } = (await phone.get('/api/v1/auth/sessions')).body
  assert.deepEqual(
    items.map(({ device, current }: { device: string; current: boolean }) => [device, current]),
    [
      ['Laptop', false],
      ['Phone', true],
    ],
  )
  const path = `/api/v1/auth/sessions/${laptop.sessionId}`
  assert.equal((await stranger.delete(path)).status, 403)
  assert.equal((await phone.delete(path)).status, 204)
  assert.equal((await laptop.get('/api/v1/auth/sessions')).status, 401)
  assert.equal((await phone.get('/api/v1/auth/sessions')).body.items.length, 1)
  assert.equal((await phone.delete(path)).status, 404, 'it was mine and is gone')
})

test('a password change needs the current one, ends the other sessions and counts at once', async (t) => {
  const { login, send } = await world(t)
  const ada = await login('ada')
  const other = await login('ada')
  const change = (currentPassword: string, newPassword: string) =>
    ada.post('/api/v1/auth/password', { currentPassword, newPassword })
  const wrong = await change('not that one at all', 'a quite different secret')
  assert.equal(wrong.status, 400)
  assert.equal(wrong.body.details[0].path, '/body/currentPassword')
  assert.equal((await change(password, 'a quite different secret')).status, 204)
  assert.equal((await ada.get('/api/v1/auth/sessions')).status, 200)
  assert.equal((await other.get('/api/v1/auth/sessions')).body.code, 'session_revoked')
  const body = { username: 'ada', password }
  assert.equal((await send('POST', logIn, { body })).status, 401)
  const renewed = { username: 'ada', password: 'a quite different secret' }
  assert.equal((await send('POST', logIn, { body: renewed })).status, 200)
})

test('a stolen token guesses the password no faster than a login, from however many addresses', async (t) => {
  const { login, clock } = await world(t, { limits: 'default' })
  const ada = await login('ada')
  const change = (currentPassword: string, from: string) => {
    clock.advance(250)
    return ada.post(
      '/api/v1/auth/password',
      { currentPassword, newPassword: 'a quite different secret' },
      { from },
    )
  }
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await change('not that one at all', `127.0.8.${turn + 1}`)).status, 400)
  }
  const limited = await change(password, '127.0.8.9')
  assert.equal(limited.status, 429, 'the sixth, though it is right')
  assert.ok(Number(limited.headers['retry-after']) > 50)
  clock.advance(minute)
  assert.equal((await change(password, '127.0.8.9')).status, 204)
  for (let turn = 0; turn < 6; turn++) {
    const reply = await change('a quite different secret', '127.0.8.9')
    assert.equal(reply.status, 204, 'what was right is given back')
  }
})

const unfit: [why: string, password: string][] = [
  ['shorter than 12', 'elevenchars'],
  ['longer than 128', 'x1'.repeat(65)],
  ['a common one', '1qaz2wsx3edc'],
  ['a repetition', 'abcabcabcabc'],
  ['one that contains the user name', 'my name is Ada, yes'],
]
test('new passwords follow the policy, told by place and never by value', async (t) => {
  const { as } = await world(t)
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

test('a login that is hashing while the password changes opens no session', async (t) => {
  const { as, send, sql } = await world(t)
  const ada = await as('ada')
  const replies = await Promise.all([
    ...Array.from({ length: 8 }, () =>
      send('POST', logIn, { body: { username: 'ada', password } }),
    ),
    ada.post('/api/v1/auth/password', {
      currentPassword: password,
      newPassword: 'a quite different secret',
    }),
    ...Array.from({ length: 8 }, () =>
      send('POST', logIn, { body: { username: 'ada', password } }),
    ),
  ])
  assert.equal(replies[8]?.status, 204)
  const { rows } = await sql('select id from current_sessions where user_id = $1', [people.ada.id])
  assert.deepEqual(
    rows.map(({ id }) => id),
    [ada.sessionId],
    'every session of the old password is gone',
  )
})

test('roles and status are read on each request: a change bites on the next', async (t) => {
  const { login, sql } = await world(t)
  const ada = await login('ada')
  await sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  assert.equal((await ada.get('/api/v1/auth/sessions')).body.code, 'session_revoked')
})

test('a session outlives a restart, and so does its revocation', async (t) => {
  const { login, another } = await world(t)
  const kept = await login('ada')
  const ended = await login('ada')
  await ended.post('/api/v1/auth/logout')
  const restarted = await another()
  assert.equal((await restarted.send('GET', '/api/v1/auth/sessions', kept)).status, 200)
  assert.equal((await restarted.send('GET', '/api/v1/auth/sessions', ended)).status, 401)
})

test('no more than a hundred attempts an hour from one address', async (t) => {
  const { send, clock } = await world(t, { limits: 'default' })
  const attempt = () => send('POST', logIn, { body: { username: 'ada', password } })
  for (let turn = 0; turn < 100; turn++) {
    assert.equal((await attempt()).status, 200)
    clock.advance(1000)
  }
  const limited = await attempt()
  assert.equal(limited.status, 429)
  assert.equal(limited.headers['retry-after'], String(hour / 1000 - 100))
  clock.advance(hour - 100_000)
  assert.equal((await attempt()).status, 200)
})

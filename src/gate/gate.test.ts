import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hold } from '../../test/support/held.ts'
import { password, people, world } from '../../test/support/world.ts'

const minute = 60_000

test('a session or role revoked while the body is delayed is refused', async (t) => {
  const bank = await world(t)
  const changes: [why: string, revoke: () => Promise<unknown>, status: number][] = [
    ['logout', async () => (await bank.as('root')).post('/api/v1/auth/logout'), 401],
    [
      'a role taken away',
      () => bank.sql(`update users set roles = '{customer}' where id = $1`, [people.root.id]),
      403,
    ],
  ]
  for (const [why, revoke, status] of changes) {
    const { token } = await bank.as('root')
    const { id, ...person } = people.ben
    const body = { ...person, id: undefined, username: 'mole', email: 'mole@example.com' }
    const held = await hold(bank, 'POST', '/api/v1/admin/users', token, body)
    // Once an answer has come, the session of the head that was sent before it has been looked up.
    await (await bank.as('ada')).get('/api/v1/me')
    await revoke()
    const { status: answered, text } = await held.finish()
    assert.equal(answered, status, `${why}: ${text}`)
    const { rows } = await bank.sql(`select id from users where username = 'mole'`)
    assert.deepEqual(rows, [], `${why}: nobody was made (${id})`)
    if (why === 'logout')
      await bank.sql('update sessions set ended_at = null, ended_because = null')
  }
})

test('a delayed body does not extend a session beyond its idle end', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const held = await hold(bank, 'POST', '/api/v1/accounts', ada.token, { currency: 'EUR' })
  // Its session is looked up before that of a later request.
  assert.equal((await ada.get('/api/v1/me')).status, 200)
  bank.clock.advance(5 * minute)
  assert.equal((await held.finish()).status, 401)
  assert.equal((await ada.get('/api/v1/me')).body.code, 'session_expired')
})

test('activity just before the idle end counts on another instance at once', async (t) => {
  const bank = await world(t)
  const other = await bank.another()
  const ada = await bank.as('ada')
  bank.clock.advance(5 * minute - 100)
  assert.equal((await ada.get('/api/v1/me')).status, 200)
  bank.clock.advance(150)
  assert.equal((await other.send('GET', '/api/v1/me', { token: ada.token })).status, 200)
})

test('the hourly limit of an address does not limit the user name that it guesses', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const from = '127.0.9.1'
  const logIn = (username: string, guess: string, address = from) =>
    bank.send('POST', '/api/v1/auth/login', {
      from: address,
      body: { username, password: guess },
    })
  for (let turn = 0; turn < 95; turn++) {
    assert.equal((await logIn('ben', password)).status, 200)
    bank.clock.advance(20)
  }
  for (let turn = 0; turn < 5; turn++) assert.equal((await logIn('ada', 'wrong')).status, 401)
  const limited = await logIn('ada', 'wrong')
  assert.equal(limited.status, 429)
  assert.ok(Number(limited.headers['retry-after']) > 3000, 'the address has used up its hour')
  bank.clock.advance(minute)
  assert.equal((await logIn('ada', password, '127.0.9.2')).status, 200)
})

test('rate limits do not reveal that an e-mail address and a user name belong to one person', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const answers: string[] = []
  for (const [name, email] of [
    ['ada', 'ada@example.com'],
    ['nobody', 'nobody@example.com'],
  ] as const) {
    for (let turn = 0; turn < 5; turn++) {
      const body = { username: email, password: 'wrong' }
      await bank.send('POST', '/api/v1/auth/login', {
        from: `127.1.${name.length}.${turn + 1}`,
        body,
      })
    }
    const body = { username: name, password: 'wrong' }
    const asked = { from: `127.2.${name.length}.1`, body }
    answers.push((await bank.send('POST', '/api/v1/auth/login', asked)).text)
  }
  assert.equal(answers[0], answers[1])
})

test('only forged tokens count against the address, and a good one is let in all the same', async (t) => {
  const limits = { badTokens: { burst: '2/1m' } }
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const get = async (token?: string) => (await bank.send('GET', '/api/v1/me', { token })).status
  const ended = await bank.login('ada')
  await ended.post('/api/v1/auth/logout')
  const expired = await bank.login('ada')
  for (let turn = 0; turn < 3; turn++) {
    assert.equal(await get(), 401, 'no token')
    assert.equal(await get(ended.token), 401, 'of a session that has ended')
  }
  bank.clock.advance(15 * minute)
  for (let turn = 0; turn < 3; turn++) assert.equal(await get(expired.token), 401, 'expired')
  const { token } = await bank.login('ada')
  const forged = `${token.slice(0, -8)}AAAAAAAA`
  assert.deepEqual([await get(forged), await get(forged), await get(forged)], [401, 401, 429])
  assert.equal(await get(token), 200)
  bank.clock.advance(minute)
  assert.equal(await get(forged), 401)
})

test('requests that the router cannot parse are limited by address like all others', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const statuses = new Set<number>()
  for (let turn = 0; turn < 101; turn++) statuses.add((await bank.send('GET', '/%zz')).status)
  assert.deepEqual(statuses, new Set([400, 429]))
})

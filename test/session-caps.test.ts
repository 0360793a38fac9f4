// How many sessions and devices a user has at most, and which ones make room for a new one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { many, patiently } from './support/fixture.ts'
import { password, people, type ApiClient, world, type World } from './support/world.ts'

const sessionsPerUserMax = 50
const devicesPerUserMax = 50
const minute = 60_000
const logIn = '/api/v1/auth/login'

const errorStatus = async (voice: ApiClient): Promise<number> =>
  (await voice.get('/api/v1/auth/sessions?limit=1')).status

async function liveIds(bank: World): Promise<Set<string>> {
  const { rows } = await bank.sql('select id from current_sessions where user_id = $1', [
    people.ada.id,
  ])
  return new Set(rows.map(({ id }) => id as string))
}

test('sixty concurrent logins leave fifty sessions; the least recently used ones end, on every instance', async (t) => {
  const bank = await world(t, { settings: { SESSION_IDLE: '2h' } })
  const other = await bank.another()
  const early: ApiClient[] = []
  for (let turn = 0; turn < 20; turn++) {
    early.push(await bank.login('ada'))
    bank.clock.advance(1000)
  }
  // The first five were used last, as this instance alone knows so far.
  for (const voice of early.slice(0, 5)) assert.equal(await errorStatus(voice), 200)
  bank.clock.advance(1000)
  const ben = await bank.login('ben')
  const late = await many(60, (turn) => {
    const { send } = turn % 2 === 0 ? bank : other
    const body = { username: 'ada', password }
    return patiently(() => send('POST', logIn, { body }))
  })
  for (const { status, text } of late) assert.equal(status, 200, text)

  const live = await liveIds(bank)
  assert.equal(live.size, sessionsPerUserMax)
  for (const { sessionId, refreshToken, token } of early) {
    assert.ok(!live.has(sessionId), 'used before every one of the sixty')
    const refreshed = await other.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
    assert.equal(refreshed.body.code, 'session_revoked')
    assert.equal((await bank.send('GET', '/api/v1/me', { token })).body.code, 'session_revoked')
  }
  for (const { body } of late) {
    const { status } = await other.send('GET', '/api/v1/me', { token: body.token })
    assert.equal(status, live.has(body.sessionId) ? 200 : 401)
  }
  assert.equal(await errorStatus(ben), 200, 'another user is not counted')
})

test('a login beyond fifty sessions ends only the least recently used one, even if it is not the oldest', async (t) => {
  const bank = await world(t, { settings: { SESSION_IDLE: '2h' } })
  const voices: ApiClient[] = []
  for (let turn = 0; turn < sessionsPerUserMax; turn++) {
    voices.push(await bank.login('ada'))
    bank.clock.advance(1000)
  }
  const used = voices[0] as ApiClient
  // Not the list of sessions, which writes what this instance has not written of their use.
  assert.equal((await used.get('/api/v1/me')).status, 200, 'fifty may live')
  const more = await bank.login('ada')
  const expected = voices.filter((_, index) => index !== 1).map(({ sessionId }) => sessionId)
  assert.deepEqual(await liveIds(bank), new Set([...expected, more.sessionId]))
  const listed = await more.get('/api/v1/auth/sessions?limit=100')
  assert.equal(listed.body.items.length, sessionsPerUserMax)
})

test('ended sessions do not count towards the limit of sessions', async (t) => {
  const bank = await world(t, { settings: { SESSION_IDLE: '30m', SESSION_MAX: '1h' } })
  const kept = await bank.login('ada')
  // Idle ones are over though nothing says so in the table.
  for (let turn = 0; turn < sessionsPerUserMax; turn++) await bank.login('ada')
  bank.clock.advance(29 * minute)
  assert.equal(await errorStatus(kept), 401, 'the fifty were used later')
  const first = await bank.login('ada')
  bank.clock.advance(minute)
  for (let turn = 1; turn < sessionsPerUserMax; turn++) await bank.login('ada')
  assert.equal(await errorStatus(first), 200, 'the fifty before are idle')
})

test('a user has at most fifty known devices: the least recently used ones are forgotten', async (t) => {
  const bank = await world(t)
  const login = async (deviceToken?: string) => {
    bank.clock.advance(1000)
    const body = { username: 'ada', password, ...(deviceToken && { deviceToken }) }
    return (await bank.send('POST', logIn, { body })).body.deviceToken as string
  }
  const tokens: string[] = []
  for (let turn = 0; turn < devicesPerUserMax; turn++) tokens.push(await login())
  const [first, second, third] = tokens
  assert.equal(await login(first), first, 'known, and used last')
  await many(1, async () => login())
  assert.notEqual(await login(second), second, 'forgotten')
  assert.equal(await login(first), first)
  assert.notEqual(await login(third), third, 'for the one that took the place of the second')
  const { rows } = await bank.sql('select count(*)::int as n from devices where user_id = $1', [
    people.ada.id,
  ])
  assert.deepEqual(rows, [{ n: devicesPerUserMax }])
})

test('a device without a login for a year is unknown, even before it is purged', async (t) => {
  const bank = await world(t)
  const day = 24 * 60 * minute
  const login = async (deviceToken?: string) => {
    const body = { username: 'ada', password, ...(deviceToken && { deviceToken }) }
    return (await bank.send('POST', logIn, { body })).body.deviceToken as string
  }
  const token = await login()
  bank.clock.advance(365 * day - 1)
  assert.equal(await login(token), token)
  bank.clock.advance(365 * day)
  assert.notEqual(await login(token), token)
})

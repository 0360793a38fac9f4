// The policy of second factors: who logs in without one, and what such a session opens. Made from
// the list of routes, so that it covers new routes too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../src/http/route.ts'
import { routes, secondFactorRoutes } from '../src/features/routes.ts'
import { browse } from './support/browser-session.ts'
import { readBelongings, sendTo, toParts } from './support/requests.ts'
import { answer, challengeOf, enrolTotp, factorsPath, logInByPassword } from './support/factors.ts'
import { people, world, type World } from './support/world.ts'

const guarded = routes.filter(({ access }) => access !== 'public')
const named = (route: Route) => `${route.method} ${route.path}`
const day = 86_400_000
const everybody = ['ada', 'agnes', 'root'] as const

/** What a person may do before a required factor is there: all of it is the person's own. */
const open = [
  'GET /api/v1/auth/factors',
  'GET /api/v1/auth/sessions',
  'GET /api/v1/me',
  'POST /api/v1/auth/factors',
  'POST /api/v1/auth/factors/:factorId/activate',
  'POST /api/v1/auth/logout',
]

const addedAt = (bank: World, at: number) =>
  bank.sql('update users set created_at = $1', [new Date(at)])

test('a restricted session opens the routes that enrol a factor, and no other', async (t) => {
  const bank = await world(t, {
    settings: { SECOND_FACTOR: 'required', SECOND_FACTOR_GRACE: '1d' },
  })
  const restricting = guarded.filter(({ restricted }) => !restricted)
  assert.deepEqual(
    guarded
      .filter(({ restricted }) => restricted)
      .map(named)
      .toSorted(),
    open,
  )
  await addedAt(bank, bank.clock.now())
  const own = await readBelongings(bank, 'ada')
  await addedAt(bank, bank.clock.now() - day)
  for (const name of everybody) {
    const { status, body } = await logInByPassword(bank, name)
    assert.deepEqual([status, body.restricted], [200, true])
    const { token, refreshToken } = body
    for (const route of restricting) {
      const reply = await sendTo(
        bank,
        route,
        toParts(route, ({ resource }) => own[resource]),
        token,
      )
      const isOfRole = people[name].roles.some((role) =>
        Object.hasOwn(route.access as object, role),
      )
      const wanted = isOfRole ? 'factor_enrolment_required' : 'forbidden'
      assert.deepEqual([reply.status, reply.body.code], [403, wanted], named(route))
    }
    const refreshed = await bank.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
    const again = await bank.send('GET', '/api/v1/auth/factors', refreshed.body)
    assert.equal(again.status, 200, 'a refreshed token is of the same session')
    const other = await bank.send('GET', '/api/v1/accounts', refreshed.body)
    assert.equal(other.body.code, 'factor_enrolment_required')
  }
})

test('a session of the portal is restricted as well', async (t) => {
  const bank = await world(t, { settings: { SECOND_FACTOR: 'required' } })
  await addedAt(bank, 0)
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = { username: 'ada', password: 'seven lean kine and a barn' }
  const reply = await bank.send('POST', '/portal/session', { body, headers })
  assert.equal(reply.status, 204, reply.text)
  const { rows } = await bank.sql('select is_restricted from sessions')
  assert.deepEqual(rows, [{ is_restricted: true }])
})

test('the factor that is activated in a restricted session ends its restriction', async (t) => {
  const bank = await world(t, { settings: { SECOND_FACTOR: 'required' } })
  await addedAt(bank, 0)
  const [first, other] = [await bank.login('root'), await bank.login('root')]
  assert.equal((await first.get('/api/v1/admin/users')).body.code, 'factor_enrolment_required')
  await enrolTotp(bank, first)
  assert.equal((await first.get('/api/v1/admin/users')).status, 200)
  assert.equal((await other.get('/api/v1/me')).body.code, 'session_revoked')
  const { rows } = await bank.sql(`select detail from audit_events where action = 'activateFactor'`)
  assert.deepEqual(rows, [{ detail: 'totp; the session is not restricted any more' }])
  const { challenge } = (await logInByPassword(bank, 'root')).body
  assert.deepEqual(challenge.methods, ['totp', 'recovery-code'])
})

test('the grace holds to its last millisecond, and only where a factor is required', async (t) => {
  const bank = await world(t, {
    settings: { SECOND_FACTOR: 'customer=optional,admin=required', SECOND_FACTOR_GRACE: '1d' },
  })
  await addedAt(bank, bank.clock.now())
  bank.clock.advance(day - 1)
  const isRestricted = async () =>
    Promise.all(
      everybody.map(async (name) => (await logInByPassword(bank, name)).body.restricted === true),
    )
  assert.deepEqual(await isRestricted(), [false, false, false])
  bank.clock.advance(1)
  assert.deepEqual(await isRestricted(), [false, false, true])
  await bank.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.ada.id])
  assert.deepEqual(await isRestricted(), [true, false, true], 'the strictest role counts')
})

test('a role that requires a factor restricts the sessions that are there, until one is enrolled', async (t) => {
  const bank = await world(t, {
    settings: { SECOND_FACTOR: 'customer=optional,admin=required', SECOND_FACTOR_GRACE: '1d' },
  })
  await addedAt(bank, bank.clock.now() - 30 * day)
  await bank.sql('update users set created_at = $1 where id = $2', [
    new Date(bank.clock.now()),
    people.root.id,
  ])
  const [root, ada, other] = [
    await bank.as('root'),
    await bank.login('ada'),
    await bank.login('ada'),
  ]
  const browser = await browse(bank, 'ada')
  const users = '/api/v1/admin/users'
  const change = (roles: string[]) => root.patch(`${users}/${people.ada.id}`, { roles })
  assert.equal((await change(['customer', 'admin'])).status, 200)
  const { refreshToken } = ada
  const refreshed = await bank.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  for (const { token } of [ada, refreshed.body]) {
    for (const path of [users, '/api/v1/accounts']) {
      const reply = await bank.send('GET', path, { token })
      assert.deepEqual([reply.status, reply.body.code], [403, 'factor_enrolment_required'], path)
    }
    assert.equal((await bank.send('GET', '/api/v1/me', { token })).body.restricted, true)
  }
  assert.equal((await browser.send('GET', users)).body.code, 'factor_enrolment_required')

  assert.equal((await change(['customer'])).status, 200)
  assert.equal((await other.get('/api/v1/accounts')).status, 200, 'it needs none without the role')
  assert.equal((await change(['customer', 'admin'])).status, 200)
  await enrolTotp(bank, ada)
  assert.equal((await ada.get(users)).status, 200)
  assert.equal((await other.get(users)).body.code, 'session_revoked')
})

test('a session that began before the grace ended is restricted from its last millisecond on', async (t) => {
  const bank = await world(t, { settings: { SECOND_FACTOR_GRACE: '1d' } })
  await addedAt(bank, bank.clock.now() + 1000 - day)
  const root = await bank.login('root')
  bank.clock.advance(999)
  assert.equal((await root.get('/api/v1/admin/users')).status, 200)
  bank.clock.advance(1)
  assert.equal((await root.get('/api/v1/admin/users')).body.code, 'factor_enrolment_required')
  await enrolTotp(bank, root)
  assert.equal((await root.get('/api/v1/admin/users')).status, 200)
})

test('a role that asks for a factor ends the sessions that began without it', async (t) => {
  const bank = await world(t, {
    settings: { SECOND_FACTOR: 'customer=off,support-agent=off,admin=required' },
  })
  const root = await bank.login('root')
  const change = (roles: string[]) => root.patch(`/api/v1/admin/users/${people.ada.id}`, { roles })
  assert.equal((await change(['admin'])).status, 200)
  await enrolTotp(bank, await bank.login('ada'))
  assert.equal((await change(['customer'])).status, 200)
  const ada = await bank.login('ada')
  assert.equal((await change(['customer', 'support-agent'])).status, 200)
  assert.equal((await ada.get('/api/v1/me')).status, 200, 'neither of the roles asks for it')
  assert.equal((await change(['admin'])).status, 200)
  assert.equal((await ada.get('/api/v1/me')).body.code, 'session_revoked')
  assert.equal((await logInByPassword(bank, 'ada')).body.code, 'second_factor_required')
})

test('by default administrators have fourteen days, and other people need none', async (t) => {
  const bank = await world(t)
  await addedAt(bank, bank.clock.now() - 14 * day)
  for (const name of everybody) {
    const { restricted } = (await logInByPassword(bank, name)).body
    assert.equal(restricted, name === 'root' ? true : undefined, name)
  }
})

test('off: no route of second factors is there, and a factor of before is not asked for', async (t) => {
  const bank = await world(t)
  await enrolTotp(bank, await bank.login('ada'))
  const off = await world(t, { settings: { SECOND_FACTOR: 'off' } })
  await addedAt(off, 0)
  await off.sql('update users set has_factor = true')
  for (const name of everybody) {
    const { token, restricted } = (await logInByPassword(off, name)).body
    assert.equal(restricted, undefined)
    for (const route of secondFactorRoutes) {
      const parts = toParts(route, () => people.ada.id)
      const reply = await sendTo(off, route, parts, token)
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], named(route))
    }
  }
  const document = (await off.send('GET', '/openapi.json')).text
  for (const { path } of secondFactorRoutes) assert.ok(!document.includes(`"${path}"`), path)
})

test('a role that is off has no second factor, while others have', async (t) => {
  const bank = await world(t, { settings: { SECOND_FACTOR: 'support-agent=off,admin=off' } })
  await enrolTotp(bank, await bank.login('ada'))
  await bank.sql('update users set has_factor = true where id = $1', [people.root.id])
  const root = await bank.login('root')
  for (const reply of [
    await root.get(factorsPath),
    await root.post(factorsPath, { kind: 'totp', name: 'x', password: 'y' }),
    await root.post('/api/v1/auth/recovery-codes'),
  ]) {
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden'])
  }
  const challenge = await challengeOf(bank, 'ada')
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.ada.id])
  assert.equal((await logInByPassword(bank, 'ada')).status, 200)
  assert.equal((await answer(bank, challenge, { code: '000000' })).status, 401)
})

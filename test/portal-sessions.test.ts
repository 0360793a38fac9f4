// Sessions of the portal: known by a cookie that only its own page can use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endAll } from '../src/features/auth/revoke-all.ts'
import { openDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import {
  browse,
  type Browser,
  deviceCookie,
  fromPage,
  handleCookie,
  openSession,
  readCookies,
  toCookieField,
} from './support/browser-session.ts'
import { dump } from './support/database-dump.ts'
import { tally } from './support/fixture.ts'
import { hold } from './support/held.ts'
import { tokenMailedTo, until } from './support/mailbox.ts'
import { commonWorld, password, people, world, type World } from './support/world.ts'
import { speakHttp2 } from './wire/http2.ts'

const me = '/api/v1/me'
const newPassword = 'a quite different secret'
const minute = 60_000

const handleOf = ({ cookies }: Browser) => cookies[handleCookie] as string

async function assertOut(browser: Browser, code = 'session_revoked'): Promise<void> {
  const { status, body } = await browser.send('GET', me)
  assert.deepEqual([status, body.code], [401, code])
}

test('a login on the portal answers with two cookies and no token', async () => {
  const bank = await commonWorld()
  const reply = await openSession(bank, 'ada')
  assert.deepEqual([reply.status, reply.text], [204, ''])
  const fields = reply.headers['set-cookie'] as unknown as string[]
  assert.equal(fields.length, 2)
  const attributes = 'Secure; HttpOnly; SameSite=Strict; Path=/'
  assert.match(fields[0] ?? '', new RegExp(`^__Host-strongroom=[\\w-]{43}; ${attributes}$`))
  const year = 365 * 24 * 60 * 60
  const device = `^__Host-strongroom-device=[\\w-]{43}; ${attributes}; Max-Age=${year}$`
  assert.match(fields[1] ?? '', new RegExp(device))
})

test('a logout on the mount ends the session and deletes its cookie', async () => {
  const bank = await commonWorld()
  const ada = await browse(bank, 'ada')
  const out = await ada.send('POST', '/api/v1/auth/logout')
  const deleted = '__Host-strongroom=; Secure; HttpOnly; SameSite=Strict; Path=/; Max-Age=0'
  assert.equal(out.status, 204)
  assert.deepEqual(out.headers['set-cookie'], [deleted])
  assert.equal(out.headers['clear-site-data'], '"cache", "storage"')
  const after = await ada.send('GET', me)
  assert.deepEqual([after.status, after.body.code], [401, 'session_revoked'])
  assert.deepEqual(after.headers['set-cookie'], [deleted])
})

test('a refused login changes no cookie, and the session before goes on', async () => {
  const bank = await commonWorld()
  const ada = await browse(bank, 'ada')
  const { cookies } = ada
  const reply = await openSession(bank, 'ada', { cookies, body: { password: 'wrong' } })
  assert.deepEqual([reply.status, reply.body.code], [401, 'invalid_credentials'])
  assert.equal(reply.headers['set-cookie'], undefined)
  assert.equal((await ada.send('GET', me)).status, 200)
})

test('each login makes a new handle, which no client can choose, and ends the session before', async () => {
  const bank = await commonWorld()
  const first = await browse(bank, 'ada')
  const elsewhere = await browse(bank, 'ada')
  const chosen = 'A'.repeat(43)
  for (const cookies of [first.cookies, { [handleCookie]: chosen }, { [handleCookie]: '"x"' }]) {
    const next = await browse(bank, 'ben', { cookies })
    assert.notEqual(handleOf(next), cookies[handleCookie])
    assert.equal((await next.send('GET', me)).body.username, 'ben')
  }
  await assertOut(first)
  assert.equal((await elsewhere.send('GET', me)).status, 200, 'another browser goes on')
})

test('a session of a browser ends with all that ends sessions, on every instance at once', async (t) => {
  const bank = await world(t)
  const root = await bank.login('root')
  const other = await bank.another()
  const { ada } = people
  const listed = async (browser: Browser): Promise<string> => {
    const { items } = (await browser.send('GET', '/api/v1/auth/sessions')).body
    return items.find(({ current }: { current: boolean }) => current).id
  }
  const ways: Record<string, (browser: Browser) => Promise<unknown>> = {
    'a password change elsewhere': async () => {
      const body = { currentPassword: password, newPassword }
      const { status } = await (await bank.login('ada')).post('/api/v1/auth/password', body)
      assert.equal(status, 204)
      await bank.sql(
        `update users set password_hash = b.password_hash from users b
         where users.id = $1 and b.id = $2`,
        [ada.id, people.ben.id],
      )
    },
    'revocation by its owner': async (browser) => {
      const id = await listed(browser)
      return (await bank.login('ada')).delete(`/api/v1/auth/sessions/${id}`)
    },
    'revocation by an administrator': async (browser) =>
      root.delete(`/api/v1/admin/sessions/${await listed(browser)}`),
    'revocation of all of a person': () => root.delete(`/api/v1/admin/users/${ada.id}/sessions`),
    disabling: async () => {
      await root.patch(`/api/v1/admin/users/${ada.id}`, { status: 'disabled' })
      await root.patch(`/api/v1/admin/users/${ada.id}`, { status: 'active' })
    },
    'the end of all sessions of the bank': async () => {
      const db = openDatabase(bank.address)
      await transaction(db, (tx) => endAll(tx, bank.clock.now()))
      await db.close()
    },
    'a reset': async () => {
      const body = { email: 'ada@example.com' }
      await bank.send('POST', '/api/v1/auth/password-reset', { body })
      // Either instance may send it.
      let token = ''
      await until('the mail', async () => {
        token = await tokenMailedTo(bank, body.email).catch(() => '')
        return token !== ''
      })
      const confirmed = await bank.send('POST', '/portal/api/v1/auth/password-reset/confirm', {
        body: { token, newPassword },
        headers: fromPage,
      })
      assert.equal(confirmed.status, 204, confirmed.text)
    },
  }
  for (const [what, end] of Object.entries(ways)) {
    const browser = await browse(bank, 'ada')
    await end(browser)
    const headers = { ...fromPage, cookie: toCookieField(browser.cookies) }
    for (const { send } of [bank, other]) {
      const { status, body } = await send('GET', `/portal${me}`, { headers })
      assert.deepEqual([status, body.code], [401, 'session_revoked'], what)
    }
  }
})

test('a session of a browser ends when it is idle, and at its absolute end', async (t) => {
  const bank = await world(t, { settings: { SESSION_MAX: '12m', TOKEN_TTL: '1m' } })
  const ada = await browse(bank, 'ada')
  bank.clock.advance(5 * minute - 1)
  assert.equal((await ada.send('GET', me)).status, 200)
  bank.clock.advance(5 * minute - 1)
  assert.equal((await ada.send('GET', '/api/v1/auth/sessions?limit=0')).status, 400)
  bank.clock.advance(1)
  const late = await ada.send('GET', me)
  assert.deepEqual([late.status, late.body.code], [401, 'session_expired'])
  assert.match(late.headers['set-cookie']?.[0] ?? '', /^__Host-strongroom=; .*Max-Age=0$/)
  const again = await browse(bank, 'ada')
  for (let minutes = 0; minutes < 12; minutes += 4) {
    assert.equal((await again.send('GET', me)).status, 200)
    bank.clock.advance(4 * minute)
  }
  await assertOut(again, 'session_expired')
})

test('what a page reads by itself is no activity: its session ends at the same millisecond', async (t) => {
  const bank = await world(t)
  const lastUsed = async () => {
    await bank.running.edge.flush()
    return (await bank.sql('select last_used_at from sessions order by id')).rows
  }
  const alone = { headers: { unattended: '?1' } }
  const ada = await browse(bank, 'ada')
  const before = await lastUsed()
  const looks = ['transactions?limit=25', 'accounts?limit=100', 'transfers?status=pending', 'me']
  const lookMs = 20_000
  for (let ms = lookMs; ms < 5 * minute; ms += lookMs) {
    bank.clock.advance(lookMs)
    for (const path of looks) {
      const { status, headers } = await ada.send('GET', `/api/v1/${path}`, alone)
      assert.deepEqual([status, headers['set-cookie']], [200, undefined], path)
    }
  }
  bank.clock.advance(lookMs - 1)
  assert.equal((await ada.send('GET', me, alone)).status, 200, 'the last millisecond')
  assert.deepEqual(await lastUsed(), before, 'nor is it a use that its person is shown')
  bank.clock.advance(1)
  const late = await ada.send('GET', me, alone)
  assert.deepEqual([late.status, late.body.code], [401, 'session_expired'])
  assert.match(late.headers['set-cookie']?.[0] ?? '', /^__Host-strongroom=; .*Max-Age=0$/)
})

test('only a read of the portal, so marked, is no activity; and its limits and grants are those of any read', async (t) => {
  const bank = await world(t, { settings: { LIMITS: JSON.stringify({ read: { burst: '3/1m' } }) } })
  const alone = { headers: { unattended: '?1' } }
  const onPortal =
    (method: string, asked: object) =>
    async ({ send }: Browser) =>
      send(method, me, asked)
  for (const [what, act] of [
    ['a change', onPortal('PATCH', { ...alone, body: { language: 'en' } })],
    ['another value', onPortal('GET', { headers: { unattended: '1' } })],
    ['no mark', onPortal('GET', {})],
  ] as const) {
    const ada = await browse(bank, 'ada')
    bank.clock.advance(5 * minute - 1)
    assert.ok((await act(ada)).status < 300, what)
    bank.clock.advance(5 * minute - 1)
    assert.equal((await ada.send('GET', me, alone)).status, 200, what)
  }
  const { token } = await bank.login('ada')
  const byToken = () => bank.send('GET', me, { token, ...alone })
  bank.clock.advance(5 * minute - 1)
  assert.equal((await byToken()).status, 200)
  bank.clock.advance(5 * minute - 1)
  assert.equal((await byToken()).status, 200, 'by a token it is activity')

  const ben = await browse(bank, 'ben')
  assert.equal((await ben.send('GET', '/api/v1/admin/users', alone)).status, 403)
  const asked = await Promise.all([1, 2, 3].map(() => ben.send('GET', me, alone)))
  assert.deepEqual(tally(asked), { 200: 2, '429 rate_limited': 1 })
})

test('a session or a role revoked while the body is delayed is refused', async (t) => {
  const bank = await world(t)
  const revokeRole = () =>
    bank.sql(`update users set roles = '{customer}' where id = $1`, [people.root.id])
  const root = await browse(bank, 'root')
  const { id: _id, ...person } = people.ben
  const body = { ...person, username: 'mole', email: 'mole@example.com' }
  const logOut = () => root.send('POST', '/api/v1/auth/logout')
  for (const [revoke, status] of [
    [revokeRole, 403],
    [logOut, 401],
  ] as const) {
    await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.root.id])
    const headers = { ...fromPage, cookie: toCookieField(root.cookies) }
    const path = '/portal/api/v1/admin/users'
    const held = await hold(bank, 'POST', path, undefined, body, headers)
    // Once an answer has come, the head that was sent before it has been read.
    await bank.send('GET', '/healthz')
    await revoke()
    assert.equal((await held.finish()).status, status)
  }
  assert.deepEqual((await bank.sql(`select from users where username = 'mole'`)).rows, [])
})

test('forged cookies count as forged tokens do, and good ones do not', async (t) => {
  const limits = JSON.stringify({ badTokens: { burst: '3/1m' } })
  const bank = await world(t, { settings: { LIMITS: limits } })
  const ada = await browse(bank, 'ada')
  const old = await browse(bank, 'ada')
  await old.send('POST', '/api/v1/auth/logout')
  const forged = (cookie: string) =>
    bank.send('GET', `/portal${me}`, { headers: { ...fromPage, cookie } })
  for (let turn = 0; turn < 5; turn++) {
    await assertOut(old)
    assert.equal((await forged('')).status, 401)
    assert.equal((await ada.send('GET', me)).status, 200)
  }
  assert.equal((await forged(`${handleCookie}=${'A'.repeat(43)}`)).status, 401)
  assert.equal((await forged(`${handleCookie}=x`)).status, 401)
  assert.equal((await bank.send('GET', me, { token: 'x' })).status, 401)
  assert.equal((await forged(`${handleCookie}=${'B'.repeat(43)}`)).status, 429)
  assert.equal((await ada.send('GET', me)).status, 200)
})

test('strangers who guess cannot lock a customer out of a browser used before', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const ada = await browse(bank, 'ada')
  for (let turn = 0; turn < 5; turn++) {
    const asked = { from: `127.3.1.${turn + 1}`, body: { password: 'wrong' } }
    assert.equal((await openSession(bank, 'ada', asked)).status, 401)
  }
  const device = ada.cookies[deviceCookie] as string
  const from = '127.3.2.1'
  // A cookie of another form is ignored: it is the count of the user name that refuses.
  for (const cookies of [{}, { [deviceCookie]: `"${device}"` }, { [deviceCookie]: 'x' }]) {
    assert.equal((await openSession(bank, 'ada', { cookies, from })).status, 429)
  }
  const known = await openSession(bank, 'ada', { cookies: { [deviceCookie]: device }, from })
  assert.equal(known.status, 204)
  assert.equal(readCookies(known)[deviceCookie], device, 'the device stays the same')
})

test('a login on the portal has the limits, the refusals and the audit of a login', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const asked = { body: { password: 'wrong' } }
  for (let turn = 0; turn < 3; turn++) {
    assert.equal((await openSession(bank, 'ada', asked)).status, 401)
    const body = { username: 'ada', password: 'wrong' }
    if (turn < 2)
      assert.equal((await bank.send('POST', '/api/v1/auth/login', { body })).status, 401)
  }
  const limited = await openSession(bank, 'ada', {})
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '60'])
  bank.clock.advance(minute)
  const browser = await browse(bank, 'ada')
  const root = await bank.as('root')
  const { body } = await root.get('/api/v1/admin/audit-events?action=loginToPortal')
  const outcomes = body.items.map(({ outcome }: { outcome: string }) => outcome)
  assert.deepEqual(outcomes.toSorted(), ['failure', 'failure', 'failure', 'limited', 'success'])
  const { items } = (await browser.send('GET', '/api/v1/auth/sessions')).body
  const success = body.items.find(({ outcome }: { outcome: string }) => outcome === 'success')
  assert.deepEqual([success.actorId, success.target], [people.ada.id, items[0].id])
  for (const wrong of [
    { deviceToken: 'A'.repeat(43) },
    { handle: 'A'.repeat(43) },
    { device: '<script>' },
  ]) {
    const reply = await openSession(bank, 'ben', { body: wrong })
    assert.equal(reply.body.details[0].path, `/body/${Object.keys(wrong)[0]}`)
  }
  const text = await bank.send('POST', '/portal/session', {
    body: JSON.stringify({ username: 'ada', password }),
    headers: { ...fromPage, 'content-type': 'text/plain' },
  })
  assert.equal(text.status, 415, 'a form of another site cannot send JSON')
})

test('no handle and no device token is in the database, the log or the audit trail', async (t) => {
  const bank = await world(t)
  const ada = await browse(bank, 'ada')
  await ada.send('GET', me)
  await bank.send('GET', `/portal/${handleOf(ada)}?cookie=${handleOf(ada)}`)
  await ada.send('POST', '/api/v1/auth/password', { body: { currentPassword: handleOf(ada) } })
  await ada.send('POST', '/api/v1/auth/logout')
  await assertOut(ada)
  const written = (await dump(bank)) + bank.logged.join('')
  assert.match(written, /loginToPortal/)
  for (const secret of Object.values(ada.cookies)) {
    const bytes = Buffer.from(secret, 'base64url').toString('hex')
    for (const form of [secret, bytes, Buffer.from(secret).toString('hex')]) {
      assert.ok(!written.includes(form))
    }
  }
  assert.doesNotMatch(bank.logged.join(''), /__Host-/)
  const { rows } = await bank.sql('select from refresh_tokens')
  assert.deepEqual(rows, [], 'a session of a browser has no refresh token')
})

test('over HTTP/2 a client may split the cookie field, and duplicates stay refused', async (t) => {
  const bank = await world(t)
  const ada = await browse(bank, 'ada')
  const good = `${handleCookie}=${handleOf(ada)}`
  const ask = async (...cookies: string[]) => {
    const { answer } = await speakHttp2(
      bank,
      [
        [':method', 'POST'],
        [':path', '/portal/api/v1/accounts'],
        [':scheme', 'https'],
        [':authority', 'bank.example'],
        ['sec-fetch-site', 'same-origin'],
        ['content-type', 'application/json'],
        ...cookies.map((cookie) => ['cookie', cookie] as const),
      ],
      ['{"currency":"EUR"}'],
    )
    return answer?.status
  }
  assert.equal(await ask('a=b', good, 'c=d'), 201)
  assert.equal(await ask(`a=b; ${good}`), 201)
  assert.equal(await ask(good, good), 401)
  assert.equal(await ask(`${handleCookie}=x`, good), 401)
  assert.equal(await ask('a=b'), 401)
  assert.equal(await ask(good, `a=${'b'.repeat(9000)}`), 431)
})

test('CORS never answers on the mount, even to an origin that is listed for the API', async (t) => {
  const bank = await world(t, { settings: { CORS_ORIGINS: 'https://app.example' } })
  const ada = await browse(bank, 'ada')
  const origin = 'https://app.example'
  const preflight = { origin, 'access-control-request-method': 'GET' }
  const cookie = toCookieField(ada.cookies)
  for (const reply of [
    await ada.send('GET', me, { headers: { origin } }),
    await ada.send('OPTIONS', me, { headers: preflight }),
    await ada.send('OPTIONS', '/session', { headers: preflight }),
    await ada.send('OPTIONS', '/?x', { headers: preflight }),
    await openSession(bank, 'ada', { headers: { origin } }),
    await bank.send('GET', `/portal${me}`, { headers: { origin, cookie } }),
    await bank.send('OPTIONS', `/portal${me}`, { headers: preflight }),
  ]) {
    const names = Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))
    assert.deepEqual(names, [])
  }
  const listed = await bank.send('GET', me, { headers: { origin } })
  assert.equal(listed.headers['access-control-allow-origin'], origin)
})

test('with STRONGROOM_PORTAL=off every path of the portal is unknown, and the API goes on', async (t) => {
  const bank: World = await world(t, { settings: { PORTAL: 'off' } })
  const { token } = await bank.as('ada')
  const unknown = (await bank.send('GET', '/nowhere')).text
  for (const path of ['/', '/portal', '/portal/', '/portal/reset', `/portal${me}`]) {
    for (const asked of [{}, { token }, { headers: fromPage }]) {
      const reply = await bank.send('GET', path, asked)
      assert.deepEqual([reply.status, reply.text], [404, unknown], path)
    }
  }
  assert.equal((await openSession(bank, 'ada')).status, 404)
  assert.equal((await bank.send('GET', '/openapi.json')).body.paths['/portal/session'], undefined)
  assert.equal((await bank.send('GET', me, { token })).status, 200)
})

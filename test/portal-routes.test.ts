// Tests of every route on the portal's mount, made from the list of routes: the cookie opens there
// what a token opens on the API, only for the portal's own page, and nothing anywhere else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../src/http/route.ts'
import { findIdentifiers } from '../src/http/route-check.ts'
import { routes } from '../src/features/routes.ts'
import { type Role, roles } from '../src/gate/roles.ts'
import { newId } from '../src/domain/ids.ts'
import { browse, type Browser, fromPage, toCookieField } from './support/browser-session.ts'
import {
  forAll,
  type Belongings,
  type RequestParts,
  readBelongings,
  toParts,
  toPath,
} from './support/requests.ts'
import { type ApiClient, commonWorld, type PersonName, type Reply, world } from './support/world.ts'

const mounted = routes.filter(({ path, portal }) => path.startsWith('/api/v1/') && !portal)
const guarded = mounted.filter(({ access }) => access !== 'public')
const named = ({ method, path }: Route) => `${method} ${path}`
const unknown = newId(Date.UTC(2026, 0, 1))
const withUnknownIds = (route: Route) => toParts(route, () => unknown)

const grants = ({ access }: Route): readonly Role[] =>
  access === 'public' ? roles : roles.filter((role) => access[role] !== undefined)

const personByRole: Record<Role, PersonName> = {
  customer: 'ada',
  'support-agent': 'agnes',
  admin: 'root',
}

const ask = (browser: Browser, route: Route, parts: RequestParts): Promise<Reply> =>
  browser.send(route.method, toPath(route, parts), parts.body ? { body: parts.body } : {})

test('the mount has every route of the API but those that answer with tokens', () => {
  const absent = routes.filter((route) => !mounted.includes(route)).map(named)
  assert.deepEqual(absent, [
    'GET /healthz',
    'GET /readyz',
    'GET /.well-known/jwks.json',
    'POST /api/v1/auth/login',
    'POST /portal/session',
    'POST /api/v1/auth/login/second-factor',
    'POST /portal/session/second-factor',
    'POST /portal/session/issuer',
    'POST /portal/session/issuer/answer',
    'POST /api/v1/auth/refresh',
  ])
})

/**
 * A plain example does not have the right password, a payee alone, a transfer or hold in the right
 * state, a factor or a challenge, a webhook or a beneficiary that was not deleted before, or an
 * approval of a live maker; no issuer is set, and no new e-mail address was asked for.
 */
const refusedExamples = [
  'POST /api/v1/auth/password',
  'POST /api/v1/auth/factors',
  'POST /api/v1/auth/factors/:factorId/activate',
  'PATCH /api/v1/auth/factors/:factorId',
  'DELETE /api/v1/auth/factors/:factorId',
  'POST /api/v1/auth/recovery-codes',
  'POST /api/v1/auth/confirmations/:challengeId',
  'POST /api/v1/auth/confirmations/:challengeId/issuer',
  'POST /api/v1/auth/confirmations/:challengeId/issuer/answer',
  'POST /api/v1/me/email',
  'DELETE /api/v1/me/email/next',
  'POST /api/v1/me/email/proof',
  'POST /api/v1/admin/users/:userId/factor-reset',
  'GET /api/v1/admin/users/:userId/issuer-link',
  'PUT /api/v1/admin/users/:userId/issuer-link',
  'DELETE /api/v1/admin/users/:userId/issuer-link',
  'GET /api/v1/admin/sessions/:sessionId',
  'DELETE /api/v1/accounts/:accountId',
  'POST /api/v1/accounts/:accountId/beneficiaries',
  'POST /api/v1/beneficiaries/:id/deactivate',
  'POST /api/v1/beneficiaries/:id/reactivate',
  'POST /api/v1/beneficiaries/:id/trust',
  'POST /api/v1/beneficiaries/:id/untrust',
  // Its card was frozen.
  'POST /api/v1/holds/:id/release',
  // The newest payment is one that was cleared.
  'POST /api/v1/card-payments/:id/captures',
  'POST /api/v1/card-payments/:id/release',
  'POST /api/v1/card-payments/:id/chargebacks',
  'POST /api/v1/chargebacks/:id/lost',
  'POST /api/v1/chargebacks/:id/withdrawn',
  'POST /api/v1/card-payments/:id/disputes',
  'POST /api/v1/transfers',
  'POST /api/v1/transfers/:id/cancel',
  // No raise waits.
  'DELETE /api/v1/accounts/:accountId/limits/next',
  // The sessions that invited were ended by earlier routes.
  'PATCH /api/v1/accounts/:accountId/members/:memberId',
  'DELETE /api/v1/accounts/:accountId/members/:memberId',
  'POST /api/v1/members/:id/accept',
  'DELETE /api/v1/members/:id',
  'POST /api/v1/accounts/:accountId/orders',
  'PATCH /api/v1/orders/:id',
  // Its last day was not left out.
  'POST /api/v1/orders/:id/undo-skip',
  'POST /api/v1/accounts/:accountId/drafts',
  // Of the caller's own making.
  'POST /api/v1/drafts/:id/sign',
  'POST /api/v1/admin/incoming-payments',
  'POST /api/v1/admin/transfers/:id/send',
  'POST /api/v1/admin/transfers/:id/settle',
  'POST /api/v1/admin/transfers/:id/return',
  'DELETE /api/v1/admin/accounts/:accountId/blocks/:blockId',
  'POST /api/v1/admin/approvals/:approvalId/approve',
  'DELETE /api/v1/admin/approvals/:approvalId',
  'POST /api/v1/admin/webhooks/:webhookId/secret',
  'POST /api/v1/admin/webhooks/:webhookId/test',
  'GET /api/v1/admin/webhooks/:webhookId/deliveries',
  'POST /api/v1/admin/webhooks/:webhookId/deliveries/:deliveryId/resend',
]

test('with a cookie every route answers as with a token on the API, on success as well', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  // The same is done twice: to Ada with tokens, to Ben with cookies.
  const [adas, bens] = [await readBelongings(bank, 'ada'), await readBelongings(bank, 'ben')]
  const [clients, browsers] = [new Map<string, ApiClient>(), new Map<string, Browser>()]
  const successes = new Set<string>()
  for (const route of guarded) {
    for (const role of grants(route)) {
      const { token } = await keepAlive(clients, isCustomer(role) ? 'ada' : personByRole[role], {
        open: bank.login,
        get: (client) => client.get(me),
      })
      const browser = await keepAlive(browsers, isCustomer(role) ? 'ben' : personByRole[role], {
        open: (name) => browse(bank, name),
        get: ({ send }) => send('GET', me),
      })
      const { body, ...one } = toParts(route, ({ resource }) => adas[resource])
      const path = toPath(route, { ...one, body })
      const byToken = await bank.send(route.method, path, { token, ...(body && { body }) })
      const byCookie = await ask(browser, route, distinct(route, bens))
      const what = `${named(route)} as ${role}: ${byToken.text} ${byCookie.text}`
      assert.equal(byCookie.status, byToken.status, what)
      assert.equal(byCookie.body?.code, byToken.body?.code, what)
      assert.deepEqual(
        Object.keys(byCookie.body ?? {}).toSorted(),
        Object.keys(byToken.body ?? {}).toSorted(),
        what,
      )
      const { headers } = byCookie
      for (const [name, value] of Object.entries(byToken.headers)) {
        if (!/^(date|x-request-id|ratelimit|location|content-length|connection)/.test(name)) {
          assert.equal(headers[name], value, `${name} of ${what}`)
        }
      }
      if (byCookie.status < 300) successes.add(named(route))
    }
  }
  const refused = guarded.map(named).filter((name) => !successes.has(name))
  assert.deepEqual(refused, refusedExamples)
})

const me = '/api/v1/me'
const isCustomer = (role: Role) => role === 'customer'

/** The session of that person, or a new one after a route that has ended it. */
async function keepAlive<S>(
  sessions: Map<string, S>,
  name: PersonName,
  { open, get }: { open: (name: PersonName) => Promise<S>; get: (session: S) => Promise<Reply> },
): Promise<S> {
  const known = sessions.get(name)
  if (known && (await get(known)).status === 200) return known
  const opened = await open(name)
  sessions.set(name, opened)
  return opened
}

/** What has to be unique is. */
function distinct(route: Route, belongings: Belongings): RequestParts {
  const parts = toParts(route, ({ resource }) => belongings[resource])
  const unique: Readonly<Record<string, object>> = {
    createBankAccount: { currency: 'USD' },
    createHold: { externalId: 'another hold' },
    captureHold: { externalId: 'another capture' },
    authorizeCardPayment: { externalId: 'another payment' },
    incrementCardPayment: { externalId: 'another increment' },
    captureCardPayment: { externalId: 'another card capture' },
    chargeBackCardPayment: { externalId: 'another chargeback' },
    clearCardPayment: { externalId: 'another clearing' },
    refundCardPayment: { externalId: 'another refund' },
    createPosting: { externalId: 'another fee' },
    createUser: { username: 'other', email: 'other@example.com' },
  }
  return { ...parts, body: parts.body && { ...parts.body, ...unique[route.operation] } }
}

test('no cookie, a malformed one or an unknown one: 401, whatever Authorization says', async () => {
  const bank = await commonWorld()
  const { token } = await bank.as('root')
  const browser = await browse(bank, 'root')
  const handle = browser.cookies['__Host-strongroom'] as string
  const good = `__Host-strongroom=${handle}`
  const fields = [
    undefined,
    '',
    '__Host-strongroom',
    '__Host-strongroom=',
    `__Host-strongroom="${handle}"`,
    `__Host-strongroom=${handle}=`,
    `__Host-strongroom=${handle.slice(1)}`,
    `__Host-strongroom=${handle}A`,
    `__Host-strongroom=${'A'.repeat(43)}`,
    `__Host-strongroom=${encodeURIComponent(`${handle.slice(1)}%`)}`,
    `__host-strongroom=${handle}`,
    `strongroom=${handle}`,
    `=${good}`,
    `__Host-strongroom-device=${handle}`,
    `x="; ${good}"`,
    `${good}; ${good}`,
    `${good}; __Host-strongroom=${'A'.repeat(43)}`,
    `__Host-strongroom=; ${good}`,
    `__Host-strongroom=${token}`,
  ]
  await forAll(guarded, async (route) => {
    const parts = withUnknownIds(route)
    for (const cookie of fields) {
      const headers = { ...fromPage, ...(cookie !== undefined && { cookie }) }
      const reply = await bank.send(route.method, `/portal${toPath(route, parts)}`, {
        token,
        headers,
        ...(parts.body && { body: parts.body }),
      })
      assert.equal(reply.status, 401, `${named(route)} with ${cookie}`)
      assert.equal(reply.body.code, 'unauthenticated')
      assert.equal(reply.headers['www-authenticate'], 'Bearer')
    }
  })
  // The field may hold others beside it, with and without a space.
  for (const cookie of [good, `a=b; ${good}`, `${good};c=d`, `a=b;${good}; e="f; g"`]) {
    const reply = await bank.send('GET', '/portal/api/v1/me', { headers: { ...fromPage, cookie } })
    assert.equal(reply.status, 200, cookie)
  }
})

test('a cookie alone is 401 on the API and on paths without its prefix', async () => {
  const bank = await commonWorld()
  const { cookies } = await browse(bank, 'root')
  const headers = { ...fromPage, cookie: toCookieField(cookies) }
  for (const route of guarded) {
    const parts = withUnknownIds(route)
    const path = toPath(route, parts)
    const bare = path.replace(/^\/api\/v1(?=\/(accounts|transfers|beneficiaries|cards)(\/|$))/, '')
    for (const target of new Set([path, bare])) {
      const body = parts.body && { body: parts.body }
      const reply = await bank.send(route.method, target, { headers, ...body })
      assert.deepEqual([reply.status, reply.body.code], [401, 'unauthenticated'], target)
      assert.equal(reply.headers['set-cookie'], undefined)
    }
  }
})

/** As other origins, and programs, ask. */
const fromElsewhere: Record<string, string>[] = [
  {},
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
  { 'sec-fetch-site': 'Same-Origin' },
  { 'sec-fetch-site': 'same-origin, same-origin' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://bank.example' },
  { origin: 'https://evil.example' },
  { origin: 'https://bank.example.evil.example' },
  { origin: 'https://bank.example:8443' },
  { origin: 'http://bank.example' },
  { origin: 'null' },
  { referer: 'https://bank.example/portal/' },
]

test('a request that is not of the portal itself: 403 on every route, before anything is read', async () => {
  const bank = await commonWorld()
  const { cookies } = await browse(bank, 'root')
  const cookie = toCookieField(cookies)
  const events = async () => (await bank.sql('select count(*) from audit_events')).rows[0]
  const before = await events()
  const texts = new Set<string>()
  const refused = async (method: string, path: string, body?: unknown) => {
    for (const more of fromElsewhere) {
      const headers = { cookie, ...more }
      const reply = await bank.send(method, path, { headers, ...(body !== undefined && { body }) })
      const what = `${method} ${path} with ${JSON.stringify(more)}`
      assert.equal(reply.status, 403, what)
      assert.equal(reply.headers['set-cookie'], undefined, what)
      if (method !== 'HEAD') texts.add(reply.text)
    }
  }
  await forAll(mounted, async (route) => {
    const parts = withUnknownIds(route)
    const path = `/portal${toPath(route, parts)}`
    await refused(route.method, path, parts.body)
    if (route.method === 'GET') await refused('HEAD', path)
  })
  for (const path of ['/portal/session', '/portal/api/v1/auth/login', '/%70ortal/session']) {
    await refused('POST', path, '{"broken')
  }
  await refused('GET', '/portal/api/v1/nowhere')
  await refused('OPTIONS', '/portal/api/v1/accounts')
  assert.equal(texts.size, 1, 'one body for all')
  // A hostile page must not be able to write the trail, which cannot be shortened.
  assert.deepEqual(await events(), before)
})

test('a browser that knows no Sec-Fetch-Site is known by the public origin', async () => {
  const bank = await commonWorld()
  const { cookies } = await browse(bank, 'ada')
  const headers = { cookie: toCookieField(cookies), origin: 'https://bank.example' }
  const body = { currency: 'EUR' }
  const reply = await bank.send('POST', '/portal/api/v1/accounts', { headers, body })
  assert.equal(reply.status, 201, reply.text)
})

test('the two routes that answer with tokens are not on the mount, in any spelling', async () => {
  const bank = await commonWorld()
  const ada = await browse(bank, 'ada')
  const body = { username: 'ada', password: 'x', refreshToken: 'A'.repeat(43) }
  for (const path of ['auth/login', 'auth/refresh', 'auth/%6cogin', '%61uth/refresh']) {
    const reply = await ada.send('POST', `/api/v1/${path}`, { body })
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], path)
    assert.equal((await ada.send('GET', `/api/v1/${path}`)).status, 404, path)
  }
})

test('a role that is not listed, and an identifier of another customer: 403, as with a token', async () => {
  const bank = await commonWorld()
  const own = await readBelongings(bank, 'ada')
  const foreign = await readBelongings(bank, 'ben')
  const browsers = {
    customer: await browse(bank, 'ada'),
    'support-agent': await browse(bank, 'agnes'),
    admin: await browse(bank, 'root'),
  }
  const bodies = new Set<string>()
  await forAll(guarded, async (route) => {
    for (const role of roles.filter((role) => !grants(route).includes(role))) {
      const reply = await ask(browsers[role], route, withUnknownIds(route))
      assert.equal(reply.status, 403, `${named(route)} as ${role}`)
      bodies.add(reply.text)
    }
    if (route.access === 'public' || route.access.customer !== 'own') return
    for (const target of findIdentifiers(route)) {
      for (const id of [foreign[target.resource], unknown]) {
        const parts = toParts(route, (place) =>
          place.part === target.part && place.keys.join() === target.keys.join()
            ? id
            : own[place.resource],
        )
        const reply = await ask(browsers.customer, route, parts)
        assert.equal(reply.status, 403, `${named(route)} with ${target.keys.join('.')}`)
        bodies.add(reply.text)
      }
    }
  })
  assert.equal(bodies.size, 1, 'one body for all')
})

test('a path on the mount has one spelling, as on the API', async () => {
  const bank = await commonWorld()
  const root = await browse(bank, 'root')
  for (const path of [
    '/api/v1/me/',
    '/api/v1//me',
    '/api/v1/../v1/me',
    '/api/v1/%2e%2e/v1/me',
    '/api/v1%2fme',
    '/api/v1/accounts%2F',
    '/api/v2/me',
    '/api/',
    '/api',
    '/api/v1',
  ]) {
    const { status, body } = await root.send('GET', path)
    assert.deepEqual([status, body?.code], [404, 'not_found'], path)
  }
  // Pages, not the API.
  for (const path of ['//api/v1/me', '/../api/v1/me', '/API/v1/me', '/accounts/x/y', '/healthz']) {
    const { status, body } = await root.send('GET', path)
    assert.deepEqual([status, body], [404, undefined], path)
  }
  const cookie = toCookieField(root.cookies)
  for (const path of ['/%70ortal/api/v1/me', '/portal/%61pi/v1/me', '/Portal/api/v1/me']) {
    const { status } = await bank.send('GET', path, { headers: { ...fromPage, cookie } })
    assert.equal(status, 404, path)
  }
  const override = { 'x-http-method-override': 'DELETE' }
  assert.equal((await root.send('GET', '/api/v1/me', { headers: override })).status, 200)
  const wrong = await root.send('DELETE', '/api/v1/me')
  assert.deepEqual([wrong.status, wrong.headers['allow']], [405, 'GET, HEAD, PATCH'])
})

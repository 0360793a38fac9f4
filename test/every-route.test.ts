// Tests of every route, made from the list of routes, so that they cover new routes too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { defaultLimits } from '../src/config/config.ts'
import { type Role, roles } from '../src/gate/roles.ts'
import { newId } from '../src/domain/ids.ts'
import { bankAccount, bankCodes } from '../src/ledger/rules/internal-accounts.ts'
import type { Route } from '../src/http/route.ts'
import { findIdentifiers } from '../src/http/route-check.ts'
import { routes } from '../src/features/routes.ts'
import { readTables } from './support/database-dump.ts'
import { forAll, readBelongings, toParts, toPath, sendTo } from './support/requests.ts'
import {
  people,
  type PersonName,
  type Reply,
  world,
  type World,
  commonWorld,
} from './support/world.ts'

const guarded = routes.filter(({ access }) => access !== 'public')
const publicWithBody = routes.filter(
  ({ access, body, portal }) => access === 'public' && body && portal !== 'only',
)
const named = (route: Route) => `${route.method} ${route.path}`
const unknown = newId(Date.UTC(2026, 0, 1))
const withUnknownIds = (route: Route) => toParts(route, () => unknown)

const personByRole: Record<Role, PersonName> = {
  customer: 'ada',
  'support-agent': 'agnes',
  admin: 'root',
}
const grants = ({ access }: Route): readonly Role[] =>
  access === 'public' ? roles : roles.filter((role) => access[role] !== undefined)

function assertAlways(reply: Reply, what: string): void {
  const { headers } = reply
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  assert.equal(headers['x-frame-options'], 'DENY', what)
  assert.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains', what)
  assert.equal(headers['cache-control'], 'no-store', what)
  assert.match(headers['vary'] ?? '', /Authorization/, what)
  assert.match(headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/, what)
  assert.ok(headers['ratelimit-policy'] && headers['ratelimit'], what)
  if (reply.text !== '') {
    assert.equal(headers['content-type'], 'application/json; charset=utf-8', what)
  }
  assert.doesNotMatch(reply.text, /[<>&]/, what)
}

/** @param withToken whether the request sent one */
function assertRefused(
  reply: Reply,
  status: number,
  code: string,
  what: string,
  withToken = true,
): void {
  assert.equal(reply.status, status, `${what}: ${reply.text}`)
  assert.equal(reply.body.code, code, what)
  const scheme = withToken ? 'Bearer error="invalid_token"' : 'Bearer'
  assert.equal(reply.headers['www-authenticate'], status === 401 ? scheme : undefined, what)
  assertAlways(reply, what)
}

/** With people that act for accounts, for the routes of these answer 404 without them. */
const openBank = () => commonWorld({ settings: { MEMBERS: 'on' } })

test('a public route refuses a body with the fields of a limit', async () => {
  const bank = await openBank()
  for (const { method, path } of publicWithBody) {
    const what = `${method} ${path}`
    assertRefused(await bank.send(method, path, { body: {} }), 400, 'invalid_request', what)
    const headers = { 'content-type': 'text/plain' }
    const asText = await bank.send(method, path, { headers, body: {} })
    assertRefused(asText, 415, 'unsupported_media_type', what)
  }
})

test('no token, a malformed token or a forged one: 401', async () => {
  const bank = await openBank()
  const { token } = await bank.as('ada')
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const recoded = (change: object) =>
    Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...change }),
    ).toString('base64url')
  const forged = [
    undefined,
    'nonsense',
    `${header}.${payload}`,
    `${recoded({ alg: 'none' })}.${payload}.`,
    `${recoded({ alg: 'None' })}.${payload}.${signature}`,
    `${recoded({ alg: 'HS256' })}.${payload}.${signature}`,
    `${recoded({ kid: '../../dev/null' })}.${payload}.${signature}`,
    `${recoded({ typ: 'JWT' })}.${payload}.${signature}`,
    `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    await signedByAnother(header, payload),
  ]
  await forAll(guarded, async (route) => {
    for (const token of forged) {
      const reply = await sendTo(bank, route, withUnknownIds(route), token)
      assertRefused(reply, 401, 'unauthenticated', named(route), token !== undefined)
    }
  })
})

async function signedByAnother(header: string, payload: string): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  return new SignJWT(claims)
    .setProtectedHeader(JSON.parse(Buffer.from(header, 'base64url').toString()))
    .sign(privateKey)
}

test('an expired token: 401', async (t) => {
  const bank = await world(t, { settings: { SESSION_IDLE: '1h' } })
  const { token } = await bank.as('ada')
  bank.clock.advance(15 * 60_000)
  await forAll(guarded, async (route) => {
    assertRefused(
      await sendTo(bank, route, withUnknownIds(route), token),
      401,
      'token_expired',
      named(route),
    )
  })
})

test('a revoked session: 401', async () => {
  const bank = await openBank()
  const ada = await bank.as('ada')
  await ada.post('/api/v1/auth/logout')
  await forAll(guarded, async (route) => {
    const reply = await sendTo(bank, route, withUnknownIds(route), ada.token)
    assertRefused(reply, 401, 'session_revoked', named(route))
  })
})

test('a role that is not listed: 403, before the request is validated', async () => {
  const bank = await openBank()
  const bodies = new Set<string>()
  await forAll(guarded, async (route) => {
    for (const role of roles.filter((role) => !grants(route).includes(role))) {
      const { token } = await bank.as(personByRole[role])
      const reply = await sendTo(bank, route, withUnknownIds(route), token)
      assertRefused(reply, 403, 'forbidden', `${named(route)} as ${role}`)
      bodies.add(reply.text)
      const invalid = await sendTo(bank, route, { ...withUnknownIds(route), body: { x: 1 } }, token)
      assert.equal(invalid.status, 403, named(route))
    }
  })
  assert.equal(bodies.size, 1, 'one body for all')
})

test('the identifier of another customer and an unknown one: 403 with the same bytes', async () => {
  const bank = await openBank()
  const own = await readBelongings(bank, 'ada')
  const foreign = await readBelongings(bank, 'ben')
  const { token } = await bank.as('ada')
  const before = await readBooks(bank)
  for (const route of guarded.filter(isOwned)) {
    for (const target of findIdentifiers(route)) {
      const at = (id: string) =>
        sendTo(
          bank,
          route,
          toParts(route, (place) => (samePlace(place, target) ? id : own[place.resource])),
          token,
        )
      const [others, absent] = [await at(foreign[target.resource]), await at(unknown)]
      const what = `${named(route)} with ${target.keys.join('.')}`
      assertRefused(others, 403, 'forbidden', what)
      assert.equal(others.text, absent.text, what)
      assert.deepEqual(Object.keys(others.headers), Object.keys(absent.headers), what)
    }
  }
  assert.deepEqual(await readBooks(bank), before, 'nothing changed')
})

test('to an administrator an unknown identifier is not found, also of a list that lies in it', async () => {
  const bank = await openBank()
  const { token } = await bank.as('root')
  for (const route of guarded) {
    if (route.access === 'public' || route.access.admin !== 'any') continue
    if (!findIdentifiers(route).some(({ part }) => part === 'params')) continue
    const reply = await sendTo(bank, route, withUnknownIds(route), token)
    assertRefused(reply, 404, 'not_found', named(route))
  }
})

const isOwned = ({ access }: Route) => access !== 'public' && access.customer === 'own'
type Place = { part: string; keys: readonly string[] }
const samePlace = (one: Place, other: Place) =>
  one.part === other.part && one.keys.join() === other.keys.join()

/** The data that a refused request must not change. */
async function readBooks({ sql }: World): Promise<unknown> {
  const { rows } = await sql(
    `select (select jsonb_agg(a order by id) from accounts a) as accounts,
            (select count(*) from transfers) as transfers,
            (select jsonb_agg(id order by id) from current_sessions) as sessions`,
  )
  return rows
}

test('an unknown query parameter or body key, or a malformed identifier: 400', async () => {
  const bank = await openBank()
  await forAll(routes, async (route) => {
    const [role] = grants(route)
    const { token } = await bank.as(personByRole[role as Role])
    const parts = withUnknownIds(route)
    const query = await sendTo(bank, route, { ...parts, query: { 'surplus<': 'secret' } }, token)
    assertRefused(query, 400, 'invalid_request', named(route))
    assert.doesNotMatch(query.text, /secret/)
    if (route.method !== 'GET') {
      const body = { ...parts.body, isAdmin: 'secret' }
      const surplus = await sendTo(bank, route, { ...parts, body }, token)
      assertRefused(surplus, 400, 'invalid_request', named(route))
      assert.doesNotMatch(surplus.text, /secret/)
      if (parts.body) {
        assert.equal(surplus.body.details[0]?.path, '/body/isAdmin', named(route) + surplus.text)
      }
    }
    for (const key of Object.keys(parts.params)) {
      for (const id of ['1', unknown.toUpperCase(), `${unknown}%00`, `${unknown};x`, "'--"]) {
        const params = { ...parts.params, [key]: id }
        const malformed = await sendTo(bank, route, { ...parts, params }, token)
        assertRefused(malformed, 400, 'invalid_request', `${named(route)} with ${id}`)
      }
    }
  })
})

type OpenNode = { type?: string; title?: string; additionalProperties?: boolean }

test('of all that routes accept, the JSON of a passkey alone is open to unknown members', () => {
  const open = new Set<string>()
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, title = at, additionalProperties } = node as OpenNode
    if (type === 'object' && additionalProperties !== false) open.add(title)
    for (const [key, value] of Object.entries(node)) {
      visit(value, key === 'properties' ? title : `${title}.${key}`)
    }
  }
  for (const { params, query, body, reply } of routes) visit({ params, query, body, reply }, '')
  // Clients and authenticators extend it, and a relying party ignores that (WebAuthn 7.1).
  assert.deepEqual(open, new Set(passkeyObjects))
})

const passkeyObjects = ['PasskeyRegistration', 'PasskeyAssertion'].flatMap((title) => [
  title,
  `${title}.clientExtensionResults`,
  `${title}.response`,
])

test('HEAD passes the same gate as GET and has no body', async () => {
  const bank = await openBank()
  const own = await readBelongings(bank, 'ada')
  await forAll(
    routes.filter(({ method }) => method === 'GET'),
    async (route) => {
      const [role] = grants(route)
      const { token } = await bank.as(personByRole[role as Role])
      const parts = toParts(route, ({ resource }) => own[resource])
      const get = await sendTo(bank, route, parts, token)
      const head = await sendTo(bank, { ...route, method: 'HEAD' as never }, parts, token)
      assert.equal(head.status, get.status, named(route))
      assert.equal(head.text, '')
      const anonymous = await sendTo(bank, { ...route, method: 'HEAD' as never }, parts)
      assert.equal(anonymous.status, route.access === 'public' ? 200 : 401)
    },
  )
})

test('a GET changes nothing but the trail', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const own = await readBelongings(bank, 'ada')
  const reads = routes.filter(({ method }) => method === 'GET')
  const read = () => readTables(bank, ['audit_events'])
  for (const name of Object.values(personByRole)) await bank.as(name)
  const before = await read()
  let answered = 0
  for (const route of reads) {
    for (const role of grants(route)) {
      const { token } = await bank.as(personByRole[role])
      const parts = toParts(route, ({ resource }) => own[resource])
      const { status } = await sendTo(bank, route, parts, token)
      if (status === 200) answered++
    }
  }
  assert.ok(answered > reads.length, `${answered} of ${reads.length} reads, by three roles`)
  assert.deepEqual(await read(), before)
})

test('every guarded route is limited by its class, and Retry-After is exact', async (t) => {
  const bank = await world(t, { limits: 'default' })
  let tokens = new Map<string, string>()
  let counts = new Map<string, number>()
  /** The sustained window of a class has room for so many routes of a person. */
  const tokenFor = async (name: PersonName, limit: string): Promise<string> => {
    const count = counts.get(`${name} ${limit}`) ?? 0
    if (count === 12) {
      bank.clock.advance(3_600_000)
      ;[tokens, counts] = [new Map(), new Map()]
    }
    counts.set(`${name} ${limit}`, (counts.get(`${name} ${limit}`) ?? 0) + 1)
    const token = tokens.get(name) ?? (await bank.login(name)).token
    tokens.set(name, token)
    return token
  }
  for (const route of guarded) {
    const [role] = grants(route)
    const token = await tokenFor(personByRole[role as Role], route.limit)
    const { quota } = (defaultLimits[route.limit] as { burst: { quota: number } }).burst
    const ask = () =>
      sendTo(bank, route, { ...withUnknownIds(route), query: { surplus: '1' } }, token)
    for (let turn = 0; turn < quota; turn++) assert.equal((await ask()).status, 400, named(route))
    const limited = await ask()
    assertRefused(limited, 429, 'rate_limited', named(route))
    const wait = Number(limited.headers['retry-after']) * 1000
    bank.clock.advance(wait - 1)
    assert.equal((await ask()).status, 429, named(route))
    bank.clock.advance(1)
    assert.equal((await ask()).status, 400, named(route))
    bank.clock.advance(1000)
  }
})

test('paths without the prefix are the same routes, with the same limit', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const ada = await bank.as('ada')
  const { quota } = defaultLimits.read.burst
  for (let turn = 0; turn < quota; turn++) {
    const path = turn % 2 === 0 ? '/accounts' : '/api/v1/accounts'
    assert.equal((await ada.get(path)).status, 200)
  }
  assert.equal((await ada.get('/accounts')).status, 429)
  assert.equal((await bank.send('GET', '/accounts')).status, 401)
  assert.equal((await ada.get('/accountsx')).status, 404)
  assert.equal((await ada.get('/%61ccounts')).status, 404)
})

test('a path with an empty segment is another path: 404', async () => {
  const bank = await openBank()
  const { token } = await bank.as('root')
  await forAll(routes, async (route) => {
    const plain = { ...withUnknownIds(route), query: {} }
    const path = toPath(route, plain)
    const spelt = [`${path}/`, `${path}//`, path.replace(/.(?=[^/]*$)/, '//'), `${path}/#x`]
    const emptied = toPath(route, { ...plain, params: {} }).replaceAll('undefined', '')
    if (emptied !== path) spelt.push(emptied, emptied.replace('/api', '/%61pi'))
    for (const target of spelt) {
      for (const options of [{}, { token }]) {
        const { status, body } = await bank.send(route.method, target, options)
        assert.equal(status, 404, `${route.method} ${target}`)
        assert.equal(body.code, 'not_found')
      }
    }
  })
})

test("staff get 404 for the bank's own accounts on every route", async () => {
  const bank = await openBank()
  const own = await readBelongings(bank, 'ada')
  const paidIn = await bank.sql(`select id from transfers where kind = 'deposit'`)
  const ids = { ...own, transaction: paidIn.rows[0]?.['id'] as string }
  await bank.as('agnes')
  const about = guarded.filter((route) => findIdentifiers(route).some(isAccount))
  assert.ok(about.length > 10)
  const before = await readBooks(bank)
  for (const account of bankCodes.map((code) => bankAccount(code, 'EUR'))) {
    for (const route of about) {
      const parts = toParts(route, ({ resource }) => ({ ...ids, account })[resource])
      for (const role of grants(route).filter((role) => role !== 'customer')) {
        const { token } = await bank.as(personByRole[role])
        const reply = await sendTo(bank, route, parts, token)
        assertRefused(reply, 404, 'not_found', `${named(route)} as ${role}`)
      }
    }
  }
  assert.deepEqual(await readBooks(bank), before)
})
const isAccount = ({ resource }: { resource: string }) => resource === 'account'

test('staff get 404 for what there is not, by every route whose path names it', async () => {
  const bank = await openBank()
  const about = guarded.filter((route) =>
    findIdentifiers(route).some(({ part }) => part === 'params'),
  )
  const answers: Record<string, string> = {}
  for (const route of about) {
    for (const role of grants(route).filter((role) => role !== 'customer')) {
      if (route.access === 'public' || route.access[role] !== 'any') continue
      const { token } = await bank.as(personByRole[role])
      const { status, body } = await sendTo(bank, route, withUnknownIds(route), token)
      if (status !== 404) answers[`${named(route)} as ${role}`] = `${status} ${body?.code}`
    }
  }
  assert.deepEqual(answers, {})
})

test('the list of routes and the people of the tests are not empty', () => {
  assert.ok(guarded.length > 20)
  assert.equal(Object.keys(people).length, 5)
})

// What the log, the audit trail and the database never hold: every route is driven with secrets in
// every place a client can put them, at the most talkative level.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Role } from '../src/gate/roles.ts'
import { uuidPattern } from '../src/domain/ids.ts'
import { createLog, maskSecrets } from '../src/telemetry/log.ts'
import type { Route } from '../src/http/route.ts'
import { newSecret } from '../src/gate/opaque-secret.ts'
import { toShownCode } from '../src/features/factors/recovery.ts'
import { base32, newTotpSecret } from '../src/features/factors/totp.ts'
import { routes } from '../src/features/routes.ts'
import { toSecretText } from '../src/features/webhooks/signature.ts'
import { newKey } from '../src/gate/service-keys.ts'
import { canary, toSpellings, wrongInLine } from './fuzz/canary.ts'
import type { Sent } from './fuzz/request.ts'
import { wireTo } from './fuzz/wire.ts'
import { tokenMailedTo } from './support/mailbox.ts'
import { readBelongings, type RequestParts, toParts, toPath, sendTo } from './support/requests.ts'
import { password, people, type PersonName, world, type World } from './support/world.ts'

/** As a client might paste them somewhere; each marked, or of a form of its own. */
const typed = {
  password: `${canary} Tango-9471 lima!`,
  opaque: `${canary}-Jx7Qm2VtL0pRw8YbNc4KdHs6GfZa1Ue`,
  jwt: `eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ${canary}In0.c2ln${canary}`,
  card: '4111111111111111',
  cardInGroups: '5555 5555 5555 4444',
  iban: 'GB33BUKB20201555555555',
  ibanInGroups: 'DE89 3704 0044 0532 0130 00',
  hash: `$argon2id$v=19$m=19456,t=2,p=1$${canary}$${canary}`,
  lines: `${canary}\r\n{"level":60,"message":"forged"}\n\u001b[31m\u2028\u0085`,
}

const personByRole: Record<Role, PersonName> = {
  customer: 'ada',
  'support-agent': 'agnes',
  admin: 'root',
}
const routeName = ({ method, path }: Route): string => `${method} ${path}`

async function tokenFor(bank: World, { access }: Route): Promise<string | undefined> {
  if (access === 'public') return undefined
  const [role] = Object.keys(access) as Role[]
  const name = personByRole[role as Role]
  const voice = await bank.as(name)
  // Some routes end the session of whoever asks.
  const isAlive = (await voice.get('/api/v1/me')).status === 200
  return isAlive ? voice.token : (await bank.login(name)).token
}

/** Fails on the first line that is no event or holds one of the secrets, however it is spelt. */
function assertSilent(bank: World, secrets: readonly string[], during: string): void {
  const spellings = secrets.flatMap(toSpellings)
  for (const line of bank.logged.splice(0)) {
    assert.equal(wrongInLine(line), undefined, `${during}: ${line}`)
    for (const spelling of spellings) assert.ok(!line.includes(spelling), `${during}: ${line}`)
  }
}

/** The same request with the secret in every place of one kind. */
function placed(
  route: Route,
  parts: RequestParts,
  secret: string,
): [where: string, Partial<Sent>][] {
  const { method } = route
  const whole = (key: string) => [key, secret] as const
  const body = Object.fromEntries(Object.keys(route.body?.properties ?? {}).map(whole))
  const query = Object.fromEntries(Object.keys(route.query?.properties ?? {}).map(whole))
  const params = Object.fromEntries(Object.keys(parts.params).map(whole))
  const plain = toPath(route, parts)
  const encoded = encodeURIComponent(secret)
  const text = (value: unknown) => Buffer.from(JSON.stringify(value))
  const inPath = route.path.replace(/:\w+/g, encoded)
  return [
    ['body', { method, target: plain, payload: text(body) }],
    ['one key of the body', { method, target: plain, payload: text({ ...parts.body, x: secret }) }],
    ['a key', { method, target: plain, payload: text({ ...parts.body, [secret]: 1 }) }],
    ['broken JSON', { method, target: plain, payload: Buffer.from(`{"password":"${secret}",`) }],
    ['query', { method, target: toPath(route, { ...parts, query }) }],
    ['a parameter', { method, target: `${plain}?token=${encoded}` }],
    ['path', { method, target: Object.keys(params).length > 0 ? inPath : `${plain}/${encoded}` }],
    ['a broken path', { method, target: `${plain}/%zz${encoded}` }],
    ['headers', { method, target: plain, headers: headersWith(secret) }],
    ['the method', { method: canary.toUpperCase(), target: `${plain}?${encoded}`, via: 'raw' }],
    ['a broken header', { method, target: plain, headers: [['x', `${secret}\0`]], via: 'raw' }],
  ]
}

function headersWith(secret: string): [string, string][] {
  const value = secret.replace(/[^\u0020-\u007e]/g, '')
  const names = ['cookie', 'referer', 'user-agent', 'x-forwarded-for', 'x-request-id', 'origin']
  return [...names, 'idempotency-key', 'accept', 'forwarded'].map((name) => [name, value])
}

test('the log never repeats what a client sent, wherever it was in the request', async (t) => {
  const bank = await world(t)
  const wire = await wireTo(bank)
  t.after(() => wire.close())
  const own = await readBelongings(bank, 'ada')
  for (const [number, route] of routes.entries()) {
    const token = await tokenFor(bank, route)
    const bearers = [token, typed.opaque, typed.jwt, undefined]
    const parts = toParts(route, ({ resource }) => own[resource])
    const secrets = Object.entries(typed)
    // One secret in each place of a route; the next route has another one there.
    for (const [index, [what, secret]] of secrets.entries()) {
      const all = placed(route, parts, secret).map(async ([, part], place) => {
        if ((index + place + number) % secrets.length > 0) return
        // Mostly with the good token, so that it gets further than the gate.
        const bearer = bearers[place % 4 === 0 ? index % 4 : 0]
        const headers: Sent['headers'] = [['host', 'bank.example'], ...(part.headers ?? [])]
        if (bearer !== undefined) headers.push(['authorization', `Bearer ${bearer}`])
        if (part.payload) {
          headers.push(['content-type', 'application/json'])
          headers.push(['content-length', String(part.payload.length)])
        }
        const rest = { method: 'GET', target: '/', payload: undefined, via: 'http/1.1' } as const
        const { status } = await wire.send({ ...rest, ...part, headers })
        assert.ok(status > 0 && status < 500, `${routeName(route)} with ${what}: ${status}`)
      })
      await Promise.all(all)
    }
    assert.ok(bank.logged.length > 8, 'there is something to look at')
    assertSilent(bank, Object.values(typed), routeName(route))
  }
})

/** Everything that is given out and everything that is typed on the ordinary ways. */
async function livedIn(bank: World): Promise<string[]> {
  const login = await bank.send('POST', '/api/v1/auth/login', {
    body: { username: 'ada', password, device: 'Phone' },
  })
  const { token, refreshToken, deviceToken } = login.body
  const again = await bank.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  const wrong = { username: 'ada', password: typed.password, deviceToken }
  await bank.send('POST', '/api/v1/auth/login', { body: wrong })
  const change = { currentPassword: password, newPassword: `${typed.password} 2` }
  const changed = await bank.send('POST', '/api/v1/auth/password', { token, body: change })
  assert.equal(changed.status, 204, changed.text)
  await bank.send('POST', '/api/v1/auth/password-reset', { body: { email: 'ben@example.com' } })
  const link = await tokenMailedTo(bank, 'ben@example.com')
  const body = { token: link, newPassword: `${typed.password} 3` }
  const confirmed = await bank.send('POST', '/api/v1/auth/password-reset/confirm', { body })
  assert.equal(confirmed.status, 204, confirmed.text)
  await bank.send('POST', '/api/v1/auth/password-reset', { body: { email: 'agnes@example.com' } })
  const open = await tokenMailedTo(bank, 'agnes@example.com')
  const root = await bank.as('root')
  const person = { username: 'clara', email: 'clara@example.com', givenName: 'C', familyName: 'H' }
  const made = { ...person, roles: ['customer'], password: `${typed.password} 4` }
  assert.equal((await root.post('/api/v1/admin/users', made)).status, 201)
  const passwords = [2, 3, 4].map((each) => `${typed.password} ${each}`)
  const tokens = [token, refreshToken, deviceToken, link, open, root.token, root.refreshToken]
  return [...passwords, typed.password, password, ...tokens, ...Object.values(again.body as object)]
    .filter((secret) => typeof secret === 'string')
    .filter((secret) => secret.length > 10 && !new RegExp(uuidPattern).test(secret))
}

test('no password and no token is in the log or anywhere in the database, but for hashes', async (t) => {
  const bank = await world(t)
  const secrets = await livedIn(bank)
  assert.ok(secrets.length >= 14)
  await bank.running.edge.flush()
  const { rows: tables } = await bank.sql(
    `select table_name as name from information_schema.tables where table_schema = 'strongroom'`,
  )
  let seen = 0
  for (const { name } of tables) {
    const { rows } = await bank.sql(`select t::text as line from strongroom."${String(name)}" t`)
    for (const { line } of rows) {
      seen++
      for (const spelling of secrets.flatMap(toSpellings)) {
        assert.ok(!String(line).includes(spelling), `${String(name)} holds a secret`)
      }
    }
  }
  assert.ok(seen > 20, 'there is something to look at')
  assertSilent(bank, secrets, 'living')
})

test('the audit trail names people and things by identifier, and holds nothing personal', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const own = await readBelongings(bank, 'ada')
  const user = `/api/v1/admin/users/${people.ada.id}`
  const phone = '+442079460999'
  await root.patch(user, { phone, address: canary, familyName: canary, email: 'x@example.com' })
  const settings = { registeredPhone: phone, overdraftLimit: '77.11', currency: 'EUR' }
  await root.patch(`/api/v1/accounts/${own.account}/settings`, settings)
  await root.get(`/api/v1/admin/accounts?iban=${typed.iban}&holder=${canary}`)
  await root.get('/api/v1/admin/users?email=x@example.com')
  await bank.send('POST', '/api/v1/auth/login', { body: { username: canary, password } })
  const ada = await bank.as('ada')
  await ada.get(`/api/v1/admin/users?email=x@example.com&name=${canary}`)
  await bank.running.edge.flush()
  const { rows } = await bank.sql('select e::text as line from audit_events e')
  assert.ok(rows.length >= 6)
  for (const { line } of rows) {
    const personal = /zqxcanary|\+4420|77\.11|example\.com|GB33|\d{4} \d{4}/i
    assert.doesNotMatch(String(line), personal)
  }
})

test('messages of the database about refused values do not reach the log', async (t) => {
  const bank = await world(t)
  const own = await readBelongings(bank, 'ada')
  const tokens = new Map<Route, string | undefined>()
  for (const route of routes) tokens.set(route, await tokenFor(bank, route))
  const tables = ['accounts', 'beneficiaries', 'cards', 'mails', 'sessions', 'transfers', 'users']
  tables.push('service_accounts', 'service_keys')
  for (const table of tables) {
    await bank.sql(`alter table ${table} add constraint spite check (false) not valid`)
  }
  bank.logged.length = 0
  let failed = 0
  for (const route of routes) {
    const parts = toParts(route, ({ resource }) => own[resource])
    const named = parts.body && 'name' in parts.body
    const body = named ? { ...parts.body, name: `${canary} Hopper` } : parts.body
    const reply = await sendTo(bank, route, { ...parts, body }, tokens.get(route))
    if (reply.status === 500) failed++
    assert.doesNotMatch(reply.text, /spite|Failing|zqxcanary|constraint/, routeName(route))
  }
  assert.ok(failed >= 5, `the database refused ${failed} requests`)
  assert.match(bank.logged.join(''), /"state":"23514"/)
  assertSilent(bank, [typed.iban, password], 'a database that refuses')
})

test('a request is identified by the service, in its answer and in the log', async (t) => {
  const bank = await world(t)
  const own = await readBelongings(bank, 'ada')
  const seen = new Set<string>()
  for (const route of routes) {
    const token = await tokenFor(bank, route)
    const parts = toParts(route, ({ resource }) => own[resource])
    bank.logged.length = 0
    const forged = '01940000-0000-7000-8000-0000000000ff'
    const reply = await bank.send(route.method, toPath(route, parts), {
      token,
      headers: { 'x-request-id': forged, 'request-id': forged, traceparent: `00-${forged}` },
      ...(parts.body !== undefined && { body: parts.body }),
    })
    const id = reply.headers['x-request-id'] as string
    assert.match(id, new RegExp(uuidPattern), routeName(route))
    assert.ok(!seen.has(id) && id !== forged, routeName(route))
    seen.add(id)
    const lines = bank.logged.filter((line) => line.includes('"requestId"'))
    assert.ok(lines.length > 0, `${routeName(route)} is not in the log`)
    for (const line of lines) {
      assert.equal((JSON.parse(line) as { requestId: string }).requestId, id, routeName(route))
    }
  }
})

test('each secret that the service makes is masked in the log, wherever it stands', () => {
  const masked = (text: string) => JSON.stringify({ a: text, b: 1 })
  for (let turn = 0; turn < 200; turn++) {
    const secrets = {
      'a key of a service account': newKey(),
      'a shared key of a webhook': toSecretText(randomBytes(32)),
      'a token of refresh, of a mail, of a device, or a handle': newSecret(),
      'a recovery code': toShownCode(base32(randomBytes(10))),
      'a secret of one-time codes': base32(newTotpSecret()),
    }
    for (const [what, secret] of Object.entries(secrets)) {
      for (const [before, behind] of [
        ['', ''],
        ['the value ', ' is wrong'],
        ['"', '"'],
        ['token=', '&x=1'],
        ['(', '), '],
      ]) {
        const line = masked(`${before}${secret}${behind}`)
        assert.equal(maskSecrets(line), masked(`${before}[masked]${behind}`), `${what}: ${line}`)
      }
    }
  }
})

test('what is no secret stays readable in the log', () => {
  const line = JSON.stringify({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    requestId: '00000000-0002-7596-90b9-706598265055',
    route: '/api/v1/admin/service-accounts/:serviceAccountId/keys/:keyId/addresses-and-more',
    error: {
      stack: '    at read (file:///srv/strongroom/src/features/statements/statement-pdf.ts:12:9)',
    },
    because: 'a text with some long-words-joined-by-hyphens in it',
  })
  assert.equal(maskSecrets(line), line)
})

test('a log line is one line in every reader, whatever an event contains', () => {
  const lines: string[] = []
  const log = createLog('trace', (line) => void lines.push(line))
  const rude = 'a\r\n\u0000\u001b[2J\u007f\u0085\u009b31m\u2028\u2029\u202e\u2066b'
  log.warn({ because: rude, address: rude }, rude)
  assert.equal(lines.length, 1)
  assert.equal(wrongInLine(lines[0] as string), undefined)
  assert.doesNotMatch(lines[0] as string, /[\u202a-\u202e\u2066-\u2069]/)
  const { because, message } = JSON.parse(lines[0] as string) as Record<string, string>
  assert.equal(because, rude, 'nothing is lost')
  assert.equal(message, rude)
})

test('a body that is refused over HTTP/2 leaves no warning on standard error', async (t) => {
  const bank = await world(t)
  const wire = await wireTo(bank)
  const warnings: string[] = []
  const warned = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', warned)
  t.after(() => {
    process.off('warning', warned)
    wire.close()
  })
  const headers: Sent['headers'] = [
    ['host', 'bank.example'],
    ['content-type', 'application/json'],
  ]
  const payload = Buffer.from('{"email":')
  const target = '/api/v1/auth/password-reset'
  const { status } = await wire.send({ method: 'POST', target, headers, payload, via: 'http/2' })
  assert.equal(status, 400)
  await new Promise(setImmediate)
  assert.deepEqual(warnings, [])
})

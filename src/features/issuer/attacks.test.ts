// What an attacker tries at the sign-in of staff: with a browser, with tokens, and as the issuer.
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fromPage } from '../../../test/support/browser-session.ts'
import {
  beginSignIn,
  type Claims,
  clientId,
  endSignIn,
  handedOn,
  insteadJson,
  issuerScene,
  type Scene,
  testIssuer,
} from '../../../test/support/issuer.ts'
import type { Reply } from '../../../test/support/world.ts'
import { readAuthorities } from './authorities.ts'
import { createBoundedFetch } from './bounded-fetch.ts'

const subject = 'subject-of-agnes'
const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim()
const refused = '401 issuer_refused'
const away = '503 issuer_unavailable'
const minute = 60_000

async function linked(t: Parameters<typeof issuerScene>[0]): Promise<Scene> {
  const bank = await issuerScene(t)
  assert.equal(outcome(await bank.link('agnes', subject)), '200')
  return bank
}

/** A visit of a browser, and what it brought back. */
async function bring(bank: Scene, accountId = subject) {
  const { cookie, location } = await beginSignIn(bank)
  return { cookie, brought: handedOn(await bank.issuer.visit(location, { accountId })) }
}

test('an answer opens a session once, and only in the browser that began the visit', async (t) => {
  const bank = await linked(t)
  const [mine, theirs] = [await bring(bank), await bring(bank)]
  assert.equal(outcome(await endSignIn(bank, mine.brought)), refused, 'no cookie')
  assert.equal(
    outcome(await endSignIn(bank, mine.brought, theirs.cookie)),
    refused,
    'another browser',
  )
  const forged = `${theirs.cookie.slice(0, -1)}A`
  assert.equal(outcome(await endSignIn(bank, mine.brought, forged)), refused)
  const twice = `${mine.cookie}; ${theirs.cookie}`
  assert.equal(outcome(await endSignIn(bank, mine.brought, twice)), refused, 'two cookies')
  assert.equal(outcome(await endSignIn(bank, mine.brought, mine.cookie)), '204')
  assert.equal(outcome(await endSignIn(bank, mine.brought, mine.cookie)), refused, 'again')
  assert.equal(outcome(await endSignIn(bank, theirs.brought, theirs.cookie)), '204', 'untouched')
})

test('of simultaneous answers with one state exactly one opens a session', async (t) => {
  const bank = await linked(t)
  const { cookie, brought } = await bring(bank)
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => endSignIn(bank, brought, cookie)),
  )
  assert.equal(replies.filter(({ status }) => status === 204).length, 1)
  assert.deepEqual(new Set(replies.map(outcome)), new Set(['204', refused]))
})

test("a stolen code is worth nothing in the thief's browser", async (t) => {
  const bank = await linked(t)
  const victim = await bring(bank)
  const thief = await bring(bank, 'thief')
  const stolen = { ...thief.brought, code: victim.brought.code }
  assert.equal(outcome(await endSignIn(bank, stolen, thief.cookie)), refused)
})

test('the answer of a mixed-up issuer, and one without its name, is refused before its code is sent', async (t) => {
  const bank = await linked(t)
  for (const iss of ['https://evil.example', `${bank.issuer.url}/`, undefined]) {
    const { cookie, brought } = await bring(bank)
    const { iss: _, ...rest } = brought
    bank.issuer.asked.length = 0
    const answer = { ...rest, ...(iss !== undefined && { iss }) }
    assert.equal(outcome(await endSignIn(bank, answer, cookie)), refused, iss)
    assert.ok(!bank.issuer.asked.includes('/token'))
  }
})

test('a page of another site neither begins a visit nor ends one', async (t) => {
  const bank = await linked(t)
  const { cookie, brought } = await bring(bank)
  for (const site of ['cross-site', 'same-site', 'none']) {
    const headers = { 'sec-fetch-site': site, cookie }
    const begun = await bank.send('POST', '/portal/session/issuer', { headers })
    const path = '/portal/session/issuer/answer'
    const ended = await bank.send('POST', path, { headers, body: brought })
    assert.deepEqual([begun, ended].map(outcome), ['403 forbidden', '403 forbidden'], site)
  }
})

test('a visit and the cookie of its browser last ten minutes', async (t) => {
  const bank = await linked(t)
  const begun = await bank.send('POST', '/portal/session/issuer', { headers: fromPage })
  assert.match(String(begun.headers['set-cookie']), /; Secure; HttpOnly; .*; Max-Age=600$/)
  const { rows } = await bank.sql('select begun_at, expires_at from issuer_visits')
  assert.deepEqual(rows, [
    { begun_at: new Date(bank.clock.now()), expires_at: new Date(bank.clock.now() + 10 * minute) },
  ])
})

for (const [after, expected] of [
  [10 * minute - 1, '204'],
  [10 * minute, refused],
  [10 * minute + 1, refused],
] as const) {
  test(`a visit that began ${after} ms ago is answered ${expected}`, async (t) => {
    const bank = await linked(t)
    const { cookie, brought } = await bring(bank)
    await bank.sql(`update issuer_visits set expires_at = $1`, [
      new Date(bank.clock.now() + 10 * minute - after),
    ])
    assert.equal(outcome(await endSignIn(bank, brought, cookie)), expected)
  })
}

const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A sign-in in which the issuer's token end point gives this in place of an ID token. */
async function signInWith(
  bank: Scene,
  claims: (nonce: string) => Claims | string,
  header?: { alg?: string; kid?: string; key?: KeyObject },
): Promise<Reply> {
  const { cookie, location } = await beginSignIn(bank)
  const { searchParams } = new URL(location)
  const [state, nonce = ''] = ['state', 'nonce'].map((name) => searchParams.get(name) ?? '')
  bank.issuer.answerToken(claims(nonce), header)
  return endSignIn(bank, { state, code: 'any', iss: bank.issuer.url }, cookie)
}

test('an ID token is believed only as OpenID Connect Core 1.0 has it', async (t) => {
  const bank = await linked(t)
  const now = () => Math.floor(bank.clock.now() / 1000)
  const full = (nonce: string): Claims => ({
    iss: bank.issuer.url,
    aud: clientId,
    sub: subject,
    nonce,
    iat: now(),
    exp: now() + 300,
  })
  const signed = async (more: (nonce: string) => Claims, header?: object) =>
    outcome(await signInWith(bank, (nonce) => ({ sub: subject, nonce, ...more(nonce) }), header))
  assert.equal(await signed(() => ({})), '204', 'the forged ones differ by one thing each')
  assert.equal(await signed(() => ({ aud: [clientId], azp: clientId })), '204')
  assert.equal(await signed(() => ({ sid: 7 })), '204')
  const { rows } = await bank.sql('select from sessions where issuer_sid_hash is not null')
  assert.equal(rows.length, 0, 'a sid that is no text is none')
  const wrong: Record<string, (nonce: string) => Claims> = {
    'another issuer': () => ({ iss: 'https://evil.example' }),
    'another spelling of the issuer': () => ({ iss: `${bank.issuer.url}/` }),
    'another client': () => ({ aud: 'another-client' }),
    'no client': () => ({ aud: [] }),
    'two clients, authorized to the other': () => ({
      aud: [clientId, 'another-client'],
      azp: 'another-client',
    }),
    'two clients, authorized to nobody': () => ({ aud: [clientId, 'another-client'] }),
    'one client, authorized to another': () => ({ azp: 'another-client' }),
    'no nonce': () => ({ nonce: undefined }),
    'an empty nonce': () => ({ nonce: '' }),
    'another nonce': (nonce) => ({ nonce: `${nonce}x` }),
    'no subject': () => ({ sub: undefined }),
    'no expiry': () => ({ exp: undefined }),
    'no time of issue': () => ({ iat: undefined }),
    expired: () => ({ exp: now() - 61 }),
    'from five minutes ago': () => ({ iat: now() - 300 }),
    'from five minutes ahead': () => ({ iat: now() + 300, exp: now() + 600 }),
    // The judgement may come seconds later, by the real clock.
    'not yet valid': () => ({ nbf: now() + 120 }),
  }
  for (const [what, claims] of Object.entries(wrong)) {
    assert.equal(await signed(claims), refused, what)
  }
  assert.equal(await signed(() => ({}), { key: other }), refused, 'signed by another key')
  assert.equal(await signed(() => ({}), { kid: 'two' }), refused, 'by a key that is unknown')
  assert.equal(await signed(() => ({}), { alg: 'PS256' }), refused, 'by another algorithm')
  const pem = bank.issuer.publicKey.export({ format: 'pem', type: 'spki' })
  const unsigned: Record<string, (head: string, body: string) => string> = {
    none: (_, body) => `${part({ alg: 'none' })}.${body}.`,
    None: (_, body) => `${part({ alg: 'None', kid: 'one' })}.${body}.`,
    'HS256 with the public key': (_, body) => {
      const text = `${part({ alg: 'HS256', kid: 'one' })}.${body}`
      return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`
    },
    'HS256 with the secret of the client': (_, body) => {
      const text = `${part({ alg: 'HS256' })}.${body}`
      const secret = bank.issuer.settings['OIDC_CLIENT_SECRET'] as string
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
    },
    'no signature': (head, body) => `${head}.${body}.`,
    'two parts': (head, body) => `${head}.${body}`,
    'a critical parameter': (_, body) =>
      `${part({ alg: 'RS256', kid: 'one', crit: ['x'], x: 1 })}.${body}.AA`,
    text: () => 'text',
  }
  for (const [what, make] of Object.entries(unsigned)) {
    const reply = await signInWith(bank, (nonce) => {
      return make(part({ alg: 'RS256', kid: 'one' }), part(full(nonce)))
    })
    assert.equal(outcome(reply), refused, what)
  }
})

test('a subject with odd characters is nobody, and no input fails with 5xx', async (t) => {
  const bank = await linked(t)
  const odd = [
    ` ${subject}`,
    `${subject} `,
    `${subject}\u0000`,
    `${subject}\n`,
    'ſubject-of-agnes',
    'subject‐of‐agnes',
    '\ud800',
    '%',
    "' or 1=1 --",
    'x'.repeat(256),
    subject.toUpperCase(),
    '',
  ]
  for (const sub of odd) {
    const reply = await signInWith(bank, (nonce) => ({ sub, nonce }))
    assert.equal(outcome(reply), refused, JSON.stringify(sub))
  }
  for (const body of [
    { state: 'x', code: '\u0001' },
    { state: '\ud800', code: 'x' },
    { state: 'x'.repeat(128), code: 'é'.repeat(4096), iss: '' },
    { state: 'x', error: 'server_error' },
  ]) {
    const { status } = await endSignIn(bank, body, (await beginSignIn(bank)).cookie)
    assert.ok(status < 500, `${status}`)
  }
})

test('with a clock that is off by five minutes nobody signs in, in either direction', async (t) => {
  const bank = await linked(t)
  for (const offMs of [5 * minute, -5 * minute]) {
    bank.clock.jump(offMs)
    assert.equal(outcome(await bank.signIn(subject)), refused)
    bank.clock.jump(-offMs)
  }
  assert.equal(outcome(await bank.signIn(subject)), '204')
})

const document = '/.well-known/openid-configuration'

/** The issuer's document as it is, with changes. */
async function documentOf(bank: Scene, changes: object): Promise<object> {
  const { url } = bank.issuer
  const endPoints = {
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
  }
  return { issuer: url, ...endPoints, ...changes }
}

const begin = async (bank: Scene): Promise<string> =>
  outcome(await bank.send('POST', '/portal/session/issuer', { headers: fromPage }))

test('a document of another issuer, without its end points, or without end is no document', async (t) => {
  const bank = await linked(t)
  const { instead } = bank.issuer
  const begunAt = bank.clock.now()
  /** Read anew: what was read is used for five minutes. */
  const tryWith = async (): Promise<string> => {
    bank.clock.advance(5 * minute)
    return begin(bank)
  }
  instead.set(document, insteadJson(await documentOf(bank, {})))
  assert.equal(await tryWith(), '200', 'the others differ by one thing each')
  const { port } = new URL(bank.issuer.url)
  for (const changes of [
    { issuer: 'https://evil.example' },
    { issuer: `${bank.issuer.url}/` },
    { issuer: undefined },
    { token_endpoint: `http://localhost:${port}/token` },
    { authorization_endpoint: 'javascript:alert(1)' },
    { jwks_uri: undefined },
    { jwks_uri: 'file:///etc/passwd' },
  ]) {
    instead.set(document, insteadJson(await documentOf(bank, changes)))
    assert.equal(await tryWith(), away, JSON.stringify(changes))
  }
  const head = { 'content-type': 'application/json' }
  const whole = JSON.stringify(await documentOf(bank, {}))
  const answers: Record<string, Parameters<typeof instead.set>[1]> = {
    'another status': insteadJson(await documentOf(bank, {}), 500),
    'no JSON': (_, response) => void response.end('<html>'),
    'a list': insteadJson([]),
    'too large': insteadJson(
      await documentOf(bank, { filler: 'x'.repeat(256 * 1024 - whole.length) }),
    ),
    'a head too large': (_, response) =>
      void response.writeHead(200, { ...head, filler: 'x'.repeat(16 * 1024) }).end(whole),
    endless(_, response) {
      response.writeHead(200, head)
      const write = () => void (response.destroyed || response.write(' '.repeat(65_536), write))
      write()
    },
    'a redirect to another host': (_, response) =>
      void response.writeHead(302, { location: 'https://evil.example/' }).end('{}'),
    'a redirect to itself': (_, response) =>
      void response.writeHead(307, { location: document }).end('{}'),
    'a cut connection': (_, response) => void response.destroy(),
  }
  for (const [what, answer] of Object.entries(answers)) {
    instead.set(document, answer)
    assert.equal(await tryWith(), away, what)
  }
  instead.delete(document)
  assert.equal(await tryWith(), '200')
  bank.clock.jump(begunAt - bank.clock.now())
  assert.equal(outcome(await bank.signIn(subject)), '204')
  for (const line of ['the issuer does not answer', 'the issuer answers again']) {
    assert.equal(bank.logged.filter((each) => each.includes(line)).length, 1, line)
  }
})

test('32 requests to the issuer are made at once, and a further one is refused without a wait', async (t) => {
  const issuer = await testIssuer(t)
  const ask = createBoundedFetch(await readFile(issuer.caPath, 'utf8'))
  issuer.instead.set('/some', insteadJson({}))
  const get = (url = `${issuer.url}/some`) =>
    ask(url, { method: 'GET', headers: {} }).then(
      () => 'answered',
      ({ message }: Error) => message,
    )
  const tooMany = 'too many requests to it are under way'
  const all = Array.from({ length: 32 }, () => get())
  assert.equal(await get(), tooMany)
  assert.ok(!(await Promise.all(all)).includes(tooMany))
  assert.equal(await get(), 'answered')
  assert.equal(await get(issuer.url.replace('https', 'http')), 'a URL of it is not https')
})

test('an answer that drips for ever is given up in time', async (t) => {
  const bank = await linked(t)
  bank.clock.advance(5 * minute)
  bank.issuer.instead.set(document, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(drip))
  })
  const startedAt = performance.now()
  assert.equal(await begin(bank), away)
  assert.ok(performance.now() - startedAt < 6000)
})

test('a key set has few keys, comes from where the document says, and redirects nowhere', async (t) => {
  const usual = { kty: 'RSA', kid: 'x', n: 'AQAB', e: 'AQAB' }
  const keysOf = (count: number, key: object = usual) => Array.from({ length: count }, () => key)
  for (const [what, answer, expected] of [
    ['51 keys', insteadJson({ keys: keysOf(51) }), away],
    ['10 000 tiny keys', insteadJson({ keys: keysOf(10_000, {}) }), away],
    ['10 000 keys', insteadJson({ keys: keysOf(10_000) }), away],
    ['50 keys, none of them right', insteadJson({ keys: keysOf(50) }), refused],
    ['spoiled keys', insteadJson({ keys: 'none' }), refused],
    [
      'a redirect',
      (_: unknown, response: import('node:http').ServerResponse) =>
        void response.writeHead(302, { location: 'https://evil.example/' }).end('{}'),
      away,
    ],
  ] as const) {
    const bank = await linked(t)
    bank.issuer.instead.set('/jwks', answer)
    assert.equal(outcome(await bank.signIn(subject)), expected, what)
  }
})

test('a token end point that redirects gets neither the secret nor the code sent on', async (t) => {
  const bank = await linked(t)
  const evil = await testIssuer(t)
  bank.issuer.instead.set('/token', (_, response) => {
    response.writeHead(307, { location: `${evil.url}/token` }).end('{}')
  })
  assert.equal(outcome(await bank.signIn(subject)), away)
  assert.deepEqual(evil.asked, [])
})

test('the secret is sent in the way that the issuer names, and as Basic where it names none', async (t) => {
  const bank = await linked(t)
  const { instead } = bank.issuer
  const sent: string[] = []
  const refuse = insteadJson({ error: 'invalid_grant' }, 400)
  instead.set('/token', (request, response) => {
    void text(request).then((body) => {
      const inBody = new URLSearchParams(body).has('client_secret') ? 'in the body' : ''
      sent.push(request.headers.authorization?.split(' ')[0] ?? inBody)
      return refuse(request, response)
    })
  })
  for (const methods of [
    undefined,
    ['client_secret_post', 'client_secret_basic'],
    ['client_secret_post'],
  ]) {
    const changes = { token_endpoint_auth_methods_supported: methods }
    instead.set(document, insteadJson(await documentOf(bank, changes)))
    bank.clock.advance(5 * minute)
    await bank.signIn(subject)
  }
  assert.deepEqual(sent, ['Basic', 'Basic', 'in the body'])
})

test('a secret that the issuer refuses is told to the operator, not to the browser', async (t) => {
  const issuer = await testIssuer(t)
  const bank = await issuerScene(t, { OIDC_CLIENT_SECRET: 'wrong-secret' }, { issuer })
  await bank.link('agnes', subject)
  assert.equal(outcome(await bank.signIn(subject)), away)
  assert.ok(bank.logged.some((line) => line.includes('it refuses this client')))
})

test('a certificate of another authority is not the issuer', async (t) => {
  const [issuer, other] = [await testIssuer(t), await testIssuer(t)]
  const bank = await issuerScene(t, { OIDC_CA: other.caPath }, { issuer })
  assert.equal(await begin(bank), away)
})

test('a file of authorities that cannot be used ends the start with one line', async () => {
  for (const oidcCa of ['/nowhere.pem', import.meta.filename]) {
    await assert.rejects(readAuthorities({ oidcCa }), /STRONGROOM_OIDC_CA has to name a file/)
  }
})

test('failed sign-ins count for the address, as those with a password do', async (t) => {
  const issuer = await testIssuer(t)
  const bank = await issuerScene(t, { LIMITS: '{}' }, { issuer })
  const from = '127.0.3.1'
  const fail = () =>
    bank.send('POST', '/portal/session/issuer/answer', {
      body: { state: 'x', code: 'y' },
      headers: fromPage,
      from,
    })
  const replies: string[] = []
  for (let count = 0; count < 6; count++) replies.push(outcome(await fail()))
  assert.deepEqual(replies, [...Array<string>(5).fill(refused), '429 rate_limited'])
})

// What is a token of ours and what is not. Rows are those of the list every forger knows, of
// algorithms, keys, claims and texts; each is tried over HTTPS against the running service.
import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import net from 'node:net'
import { test, type TestContext } from 'node:test'
import {
  type Bench,
  decoded,
  ed25519,
  encoded,
  forgersBench,
  jws,
  type Signer,
} from './support/forge.ts'
import {
  commonWorld,
  people,
  type Reply,
  type ApiClient,
  world,
  type World,
} from './support/world.ts'

const me = '/api/v1/me'
const issuer = 'https://bank.example'
const hour = 3600
const invalidToken = 'Bearer error="invalid_token"'

type Setting = { bank: World; ada: ApiClient; bench: Bench }

async function setting(): Promise<Setting> {
  const bank = await commonWorld({ settings: { SESSION_IDLE: '1h' } })
  const ada = await bank.as('ada')
  return { bank, ada, bench: await forgersBench(bank, ada) }
}

/** All of them are one and the same 401, and nothing of it says why. */
async function assertRefused({ bank }: Setting, tokens: Record<string, string>): Promise<void> {
  let first: Reply | undefined
  for (const [what, token] of Object.entries(tokens)) {
    const reply = await bank.send('GET', me, { token })
    assert.equal(reply.status, 401, `${what}: ${reply.text}`)
    assert.equal(reply.body.code, 'unauthenticated', what)
    assert.equal(reply.headers['www-authenticate'], invalidToken, what)
    first ??= reply
    assert.equal(reply.text, first.text, what)
  }
}

const nobodySigns: Signer = () => Buffer.alloc(0)

test('alg none in any casing, an empty or absent alg, and a missing signature are refused', async () => {
  const all = await setting()
  const { ada, bench } = all
  const { header, claims, own } = bench
  const { alg: _, ...without } = header
  const names = ['none', 'None', 'NONE', 'nOnE', 'noNE', '', ' none', 'null']
  const headers = [...names.map((alg) => ({ ...header, alg })), without, { ...header, alg: null }]
  const tokens: Record<string, string> = {}
  for (const each of headers) {
    const bare = jws(each, claims, nobodySigns)
    const name = JSON.stringify(each)
    tokens[`${name}, nothing after the dot`] = bare
    tokens[`${name}, no dot`] = bare.slice(0, -1)
    tokens[`${name}, our signature`] = jws(each, claims, own)
    tokens[`${name}, the signature of another token`] = bare + (ada.token.split('.')[2] ?? '')
    tokens[`${name}, 64 zero bytes`] = jws(each, claims, () => Buffer.alloc(64))
  }
  const [first, second] = ada.token.split('.')
  tokens['a good head without a signature'] = `${first}.${second}.`
  tokens['a good head without its last dot'] = `${first}.${second}`
  await assertRefused(all, tokens)
})

const hmac =
  (bits: string, secret: string | Buffer): Signer =>
  (input) =>
    createHmac(`sha${bits}`, secret).update(input).digest()

test('the public key as a shared secret, and every other algorithm, are refused', async () => {
  const all = await setting()
  const { header, claims, own, publicJwk } = all.bench
  const key = createPublicKey({ key: publicJwk, format: 'jwk' })
  const pem = key.export({ type: 'spki', format: 'pem' }) as string
  const secrets: Record<string, string | Buffer> = {
    PEM: pem,
    'PEM without its last line break': pem.trimEnd(),
    DER: key.export({ type: 'spki', format: 'der' }),
    'the raw x': Buffer.from(publicJwk.x, 'base64url'),
    'x as text': publicJwk.x,
    'the JWK as text': JSON.stringify(publicJwk),
    'the kid': publicJwk.kid,
  }
  const tokens: Record<string, string> = {}
  for (const bits of ['256', '384', '512']) {
    for (const [what, secret] of Object.entries(secrets)) {
      const signer = hmac(bits, secret)
      tokens[`HS${bits} with ${what}`] = jws({ ...header, alg: `HS${bits}` }, claims, signer)
      tokens[`EdDSA by HS${bits} with ${what}`] = jws(header, claims, signer)
    }
  }
  for (const [alg, signer] of Object.entries(otherAlgorithms())) {
    tokens[alg] = jws({ ...header, alg }, claims, signer)
    tokens[`${alg} under our name`] = jws(header, claims, signer)
    tokens[`our signature under the name ${alg}`] = jws({ ...header, alg }, claims, own)
  }
  const { privateKey } = generateKeyPairSync('ed25519')
  tokens['Ed25519 of a stranger'] = jws(header, claims, ed25519(privateKey))
  for (const alg of ['eddsa', 'EDDSA', 'Ed448', 'EdDSA ', 'HS256 ', ['EdDSA'], { alg: 'EdDSA' }]) {
    tokens[`our signature under ${JSON.stringify(alg)}`] = jws({ ...header, alg }, claims, own)
  }
  await assertRefused(all, tokens)
})

/** What a library might take instead, each with a good signature of its own kind. */
function otherAlgorithms(): Record<string, Signer> {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
  const elliptic =
    (bits: string, key: KeyObject): Signer =>
    (input) =>
      sign(`sha${bits}`, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return {
    RS256: (input) => sign('sha256', Buffer.from(input), rsa),
    PS256: (input) => sign('sha256', Buffer.from(input), { key: rsa, padding: 6, saltLength: 32 }),
    ES256: elliptic('256', curve('P-256')),
    ES256K: elliptic('256', curve('secp256k1')),
    ES384: elliptic('384', curve('P-384')),
    ES512: elliptic('512', curve('P-521')),
    Ed448: (input) => sign(null, Buffer.from(input), generateKeyPairSync('ed448').privateKey),
  }
}

test('keys are Ed25519, and no shared secret signs a token', async () => {
  const all = await setting()
  const { header, claims } = all.bench
  const { keys } = (await all.bank.send('GET', '/.well-known/jwks.json')).body
  assert.ok(keys.length > 0)
  for (const { kty, crv, alg, use, x, ...more } of keys) {
    assert.deepEqual([kty, crv, alg, use], ['OKP', 'Ed25519', 'EdDSA', 'sig'])
    assert.equal(Buffer.from(x, 'base64url').length, 32)
    assert.deepEqual(Object.keys(more), ['kid'], 'nothing private is published')
  }
  const words = ['', 'a', 'secret', 'your-256-bit-secret', 'changeme', 'strongroom', 'x'.repeat(31)]
  const tokens = words.map((word) => {
    return [word, jws({ ...header, alg: 'HS256' }, claims, hmac('256', word))] as const
  })
  await assertRefused(all, Object.fromEntries(tokens))
})

/** Somewhere on this machine that must never be asked for a key. */
async function canary(t: TestContext) {
  let calls = 0
  const server = net.createServer((socket) => {
    calls++
    socket.destroy()
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  t.after(() => new Promise((end) => server.close(end)))
  const { port } = server.address() as net.AddressInfo
  return { url: `http://127.0.0.1:${port}/jwks.json`, calls: () => calls }
}

test('no header parameter supplies or fetches a key', async (t) => {
  const all = await setting()
  const { header, claims, publicJwk } = all.bench
  const bird = await canary(t)
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' }
  const forger = ed25519(privateKey)
  const { kid: _, ...unnamed } = header
  const injections: Record<string, object> = {
    jwk: { jwk },
    'jwk with our kid inside': { jwk: { ...jwk, kid: publicJwk.kid } },
    jku: { jku: bird.url },
    x5u: { x5u: bird.url },
    x5c: { x5c: [publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
    'kid as an address': { kid: bird.url },
    'all of them': { jwk, jku: bird.url, x5u: bird.url, x5t: 'AA', 'x5t#S256': 'AA' },
  }
  const tokens: Record<string, string> = {}
  for (const [what, extra] of Object.entries(injections)) {
    tokens[`${what}, our kid`] = jws({ ...header, ...extra }, claims, forger)
    tokens[`${what}, no kid`] = jws({ ...unnamed, ...extra }, claims, forger)
    tokens[`${what}, an unknown kid`] = jws({ ...header, kid: 'new', ...extra }, claims, forger)
    const lured = { ...claims, iss: bird.url.replace('/jwks.json', '') }
    tokens[`${what}, another issuer`] = jws({ ...header, ...extra }, lured, forger)
  }
  await assertRefused(all, tokens)
  assert.equal(bird.calls(), 0)
})

test('a kid is only a name to look up, and critical header parameters are not ignored', async () => {
  const all = await setting()
  const { header, claims, own, publicJwk } = all.bench
  const { kid } = publicJwk
  const kids = [
    '../../dev/null',
    '/dev/null',
    `' union select '${kid}`,
    `${kid}'--`,
    `${kid}\u0000`,
    ` ${kid}`,
    kid.toUpperCase(),
    kid.slice(0, -1),
    'k'.repeat(1000),
    '',
    '__proto__',
    'constructor',
    [kid],
    { kid },
    0,
    true,
    null,
  ]
  const tokens: Record<string, string> = {}
  for (const odd of kids) {
    tokens[JSON.stringify(odd).slice(0, 40)] = jws({ ...header, kid: odd }, claims, own)
  }
  const critical: object[] = [
    { crit: ['exp'] },
    { crit: ['x'], x: 1 },
    { crit: [] },
    { crit: 'exp' },
    { crit: ['b64'], b64: false },
  ]
  for (const extra of critical) {
    tokens[JSON.stringify(extra)] = jws({ ...header, ...extra }, claims, own)
  }
  const twice = JSON.stringify(header).replace('{', `{"kid":"other",`)
  tokens['two kids'] = jws(twice, claims, own)
  tokens['two kids, one escaped'] = jws(twice.replace('"kid"', '"k\\u0069d"'), claims, own)
  await assertRefused(all, tokens)
  const far = await all.bank.send('GET', me, {
    token: jws({ ...header, kid: 'k'.repeat(10_000) }, claims, own),
  })
  assert.equal(far.status, 431, 'ten kilobytes are no header field')
})

/** Changes of what we sign that make it somebody else's, each under our own signature. */
function lies({ claims }: Bench): Record<string, unknown> {
  const { iat } = claims as { iat: number }
  const lie = (name: string, values: unknown[]) =>
    values.map((value) => [`${name} ${JSON.stringify(value)}`, { ...claims, [name]: value }])
  const missing = ['iss', 'aud', 'sub', 'sid', 'jti', 'iat', 'exp'].map((name) => {
    const { [name]: _, ...rest } = claims
    return [`no ${name}`, rest]
  })
  const identifiers = ['', 'x', 7, null, [claims['sid']], String(claims['sid']).toUpperCase()]
  return Object.fromEntries([
    ...missing,
    ...lie('iss', ['', `${issuer}/`, issuer.toUpperCase(), `${issuer}.evil`, [issuer], null]),
    ...lie('aud', ['', `${issuer}/`, 'https://bank', `${issuer} x`, [issuer], [issuer, 'x'], []]),
    ...lie('sub', [...identifiers, people.ben.id]),
    ...lie('sid', [...identifiers, people.ben.id]),
    ...lie('jti', identifiers),
    ...lie('iat', [String(iat), iat + 11, iat + hour, iat + 0.5, 1e300, null, [iat]]),
    ...lie('exp', [String(iat + 60), iat + 60.5, 1e300, 2 ** 53, null, [iat + 60], true]),
    ...lie('nbf', [iat + 6, String(iat), null]),
  ]) as Record<string, unknown>
}

test('every claim is required, with its type and value, even under a valid signature', async () => {
  const all = await setting()
  const { bank, bench } = all
  const { header, claims, own } = bench
  const again = await bank.send('GET', me, { token: jws(header, claims, own) })
  assert.equal(again.status, 200, 'what is signed unchanged is good')
  const tokens: Record<string, string> = {}
  for (const [what, lie] of Object.entries(lies(bench))) tokens[what] = jws(header, lie, own)
  const text = JSON.stringify(claims)
  for (const [name, value] of Object.entries({ sub: people.ben.id, exp: 9e9, iss: 'x' })) {
    const second = `"${name}":${JSON.stringify(value)}`
    tokens[`two ${name}s, ours last`] = jws(header, text.replace('{', `{${second},`), own)
    tokens[`two ${name}s, ours first`] = jws(header, text.replace(/}$/, `,${second}}`), own)
  }
  tokens['a prototype'] = jws(header, text.replace('{', '{"__proto__":{"sub":"x"},'), own)
  for (const odd of ['[]', 'null', '""', '{}', '', '{', `${text}{}`, `\uFEFF${text}`]) {
    tokens[`claims ${odd.slice(0, 9)}`] = jws(header, odd, own)
  }
  await assertRefused(all, tokens)
})

test('a token of another type, nested or encrypted is refused', async () => {
  const all = await setting()
  const { bank, ada, bench } = all
  const { header, claims, own } = bench
  const { typ: _, ...untyped } = header
  const types = ['JWT', 'jwt', '', 'id+jwt', 'at', 'at+jwt2', 'at+jwt;x', 'logout+jwt', 7, null]
  const tokens: Record<string, string> = { 'no typ': jws(untyped, claims, own) }
  for (const typ of types) tokens[`typ ${typ}`] = jws({ ...header, typ }, claims, own)
  tokens['nested'] = jws({ ...header, cty: 'JWT' }, ada.token, own)
  tokens['compressed'] = jws({ ...header, zip: 'DEF' }, 'q1YqSy0qzszPU7JSMlSqBQA', own)
  tokens['five parts'] = [encoded({ alg: 'dir', enc: 'A256GCM' }), '', 'AA', 'AA', 'AA'].join('.')
  tokens['five full parts'] = `${ada.token}.AA.AA`
  tokens['longer than 2048 characters'] = jws(header, { ...claims, more: 'x'.repeat(1800) }, own)
  const general = { payload: ada.token.split('.')[1], signatures: [] }
  tokens['JSON serialisation'] = JSON.stringify(general)
  await assertRefused(all, tokens)
  const refresh = await bank.send('GET', me, { token: ada.refreshToken })
  assert.equal(refresh.body.code, 'unauthenticated', 'a refresh token opens nothing')
})

test('a token of another bank is refused, even if it names users of this bank', async (t) => {
  const all = await setting()
  const other = await world(t, { settings: { PUBLIC_URL: 'https://other.example' } })
  const theirs = await other.as('ada')
  const sameName = await (await world(t)).as('ada')
  assert.equal((await theirs.get(me)).status, 200)
  await assertRefused(all, {
    'another issuer': theirs.token,
    'the same issuer, another key': sameName.token,
  })
})

test('a validly signed token with the session of another user is refused', async () => {
  const all = await setting()
  const { bank, bench } = all
  const { header, claims, own } = bench
  const ben = await bank.as('ben')
  const token = (change: object) => jws(header, { ...claims, ...change }, own)
  await assertRefused(all, {
    'another user with the own session': token({ sub: people.ben.id }),
    'the own user with the session of another': token({ sid: ben.sessionId }),
    'nobody with the own session': token({ sub: '01940000-0000-7000-8000-0000000000ff' }),
    'a session that never was': token({ sid: '01940000-0000-7000-8000-0000000000ff' }),
  })
  assert.equal((await ben.get(me)).status, 200)
  assert.equal((await all.ada.get(me)).status, 200)
})

test('a token is valid to its last millisecond and not beyond, whatever its claims', async () => {
  const all = await setting()
  const { bank, ada, bench } = all
  const { header, claims, own } = bench
  const { iat } = claims as { iat: number }
  const token = (change: object) => jws(header, { ...claims, ...change }, own)
  const eternal = token({ exp: iat + 1000 * hour })
  const status = async (one: string) => (await bank.send('GET', me, { token: one })).status
  for (const exp of [0, -1, -1e300, iat - 1, iat]) {
    assert.equal((await bank.send('GET', me, { token: token({ exp }) })).body.code, 'token_expired')
  }
  assert.equal(await status(eternal), 200)
  // The clock of the instance that signed it may be five seconds ahead of the database's, and this
  // one as much behind it.
  const signedAt = (seconds: number) => token({ iat: iat + seconds, exp: iat + seconds + 900 })
  assert.deepEqual([await status(signedAt(10)), await status(signedAt(11))], [200, 401])
  bank.clock.advance(15 * 60_000 - 1)
  assert.deepEqual([await status(ada.token), await status(eternal)], [200, 200])
  bank.clock.advance(1)
  for (const late of [ada.token, eternal, token({ exp: iat + 999 * hour })]) {
    // The last one was never seen before; its age is judged with the tolerance of two clocks.
    const reply = await bank.send('GET', me, { token: late })
    assert.equal(reply.body.code, 'token_expired')
  }
})

/** Texts a reader might take for the same token. */
function variants(token: string): Record<string, string> {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const found: Record<string, string> = {}
  const last = alphabet.indexOf(signature.at(-1) ?? '')
  for (let unused = 0; unused < 16; unused++) {
    const text = signature.slice(0, -1) + alphabet[(last & 0x30) | unused]
    if (text !== signature) found[`last character ${unused}`] = `${header}.${payload}.${text}`
  }
  const bytes = Buffer.from(signature, 'base64url')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  for (const times of [1n, 2n, 3n]) {
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`)
    const hex = (s + times * order).toString(16).padStart(64, '0')
    const shifted = Buffer.concat([bytes.subarray(0, 32), Buffer.from(hex, 'hex').toReversed()])
    found[`S + ${times} L`] = `${header}.${payload}.${shifted.toString('base64url')}`
  }
  return {
    ...found,
    'standard base64': `${header}.${payload}.${bytes.toString('base64')}`,
    padding: `${token}==`,
    'padding of each part': [header, payload, signature].map((part) => `${part}=`).join('.'),
    'a byte more': `${token}AA`,
    'a byte less': token.slice(0, -2),
    'a dot more': `${token}.`,
    'a dot before': `.${token}`,
    'an upper-case head': `${header.toUpperCase()}.${payload}.${signature}`,
    'a claim said otherwise': `${header}.${encoded({ ...decoded(payload) })}.${signature}x`,
    'a space inside': `${header}. ${payload}.${signature}`,
    'a tab inside': `${header}.\t${payload}.${signature}`,
    'a comma': `${token},${token}`,
    'a percent escape': `${header}%2E${payload}.${signature}`,
    quotes: `"${token}"`,
  }
}

test('a token has one encoding: every other spelling is refused, before and after its revocation', async () => {
  const all = await setting()
  const { ada, bank } = all
  const spellings = variants(ada.token)
  assert.equal(Object.keys(spellings).filter((what) => /last|S \+/.test(what)).length, 18)
  await assertRefused(all, spellings)
  const two = await bank.send('GET', me, { headers: { authorization: `Bearer  ${ada.token}  ` } })
  assert.equal(two.status, 200, 'spaces around it are not of it')
  await ada.post('/api/v1/auth/logout')
  await assertRefused(all, spellings)
})

test('a revocation applies to the session: all its tokens are refused, also unseen ones', async () => {
  const { bank, ada, bench } = await setting()
  const refreshed = await bank.send('POST', '/api/v1/auth/refresh', {
    body: { refreshToken: ada.refreshToken },
  })
  await ada.post('/api/v1/auth/logout')
  const unseen = jws(bench.header, { ...bench.claims, jti: people.ben.id }, bench.own)
  for (const token of [ada.token, refreshed.body.token, unseen]) {
    assert.equal((await bank.send('GET', me, { token })).body.code, 'session_revoked')
  }
})

test('a token is accepted in one Authorization field of the scheme Bearer and nowhere else', async () => {
  const { bank, ada } = await setting()
  const { token } = ada
  const basic = Buffer.from(`ada:${token}`).toString('base64')
  const fields = [token, `Basic ${basic}`, `Token ${token}`, 'Bearer', 'Bearer ', `Bearer:${token}`]
  fields.push(`Bearer\t${token}`, `Bearer ${token} x`, `Bearer ${token}, Bearer ${token}`)
  fields.push(`Bearer Bearer ${token}`, `Bearer token=${token}`, `Bearer${token}`, `DPoP ${token}`)
  for (const authorization of fields) {
    const reply = await bank.send('GET', me, { headers: { authorization } })
    assert.equal(reply.body?.code, 'unauthenticated', authorization.slice(0, 20))
  }
  const elsewhere: Record<string, string>[] = [
    { cookie: `token=${token}; access_token=${token}; session=${token}` },
    { 'proxy-authorization': `Bearer ${token}` },
    { 'x-access-token': token, 'x-authorization': `Bearer ${token}` },
  ]
  for (const headers of elsewhere) {
    assert.equal((await bank.send('GET', me, { headers })).status, 401)
  }
  for (const name of ['access_token', 'token', 'authorization', 'bearer']) {
    assert.equal((await bank.send('GET', `${me}?${name}=${token}`)).status, 401, name)
    const body = { [name]: token, currency: 'EUR' }
    assert.equal((await bank.send('POST', '/api/v1/accounts', { body })).status, 401, name)
  }
  for (const pair of [
    [`Bearer ${token}`, 'Bearer x'],
    ['Bearer x', `Bearer ${token}`],
  ]) {
    const two = await bank.send('GET', me, { headers: { authorization: pair } })
    assert.equal(two.status, 400, 'two readers could read two of them differently')
  }
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    const one = { headers: { authorization: `${scheme} ${token}` } }
    assert.equal((await bank.send('GET', me, one)).status, 200, 'RFC 9110: in any case')
  }
})

test('401 says invalid_token where a bearer token was refused, and no error where there was none', async () => {
  const { bank, ada } = await setting()
  const { token } = ada
  await ada.post('/api/v1/auth/logout')
  const asked = async (authorization: string | undefined) => {
    const headers = authorization === undefined ? {} : { authorization }
    const reply = await bank.send('GET', me, { headers })
    assert.equal(reply.status, 401)
    return reply.headers['www-authenticate']
  }
  for (const each of [`Bearer ${token}`, 'bearer x', 'Bearer', 'Bearer ', 'BEARER a b']) {
    assert.equal(await asked(each), invalidToken, each.slice(0, 10))
  }
  for (const each of [undefined, 'Basic YTpi', `Token ${token}`, `Bearer${token}`, '']) {
    assert.equal(await asked(each), 'Bearer', each?.slice(0, 10))
  }
  // It is not looked at where no token is asked for.
  const portal = await bank.send('GET', `/portal${me}`, {
    headers: { authorization: `Bearer ${token}`, 'sec-fetch-site': 'same-origin' },
  })
  assert.deepEqual([portal.status, portal.headers['www-authenticate']], [401, 'Bearer'])
  for (const [path, body] of [
    ['login', { username: 'ada', password: 'wrong' }],
    ['refresh', { refreshToken: 'a'.repeat(43) }],
  ] as const) {
    const reply = await bank.send('POST', `/api/v1/auth/${path}`, { token, body })
    assert.deepEqual([reply.status, reply.headers['www-authenticate']], [401, 'Bearer'], path)
  }
})

test('a token contains identifiers and times, and no personal data', async () => {
  const { bank } = await setting()
  for (const name of ['ada', 'agnes', 'root'] as const) {
    const { token, sessionId } = await bank.as(name)
    const [header, claims] = token.split('.').slice(0, 2).map(decoded)
    assert.deepEqual(Object.keys(header ?? {}).toSorted(), ['alg', 'kid', 'typ'])
    const { jti, iat, exp, ...rest } = claims ?? {}
    assert.deepEqual(rest, { iss: issuer, aud: issuer, sub: people[name].id, sid: sessionId })
    assert.match(String(jti), /^[0-9a-f-]{36}$/)
    assert.deepEqual([iat, exp], [bank.clock.now() / 1000, bank.clock.now() / 1000 + 900])
  }
})

test('a retired key is published until a minute after its last token has expired', async (t) => {
  const bank = await world(t, { settings: { TOKEN_TTL: '10m' } })
  await bank.sql('update signing_keys set retired_at = $1', [new Date(bank.clock.now())])
  const published = async () =>
    (await bank.send('GET', '/.well-known/jwks.json')).body.keys.length as number
  bank.clock.advance(11 * 60_000 - 1)
  assert.equal(await published(), 1)
  bank.clock.advance(1)
  assert.equal(await published(), 0)
})

// Listeners: redirects, proxies, CORS, TLS and the end of a connection. test/wire.test.ts has the
// table of invalid requests.
import assert from 'node:assert/strict'
import net from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { connect, everything, type Listening } from './support/connect.ts'
import { password, world, type World } from './support/world.ts'

const always = [
  'x-content-type-options: nosniff',
  'strict-transport-security: max-age=31536000; includesubdomains',
  'x-frame-options: deny',
  "content-security-policy: default-src 'none'; frame-ancestors 'none'",
  'referrer-policy: no-referrer',
  'x-request-id: ',
]

function assertHeaders(answer: string, what: string): void {
  const head = answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase()
  for (const header of always) assert.ok(head.includes(`\r\n${header}`), `${what}: ${header}`)
  assert.doesNotMatch(head, /\r\n(server|x-powered-by):/)
}

/** Sends bytes over a connection of their own and gives all that is received until it closes. */
async function raw(bank: World, bytes: string, to: Listening = 'https'): Promise<string> {
  const socket = await connect(bank, { to })
  socket.write(bytes)
  return everything(socket)
}

const host = 'Host: bank.example\r\n'
const last = `${host}Connection: close\r\n`
const line = 'POST /api/v1/auth/login HTTP/1.1\r\n'
const errorStatus = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

test('plain HTTP is answered 301 to the configured host, whatever the request carries', async (t) => {
  const bank = await world(t)
  const body = JSON.stringify({ username: 'ada', password })
  const requests = [
    `GET /api/v1/accounts?limit=3 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `DELETE http://evil.example/api/v1/accounts/x HTTP/1.1\r\n${last}\r\n`,
  ]
  for (const request of requests) {
    const answer = await raw(bank, request, 'plain')
    assert.equal(errorStatus(answer), 301)
    assert.match(answer, /\r\nlocation: https:\/\/bank\.example\/api\/v1\//i)
    assertHeaders(answer, '301')
  }
  const { rows } = await bank.sql('select count(*)::int as sessions from sessions')
  assert.equal(rows[0]?.['sessions'], 0, 'the login over plain HTTP was not carried out')
  const split = await raw(bank, `GET /%0d%0aset-cookie:a=b HTTP/1.1\r\n${last}\r\n`, 'plain')
  assert.doesNotMatch(split, /\r\nset-cookie/i)
})

test('a request behind the last answer of a connection has no effect', async (t) => {
  const bank = await world(t)
  const body = JSON.stringify({ username: 'ada', password })
  const head = `${line}${host}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  for (const refused of [
    'GET /healthz HTTP/1.1\r\n\r\n',
    `GET /healthz HTTP/1.1\r\n${host}Expect: foo\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\n${last}\r\n`,
  ]) {
    const answer = await raw(bank, `${refused}${head}\r\n${body}`)
    assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, answer)
    const { rows } = await bank.sql('select from sessions')
    assert.equal(rows.length, 0, `a login behind ${refused}`)
  }
})

test('a client that waits for 100 Continue gets it, then its answer; one that sends at once too', async (t) => {
  const bank = await world(t)
  const body = JSON.stringify({ username: 'ada', password })
  const both = /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/
  const then = `GET /healthz HTTP/1.1\r\n${last}\r\n`
  const framings = [
    [`Content-Length: ${body.length}\r\n`, body],
    ['Transfer-Encoding: chunked\r\n', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  ] as const
  for (const [field, content] of framings) {
    const head = `${line}${host}Content-Type: application/json\r\n${field}Expect: 100-continue\r\n\r\n`
    const eager = await raw(bank, `${head}${content}${then}`)
    assert.match(eager, both)
    assert.equal(eager.match(/HTTP\/1\.1 200 OK/g)?.length, 2, 'the connection goes on')
    const socket = await connect(bank)
    socket.once('data', (bytes: Buffer) => {
      assert.equal(bytes.toString(), 'HTTP/1.1 100 Continue\r\n\r\n')
      socket.write(content + then)
    })
    socket.write(head)
    const patient = await everything(socket)
    assert.match(patient, both)
    assert.equal(patient.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
  }
})

test('a request without a body is not judged by its content type; one with a body is', async (t) => {
  const bank = await world(t)
  const form = 'Content-Type: application/x-www-form-urlencoded\r\n'
  const logOut = async (rest: string) => {
    const { token } = await bank.login('ada')
    const head = `POST /api/v1/auth/logout HTTP/1.1\r\n${last}Authorization: Bearer ${token}\r\n`
    return errorStatus(await raw(bank, head + form + rest))
  }
  // As curl sends `-X POST -d ''`.
  assert.equal(await logOut('Content-Length: 0\r\n\r\n'), 204)
  assert.equal(await logOut('\r\n'), 204)
  assert.equal(await logOut('Content-Length: 3\r\n\r\na=b'), 415)
})

test('plain HTTP on the HTTPS port gets one answer, 400, and its connection is closed', async (t) => {
  const bank = await world(t)
  const port = bank.running.httpsPort
  const body = JSON.stringify({ username: 'ada', password })
  const login = `${line}${host}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const requests = {
    'a request': [`GET /healthz HTTP/1.1\r\n${host}\r\n`],
    'two requests': [`GET /healthz HTTP/1.1\r\n${host}\r\n`.repeat(2)],
    'a login': [`${login}\r\n${body}`],
    'a login that waits': [`${login}Expect: 100-continue\r\n\r\n`],
    'byte by byte': [...`GET /healthz HTTP/1.1\r\n${host}\r\n`],
    'a large body': [login, 'a'.repeat(2_000_000)],
    'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  }
  for (const [what, parts] of Object.entries(requests)) {
    for (const isHalfClosed of [false, true]) {
      const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
      const answer = everything(socket)
      for (const part of parts) socket.write(part)
      if (isHalfClosed) socket.end()
      else socket.once('end', () => socket.end())
      const text = await answer
      assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/, what)
      assert.equal(text.match(/HTTP\/1\.1 \d/g)?.length, 1, what)
      assert.match(text, /\r\nconnection: close\r\n/)
      assertHeaders(text, what)
      assert.ok(text.length < 1024, `${text.length} bytes`)
      const [, json = ''] = text.split('\r\n\r\n')
      const { code, details } = JSON.parse(json) as { code: string; details: object[] }
      assert.equal(code, 'invalid_request')
      assert.deepEqual(details, [{ path: '', message: 'This port takes HTTPS only.' }])
    }
  }
  const { rows } = await bank.sql('select from sessions')
  assert.equal(rows.length, 0)
  assert.equal((await bank.send('GET', '/healthz')).status, 200)
})

test('plain HTTP on the HTTPS port counts against its address', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const where = { port: bank.running.httpsPort, host: '127.0.0.1' }
  const ask = async () => {
    const socket = net.connect(where)
    socket.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
    return errorStatus(await everything(socket))
  }
  const statuses = await Promise.all(Array.from({ length: 101 }, ask))
  assert.deepEqual(
    Object.entries(Object.groupBy(statuses, String)).map(([status, all]) => [status, all?.length]),
    [
      ['400', 100],
      ['429', 1],
    ],
  )
})

test('a ClientHello may arrive byte by byte; one that is broken off, or is none, costs no other client', async (t) => {
  const bank = await world(t)
  const where = { host: '127.0.0.1', port: bank.running.httpsPort }
  for (const bytes of ['', '\x16\x03\x01', 'GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\xff\xff']) {
    const broken = net.connect(where).resume()
    broken.on('error', () => {})
    const closed = new Promise((resolve) => void broken.once('close', resolve))
    broken.once('connect', () => {
      broken.write(Buffer.from(bytes, 'latin1'), () => {
        // TLS refuses what is no ClientHello; in the other cases the client resets the connection.
        if (!bytes.startsWith('GET')) broken.resetAndDestroy()
      })
    })
    await closed
  }
  const upstream = net.connect(where)
  const slow = new Duplex({
    read() {},
    write(bytes: Buffer, _, done) {
      const next = (at: number): void => {
        if (at === bytes.length) return done()
        upstream.write(bytes.subarray(at, at + 1))
        setImmediate(() => next(at + 1))
      }
      next(0)
    },
  })
  upstream.setNoDelay(true)
  upstream.on('data', (bytes: Buffer) => slow.push(bytes))
  const socket = await connect(bank, { over: slow })
  t.after(() => [socket, upstream].forEach((each) => each.destroy()))
  socket.write(`GET /healthz HTTP/1.1\r\n${last}\r\n`)
  const answer = await new Promise<string>((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString()))
  })
  assert.match(answer, /^HTTP\/1\.1 200 /)
})

test('behind a trusted proxy, a request over plain HTTP gets the 301; no other client can claim it', async (t) => {
  const { send } = await world(t, { settings: { TRUSTED_PROXIES: '127.0.0.9' } })
  const headers = { 'x-forwarded-proto': 'http' }
  for (const target of ['/api/v1/x', 'http://evil.example/api/v1/x']) {
    const reply = await send('GET', target, { headers, from: '127.0.0.9' })
    assert.equal(reply.status, 301)
    assert.equal(reply.headers['location'], 'https://bank.example/api/v1/x')
    assert.equal(reply.headers['x-frame-options'], 'DENY')
  }
  assert.equal((await send('GET', '/api/v1/x', { headers })).status, 404)
})

test('a trusted proxy tells the address of its client; no other client can change its own', async (t) => {
  const { send } = await world(t, {
    limits: 'default',
    settings: { TRUSTED_PROXIES: '127.0.0.9' },
  })
  const ask = (from: string, client: string) =>
    send('GET', '/healthz', { from, headers: { 'x-forwarded-for': client } })
  for (let turn = 0; turn < 100; turn++) await ask('127.0.0.8', `10.0.0.${turn}`)
  assert.equal((await ask('127.0.0.8', '10.0.1.1')).status, 429)
  for (let turn = 0; turn < 100; turn++) await ask('127.0.0.9', '10.0.0.1')
  assert.equal((await ask('127.0.0.9', '10.0.0.1')).status, 429)
  assert.equal((await ask('127.0.0.9', '10.0.0.2')).status, 200)
})

test('a request that a trusted proxy took over plain HTTP counts for the address of its client', async (t) => {
  const { send } = await world(t, {
    limits: 'default',
    settings: { TRUSTED_PROXIES: '127.0.0.9' },
  })
  const ask = (client: string, target: string) =>
    send('GET', target, {
      from: '127.0.0.9',
      headers: { 'x-forwarded-for': client, 'x-forwarded-proto': 'http' },
    })
  for (const [index, target] of ['/api/v1/me', '/healthz', '/none'].entries()) {
    const client = `10.0.0.${index}`
    const first = await ask(client, target)
    assert.equal(first.status, 301)
    assert.match(String(first.headers['ratelimit']), /^"burst";r=99;/)
    for (let turn = 1; turn < 100; turn++) await ask(client, target)
    assert.equal((await ask(client, target)).status, 429)
  }
})

test('CORS answers the listed origins and no other', async (t) => {
  const { send } = await world(t, { settings: { CORS_ORIGINS: 'https://app.example' } })
  const ask = (origin: string) => send('GET', '/healthz', { headers: { origin } })
  const good = await ask('https://app.example')
  assert.equal(good.headers['access-control-allow-origin'], 'https://app.example')
  assert.match(String(good.headers['vary']), /Origin/)
  for (const origin of [
    'https://evil.example',
    'null',
    'http://app.example',
    'https://app.example.evil.example',
    'https://app.example:8443',
    'https://APP.example',
  ]) {
    assert.equal((await ask(origin)).headers['access-control-allow-origin'], undefined, origin)
  }
  const preflight = await send('OPTIONS', '/api/v1/auth/login', {
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers['x-frame-options'], 'DENY')
})

test('without listed origins there is no CORS at all', async (t) => {
  const { send } = await world(t)
  const reply = await send('GET', '/healthz', { headers: { origin: 'https://app.example' } })
  assert.equal(reply.headers['access-control-allow-origin'], undefined)
})

test('closing answers the requests that are under way', async (t) => {
  const bank = await world(t)
  const login = bank.send('POST', '/api/v1/auth/login', { body: { username: 'ada', password } })
  await bank.send('GET', '/healthz')
  await bank.running.close()
  assert.equal((await login).status, 200)
})

import assert from 'node:assert/strict'
import http from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { connect, connectHttp2, everything, type Listening } from './support/connect.ts'
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

/** Sends bytes over a connection of their own and gives all that comes back until it closes. */
async function raw(bank: World, bytes: string, to: Listening = 'https'): Promise<string> {
  const socket = await connect(bank, { to })
  socket.write(bytes)
  return everything(socket)
}

const host = 'Host: bank.example\r\n'
const last = `${host}Connection: close\r\n`
const line = 'POST /api/v1/auth/login HTTP/1.1\r\n'
const errorStatus = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

const inputs: [what: string, bytes: string, status: number][] = [
  ['an unknown path', `GET /nowhere HTTP/1.1\r\n${last}\r\n`, 404],
  ['a trailing slash', `GET /healthz/ HTTP/1.1\r\n${last}\r\n`, 404],
  ['another case', `GET /HEALTHZ HTTP/1.1\r\n${last}\r\n`, 404],
  ['a doubled slash', `GET //healthz HTTP/1.1\r\n${last}\r\n`, 404],
  ['a broken escape', `GET /%zz HTTP/1.1\r\n${last}\r\n`, 400],
  ['an escape that is not UTF-8', `GET /api/v1/auth/sessions/%ff HTTP/1.1\r\n${last}\r\n`, 400],
  [
    'an over-long parameter',
    `DELETE /api/v1/auth/sessions/${'a'.repeat(300)} HTTP/1.1\r\n${last}\r\n`,
    414,
  ],
  ['TRACE', `TRACE /healthz HTTP/1.1\r\n${last}\r\n`, 405],
  ['PROPFIND', `PROPFIND /healthz HTTP/1.1\r\n${last}\r\n`, 405],
  ['QUERY', `QUERY /healthz HTTP/1.1\r\n${last}\r\n`, 405],
  ['an unknown method', `FOO /healthz HTTP/1.1\r\n${last}\r\n`, 400],
  ['CONNECT', `CONNECT bank.example:443 HTTP/1.1\r\n${last}\r\n`, 405],
  ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['two Hosts', `GET /healthz HTTP/1.1\r\n${host}${last}\r\n`, 400],
  ['an empty Host', 'GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 400],
  ['a Host with user information', 'GET /healthz HTTP/1.1\r\nHost: evil:80@x\r\n\r\n', 400],
  ['an expectation', `GET /healthz HTTP/1.1\r\nExpect: foo\r\n${last}\r\n`, 417],
  ['a header of 17 kB', `GET /healthz HTTP/1.1\r\nX: ${'a'.repeat(17_000)}\r\n${last}\r\n`, 431],
  ['101 fields', `GET /healthz HTTP/1.1\r\n${'X: y\r\n'.repeat(101)}${last}\r\n`, 431],
  ['a bare LF', `GET /healthz HTTP/1.1\n${last}\r\n`, 400],
  [
    'length and chunked',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    400,
  ],
  [
    'two lengths',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    400,
  ],
  [
    'gzip, chunked',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    501,
  ],
  [
    'two types',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    400,
  ],
  [
    'two tokens',
    `GET /api/v1/auth/sessions HTTP/1.1\r\n${last}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`,
    400,
  ],
  [
    'text/plain',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    415,
  ],
  ['no type', `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Length: 2\r\n\r\n{}`, 415],
  [
    'gzip',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
    415,
  ],
  [
    'a body of 64 KB and one',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Type: application/json\r\nContent-Length: 65537\r\n\r\n`,
    413,
  ],
  [
    'an array as the body',
    `POST /api/v1/auth/login HTTP/1.1\r\n${last}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[]`,
    400,
  ],
  ['no body where one is needed', `POST /api/v1/auth/login HTTP/1.1\r\n${last}\r\n`, 400],
]

test('whatever goes wrong on the wire gets its status, every header and one JSON body', async (t) => {
  const bank = await world(t)
  for (const [what, bytes, status] of inputs) {
    const answer = await raw(bank, bytes)
    assert.equal(errorStatus(answer), status, `${what}: ${answer.slice(0, 80)}`)
    assertHeaders(answer, what)
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
    if (bytes.startsWith('TRACE')) assert.match(answer, /\r\nallow: GET, HEAD\r\n/i)
    const { error, code, message } = JSON.parse(body) as Record<string, unknown>
    assert.ok(error && code && message, what)
    assert.match(answer, /\r\ncontent-type: application\/json; charset=utf-8\r\n/i, what)
    assert.doesNotMatch(body, /nowhere|HEALTHZ|FST_|zz/, `${what}: no echo`)
  }
})

test('plain HTTP is answered 301 to the configured host, whatever the request says or carries', async (t) => {
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

test('a client never reads an error for a request that was carried out (T45)', async (t) => {
  const bank = await world(t)
  const body = JSON.stringify({ username: 'ada', password })
  const answer = await raw(
    bank,
    `POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body} } surplus`,
  )
  assert.equal(errorStatus(answer), 200)
  assert.equal(answer.split('HTTP/1.1 ').length, 2, 'one answer and no other')
})

test('what comes behind the last answer of a connection has no effect', async (t) => {
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

test('a client that waits for 100 Continue gets it, then its answer', async (t) => {
  const bank = await world(t)
  const body = JSON.stringify({ username: 'ada', password })
  const head = `${line}${last}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const answer = await raw(bank, `${head}Expect: 100-continue\r\n\r\n${body}`)
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
})

test('a TLS greeting may come byte by byte; one that is broken off, or is none, costs nobody else', async (t) => {
  const bank = await world(t)
  const where = { host: '127.0.0.1', port: bank.running.httpsPort }
  for (const bytes of ['', '\x16\x03\x01', 'GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\xff\xff']) {
    const stranger = net.connect(where)
    stranger.on('error', () => {})
    const gone = new Promise((resolve) => void stranger.once('close', resolve))
    stranger.once('connect', () => {
      stranger.write(Buffer.from(bytes, 'latin1'), () => {
        // A greeting that is none is refused; of the others the client goes away, with a reset.
        if (!bytes.startsWith('GET')) stranger.resetAndDestroy()
      })
    })
    await gone
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

test('HTTP/2 is spoken, with the same headers', async (t) => {
  const session = await connectHttp2(await world(t))
  const headers = await new Promise<http2.IncomingHttpHeaders>((resolve, reject) => {
    session.on('error', reject)
    const stream = session.request({ ':path': '/healthz' })
    stream.on('response', resolve)
    stream.resume()
    stream.end()
  })
  session.close()
  assert.equal(headers[':status' as never], 200)
  assert.equal(headers['x-frame-options'], 'DENY')
})

test('header fields beyond 8 KB are refused over HTTP/2 as well', async (t) => {
  const session = await connectHttp2(await world(t))
  const status = await new Promise((resolve, reject) => {
    session.on('error', reject)
    const stream = session.request({ ':path': '/healthz', x: 'a'.repeat(9000) })
    stream.on('response', (headers) => resolve(headers[':status']))
    stream.on('error', reject)
    stream.resume()
    stream.end()
  })
  session.close()
  assert.equal(status, 431)
})

test('behind a trusted proxy, an absolute address is sent to the configured host all the same', async (t) => {
  const { send } = await world(t, { settings: { TRUSTED_PROXIES: '127.0.0.9' } })
  const headers = { 'x-forwarded-proto': 'http' }
  const reply = await send('GET', 'http://evil.example/api/v1/x', { headers, from: '127.0.0.9' })
  assert.equal(reply.status, 301)
  assert.equal(reply.headers['location'], 'https://bank.example/api/v1/x')
})

test('behind a trusted proxy, a request that came over plain HTTP gets the 301; a stranger cannot claim it', async (t) => {
  const proxied = await world(t, { settings: { TRUSTED_PROXIES: '127.0.0.9' } })
  const headers = { 'x-forwarded-proto': 'http' }
  const through = await proxied.send('GET', '/api/v1/x', { headers, from: '127.0.0.9' })
  assert.equal(through.status, 301)
  assert.equal(through.headers['location'], 'https://bank.example/api/v1/x')
  assert.equal(through.headers['x-frame-options'], 'DENY')
  assert.equal((await proxied.send('GET', '/api/v1/x', { headers })).status, 404)
})

test('a stranger cannot change his address by header, a trusted proxy tells it', async (t) => {
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

test('closing answers what is under way, also on kept connections', async (t) => {
  const bank = await world(t)
  const agent = new http.Agent({ keepAlive: true })
  const under = bank.send('POST', '/api/v1/auth/login', { body: { username: 'ada', password } })
  await bank.send('GET', '/healthz')
  await bank.running.close()
  assert.equal((await under).status, 200)
  agent.destroy()
})

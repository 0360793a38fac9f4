// The API reference: its page, its files, and their content security policy.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { password, people, type World, world } from '../../test/support/world.ts'

test('the page and its files have every security header, their policy and their limit', async (t) => {
  const w = await world(t)
  const page = await w.send('GET', '/docs')
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string)
  assert.equal(files.length, 5)
  for (const path of ['/docs', ...files]) {
    const { status, headers, text } = await w.send('GET', path)
    assert.equal(status, 200, path)
    assert.match(
      headers['content-security-policy'] ?? '',
      /^default-src 'none'; script-src 'self'; /,
    )
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe|\*|https:/)
    assert.match(headers['content-security-policy'] ?? '', /frame-ancestors 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(headers['strict-transport-security'] ?? '', /^max-age=31536000/)
    assert.ok(headers['x-request-id'])
    assert.match(headers['ratelimit'] ?? '', /^"burst";r=\d+/)
    assert.match(headers['cache-control'] ?? '', path === '/docs' ? /^no-store$/ : /immutable$/)
    const head = await w.send('HEAD', path)
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-length'], headers['content-length'])
    assert.ok(text.length > 0)
  }
})

/** The paths of the page, its files and the OpenAPI document. */
async function readFiles(send: World['send']): Promise<string[]> {
  const { text } = await send('GET', '/docs')
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string)
  return ['/docs', ...files, '/openapi.json']
}

/** The body as transferred. */
async function countTransferredBytes({ running }: World, path: string, accept?: string) {
  const headers = accept === undefined ? {} : { 'accept-encoding': accept }
  const where = { host: '127.0.0.1', port: running.httpsPort, path, headers }
  const request = https.get({ ...where, rejectUnauthorized: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { headers: response.headers, body: Buffer.concat(await response.toArray()) }
}

test('clients that accept brotli or gzip get the page and its files compressed, with the same content', async (t) => {
  const w = await world(t)
  let [plain, compressed] = [0, 0]
  for (const path of await readFiles(w.send)) {
    const whole = await countTransferredBytes(w, path)
    assert.equal(whole.headers['content-encoding'], undefined)
    assert.match(whole.headers.vary ?? '', /\bAccept-Encoding\b/, path)
    for (const [accept, expand] of [
      ['gzip', gunzipSync],
      ['gzip, deflate, br', brotliDecompressSync],
    ] as const) {
      const small = await countTransferredBytes(w, path, accept)
      const coding = path.endsWith('.png') ? undefined : accept.split(', ').at(-1)
      assert.equal(small.headers['content-encoding'], coding, path)
      assert.equal(small.headers['content-length'], `${small.body.length}`)
      assert.equal(small.headers['content-type'], whole.headers['content-type'])
      assert.match(small.headers.vary ?? '', /\bAccept-Encoding\b/, path)
      assert.ok((coding ? expand(small.body) : small.body).equals(whole.body), path)
      plain += whole.body.length
      compressed += small.body.length
    }
  }
  assert.ok(compressed * 3 < plain, `${compressed} of ${plain} bytes`)
  const coding = async (accept: string) =>
    (await countTransferredBytes(w, '/openapi.json', accept)).headers['content-encoding']
  for (const accept of ['gzip', 'GZIP;q=0.5', 'deflate, gzip;q=1.0', '*', 'br;q=0, *;q=0.1']) {
    assert.equal(await coding(accept), 'gzip', accept)
  }
  for (const accept of ['br', 'gzip, BR;q=0.5', 'zstd, br, *;q=0']) {
    assert.equal(await coding(accept), 'br', accept)
  }
  for (const accept of [
    '',
    'br;q=0',
    'brotli',
    'gzip;q=0',
    'gzip; q=0.000, *',
    'gzip;q=2',
    'x-gzipped',
    '*;q=0',
  ]) {
    assert.equal(await coding(accept), undefined, accept)
  }
})

test('loading the page counts against the limit class docs, not against address', async (t) => {
  const limits = { address: { burst: '5/1m' }, docs: { burst: '9/1m', sustained: '10/1h' } }
  const w = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const paths = await readFiles(w.send)
  assert.equal(paths.length, 7)
  const statuses = async (...all: string[]) => {
    const replies = []
    for (const path of all) replies.push((await w.send('GET', path)).status)
    return replies
  }
  // readFiles sent one request already.
  assert.deepEqual(
    await statuses(...paths),
    paths.map(() => 200),
  )
  assert.deepEqual(await statuses('/docs', '/docs'), [200, 429])
  const health = Array.from({ length: 6 }, () => '/healthz')
  assert.deepEqual(await statuses(...health), [200, 200, 200, 200, 200, 429])
  w.clock.advance(60_000)
  const last = await w.send('GET', '/docs')
  assert.match(last.headers['ratelimit'] ?? '', /"sustained";r=0;/)
  const limited = await w.send('GET', '/openapi.json')
  assert.deepEqual([limited.status, limited.body.code], [429, 'rate_limited'])
  assert.ok(Number(limited.headers['retry-after']) > 3000)
  // Unknown paths do not count.
  assert.deepEqual(await statuses('/docs/none', '/docs/'), [404, 404])
})

test('with STRONGROOM_DOCS=off the page, its files and the document are unknown paths', async (t) => {
  const on = await world(t)
  const off = await world(t, { settings: { DOCS: 'off' } })
  const unknown = await off.send('GET', '/nothing')
  assert.equal(unknown.status, 404)
  for (const path of await readFiles(on.send)) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const { status, text } = await off.send(method, path)
      assert.deepEqual([status, text], [404, method === 'HEAD' ? '' : unknown.text], path)
    }
  }
  const body = { username: people.ada.username, password }
  assert.equal((await off.send('POST', '/api/v1/auth/login', { body })).status, 200)
})

test('every other path below /docs is refused with an error body', async (t) => {
  const w = await world(t)
  const paths = [
    '/docs/',
    '/docs/json',
    '/docs/yaml',
    '/docs/static/index.html',
    '/docs/index.html',
  ]
  for (const path of [...paths, '/docs/..%2fpackage.json', '/docs/page.js', '/docs//docs']) {
    const { status, body } = await w.send('GET', path)
    assert.deepEqual([status, body?.code], [404, 'not_found'], path)
  }
  assert.equal((await w.send('GET', '/docs?url=https://evil.example')).status, 400)
  const posted = await w.send('POST', '/docs', { body: {} })
  assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD'])
})

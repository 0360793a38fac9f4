// What the proxies of deploy/ answer by themselves, where they are installed: errors in the form of
// the service's, as far as each of them can.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { type Code, Refusal } from '../src/domain/errors.ts'
import { render, securityHeaders } from '../src/http/error-response.ts'
import { localCertificate } from '../src/http/listeners/local-certificate.ts'
import { freePort } from './support/program.ts'

const deploy = fileURLToPath(new URL('../deploy', import.meta.url))

type Answer = { status: number; fields: Map<string, string>; body: string }

/** Sends these bytes and reads the answer. */
async function sendTo(port: number, ca: string, bytes: string): Promise<Answer> {
  const socket = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', ca })
  // Not ended: Caddy takes that for a client that has gone.
  socket.write(bytes)
  let text = ''
  let [head, body] = ['', '']
  for await (const chunk of socket) {
    text += String(chunk)
    ;[head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
    // nginx closes seconds later where it has not read all.
    if (body.length === Number(/^content-length: (\d+)/im.exec(head)?.[1])) break
  }
  const [first = '', ...lines] = head.split('\r\n')
  const fields = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? []
    return [name.toLowerCase(), value]
  })
  return { status: Number(first.split(' ')[1]), fields: new Map(fields), body }
}

type Proxy = { port: number; ca: string }

/** Starts a proxy whose service is away. Skips the test where the proxy is not installed. */
async function startProxy(
  t: TestContext,
  program: string,
  write: (folder: string, port: number) => Promise<readonly string[]>,
): Promise<Proxy | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-proxies-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await localCertificate(folder, ['localhost'], Date.now())
  const ca = await readFile(path.join(folder, 'tls/ca.pem'), 'utf8')
  const port = await freePort()
  const args = await write(folder, port)
  const env = {
    PATH: `${process.env['PATH']}:/usr/sbin`,
    HOME: folder,
    STRONGROOM_PUBLIC_URL: `https://localhost:${port}`,
  }
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<'missing' | 'ended'>((resolve) => {
    child.once('error', () => resolve('missing'))
    child.once('exit', () => resolve('ended'))
  })
  t.after(async () => {
    if (child.exitCode === null && child.pid !== undefined) child.kill('SIGKILL')
    await ended
  })
  for (;;) {
    const isUp = sendTo(port, ca, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const state = await Promise.race([
      ended,
      isUp.then(
        () => 'up' as const,
        () => 'down' as const,
      ),
    ])
    if (state === 'up') return { port, ca }
    if (state === 'missing') {
      t.skip(`${program} is not installed`)
      return undefined
    }
    assert.notEqual(state, 'ended', said)
  }
}

const host = 'Host: localhost\r\nConnection: close\r\n'
const requests = {
  'a request': `POST /api/v1/transfers HTTP/1.1\r\n${host}\r\n`,
  'no request': 'GARBAGE\r\n\r\n',
  'a wrong header field': `GET / HTTP/1.1\r\n${host}Bad Field: 1\r\n\r\n`,
  'a long target': `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`,
  'a large head': `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(40_000)}\r\n\r\n`,
  'a large body': `POST / HTTP/1.1\r\n${host}Content-Length: 3000000\r\n\r\n`,
  'a transfer coding': `POST / HTTP/1.1\r\n${host}Transfer-Encoding: nope\r\n\r\n`,
} satisfies Record<string, string>
type Sent = keyof typeof requests

/** The answer has that status, and the body that the service would send with that code. */
function assertOwnForm({ status, fields, body }: Answer, wanted: number, code: Code): void {
  assert.equal(status, wanted)
  assert.match(String(fields.get('content-type')), /^application\/json/)
  const told = JSON.parse(body)
  assert.deepEqual(Object.keys(told), ['error', 'code', 'message'])
  const own = JSON.parse(render(new Refusal(code, { outage: 'database' })).body)
  assert.deepEqual([told.code, told.message], [own.code, own.message])
  for (const name of [
    'x-content-type-options',
    'x-frame-options',
    'strict-transport-security',
    'cache-control',
  ])
    assert.equal(fields.get(name), securityHeaders[name], name)
}

test('nginx answers its own errors as JSON in the form of the service', async (t) => {
  const proxy = await startProxy(t, 'nginx', async (folder, port) => {
    const site = (await readFile(path.join(deploy, 'nginx.conf'), 'utf8'))
      .replaceAll(/\/etc\/ssl\/bank\.example\/\w+\.pem/g, `${folder}/tls/server.secret.pem`)
      .replaceAll('/var/lib/strongroom/tls/ca.pem', `${folder}/tls/ca.pem`)
      .replace('listen 80;', `listen unix:${folder}/80.sock;`)
      .replace('listen 443 ', `listen 127.0.0.1:${port} `)
      .replace('127.0.0.1:8443', '127.0.0.1:1')
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const own = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
    const head = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events {}`
    await writeFile(path.join(folder, 'conf'), `${head} http { access_log off; ${own}\n${site}}\n`)
    return ['-e', path.join(folder, 'log'), '-c', path.join(folder, 'conf')]
  })
  if (!proxy) return
  const wanted: Record<Sent, [number, Code]> = {
    'a request': [503, 'outcome_unknown'],
    'no request': [400, 'invalid_request'],
    'a wrong header field': [400, 'invalid_request'],
    'a long target': [414, 'uri_too_long'],
    'a large head': [400, 'invalid_request'],
    'a large body': [413, 'payload_too_large'],
    'a transfer coding': [501, 'not_implemented'],
  }
  for (const [name, [status, code]] of Object.entries(wanted)) {
    const answer = await sendTo(proxy.port, proxy.ca, requests[name as Sent])
    assertOwnForm(answer, status, code)
    // No version: only another module removes the field.
    assert.equal(answer.fields.get('server'), 'nginx')
  }
})

test('HAProxy answers as JSON in the form of the service, but for what its parser refuses', async (t) => {
  const proxy = await startProxy(t, 'haproxy', async (folder, port) => {
    const text = (await readFile(path.join(deploy, 'haproxy.cfg'), 'utf8'))
      .replace(':80\n', `unix@${folder}/80.sock\n`)
      .replace('127.0.0.1:5432', `unix@${folder}/5432.sock`)
      .replace(':443 ', `127.0.0.1:${port} `)
      .replaceAll('/etc/ssl/bank.example/chain-and-key.pem', `${folder}/tls/server.secret.pem`)
      .replaceAll('/var/lib/strongroom/tls/ca.pem', `${folder}/tls/ca.pem`)
      .replaceAll(/\b(bank|db)\d\.example:\d+/g, '127.0.0.1:1')
    await writeFile(path.join(folder, 'cfg'), text)
    return ['-db', '-f', path.join(folder, 'cfg')]
  })
  if (!proxy) return
  for (const name of ['a request', 'a large body'] as const) {
    const answer = await sendTo(proxy.port, proxy.ca, requests[name])
    assertOwnForm(answer, 503, 'unavailable')
    assert.equal(answer.fields.get('server'), undefined)
  }
  // docs/CLUSTER.md says so.
  const { status, fields, body } = await sendTo(proxy.port, proxy.ca, requests['no request'])
  assert.deepEqual([status, fields.get('server')], [400, undefined])
  assert.equal(
    body,
    '<html><body><h1>400 Bad request</h1>\nYour browser sent an invalid request.\n</body></html>\n',
  )
})

test('Caddy answers as JSON in the form of the service, but for what its parser refuses and for other hosts', async (t) => {
  const proxy = await startProxy(t, 'caddy', async (folder) => {
    const text = (await readFile(path.join(deploy, 'compose/Caddyfile'), 'utf8'))
      .replace(/^\{$/m, '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust')
      .replace('https://strongroom:8443', 'https://127.0.0.1:1')
      .replace('/authority/ca.pem', `${folder}/tls/ca.pem`)
      .replace(
        'header -Server',
        `tls ${folder}/tls/server.secret.pem ${folder}/tls/server.secret.pem\n\theader -Server`,
      )
    await writeFile(path.join(folder, 'Caddyfile'), text)
    return ['run', '--config', path.join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
  })
  if (!proxy) return
  for (const name of ['a request', 'a large body'] as const) {
    const answer = await sendTo(proxy.port, proxy.ca, requests[name])
    assertOwnForm(answer, 503, 'outcome_unknown')
    assert.equal(answer.fields.get('server'), undefined)
  }
  // deploy/compose/Caddyfile says so.
  const refused = await sendTo(proxy.port, proxy.ca, requests['a wrong header field'])
  assert.deepEqual([refused.status, refused.fields.get('server')], [400, undefined])
  const other = requests['a request'].replace('localhost', 'other.example')
  assert.equal((await sendTo(proxy.port, proxy.ca, other)).status, 421)
})

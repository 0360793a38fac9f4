import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { after, test, type TestContext } from 'node:test'
import { nameServer } from '../../../test/support/name-server.ts'
import { localCertificate } from '../../http/listeners/local-certificate.ts'
import { isPublicAddress } from './addresses.ts'
import { NotDelivered, type SenderOptions, sendWebhook } from './sender.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-webhooks-'))
after(() => rm(folder, { recursive: true }))
const certificate = await localCertificate(folder, ['hook.example'], Date.now())
const ca = await readFile(certificate.caPath as string, 'utf8')
const message = { headers: { 'webhook-id': 'evt_1' }, body: '{"type":"card.issued"}' }

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A receiver on one loopback address. */
async function receiver(t: TestContext, answer: Answer, host = '127.0.0.1') {
  const requests: string[] = []
  const server = https.createServer(certificate, (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      requests.push(`${request.method} ${request.headers.host} ${request.url} ${body}`)
      answer(request, response, body)
    })
  })
  server.on('tlsClientError', () => {})
  server.listen(0, host)
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const options: SenderOptions = {
    ca,
    ports: [port],
    resolve: async () => [host],
    isAllowed: (address) => address === host,
    timeoutMs: 5000,
  }
  return { port, requests, options, url: `https://hook.example:${port}/in?a=1` }
}

const reason = (sending: Promise<unknown>): Promise<string> =>
  sending.then(
    () => assert.fail('it was delivered'),
    (thrown: unknown) => {
      assert.ok(thrown instanceof NotDelivered, String(thrown))
      return thrown.message
    },
  )

test('a webhook arrives at the address that was checked, under the name of its target', async (t) => {
  const { port, requests, options, url } = await receiver(t, (_, response) => {
    response.writeHead(202, { 'retry-after': '7' }).end('taken')
  })
  assert.deepEqual(await sendWebhook(url, message, options), { status: 202, retryAfter: '7' })
  assert.deepEqual(requests, [`POST hook.example:${port} /in?a=1 ${message.body}`])
})

test('a name server that answers differently the second time is asked once', async (t) => {
  const { options, url, requests } = await receiver(t, (_, response) => void response.end())
  const inner = await receiver(t, (_, response) => void response.end(), '127.0.0.2')
  const rebinding = await nameServer(t, ['127.0.0.1', '127.0.0.2'])
  const { resolve } = rebinding
  const { status } = await sendWebhook(url, message, { ...options, resolve })
  assert.deepEqual([status, requests.length, rebinding.asked()], [200, 1, 1])
  const again = sendWebhook(inner.url, message, { ...options, ports: [inner.port], resolve })
  assert.equal(await reason(again), 'The address 127.0.0.2 is not public')
  assert.equal(inner.requests.length, 0)
})

test('an address that cannot be reached does not hide the next one of the name', async (t) => {
  const { options, url, requests } = await receiver(t, (_, response) => void response.end())
  const resolve = async () => ['127.0.0.3', '::1', '127.0.0.1']
  const { status } = await sendWebhook(url, message, { ...options, isOpen: true, resolve })
  assert.deepEqual([status, requests.length], [200, 1])
})

test('a connection that is refused or cut before TLS ends the attempt at once, and says why', async (t) => {
  const cutting = net.createServer((socket) => void socket.resetAndDestroy()).listen(0, '127.0.0.1')
  await once(cutting, 'listening')
  t.after(() => void cutting.close())
  const { port } = cutting.address() as AddressInfo
  const options: SenderOptions = { isOpen: true, timeoutMs: 20_000 }
  const send = (scheme: string, addresses: readonly string[]) => {
    const resolve = async () => addresses
    return reason(
      sendWebhook(`${scheme}://hook.example:${port}/`, message, { ...options, resolve }),
    )
  }
  for (const scheme of ['https', 'http']) {
    assert.equal(await send(scheme, ['127.0.0.1']), 'The connection failed: ECONNRESET')
  }
  cutting.close()
  await once(cutting, 'close')
  for (const scheme of ['https', 'http']) {
    for (const addresses of [['127.0.0.1'], ['127.0.0.3', '127.0.0.1']]) {
      assert.equal(await send(scheme, addresses), 'The connection failed: ECONNREFUSED')
    }
  }
})

test('one address that is not allowed refuses all addresses of a name', async (t) => {
  const { options, url, requests } = await receiver(t, (_, response) => void response.end())
  const resolve = async () => ['127.0.0.1', '169.254.169.254']
  assert.equal(
    await reason(sendWebhook(url, message, { ...options, resolve })),
    'The address 169.254.169.254 is not public',
  )
  const none = async () => []
  assert.match(await reason(sendWebhook(url, message, { ...options, resolve: none })), /no address/)
  assert.equal(requests.length, 0)
})

test('without options only the public internet is reached, by https, on port 443', async () => {
  const refused: Record<string, RegExp> = {
    'http://hook.example/': /not https/,
    'https://user:pass@hook.example/': /has a login/,
    'https://hook.example:8443/': /port 8443/,
    'not a url': /not a URL/,
    'https://127.0.0.1/': /127\.0\.0\.1 is not public/,
    'https://2130706433/': /127\.0\.0\.1 is not public/,
    'https://0x7f.1/': /127\.0\.0\.1 is not public/,
    'https://0177.0.0.1/': /127\.0\.0\.1 is not public/,
    'https://[::1]/': /::1 is not public/,
    'https://[::ffff:10.0.0.1]/': /::ffff:a00:1 is not public/,
    'https://[64:ff9b::7f00:1]/': /64:ff9b::7f00:1 is not public/,
    'https://localhost/': /is not public/,
  }
  for (const [url, expected] of Object.entries(refused)) {
    assert.match(await reason(sendWebhook(url, message)), expected, url)
  }
})

test('addresses of private and special networks are not public', () => {
  const inner = `0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
    169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1
    198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255 :: ::1 ::7f00:1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::808:808
    64:ff9b:1::1 100::1 2001::1 2001:20::1 2001:db8::1 2002:7f00:1::1 3fff::1 5f00::1 fc00::1
    fd00:ec2::254 fe80::1 fec0::1 ff02::1 2606:4700::1%eth0 localhost`
  for (const address of inner.split(/\s+/)) assert.equal(isPublicAddress(address), false, address)
  const open = `1.1.1.1 8.8.8.8 11.0.0.1 100.63.255.255 100.128.0.1 128.0.0.1 169.253.255.255
    172.15.255.255 172.32.0.1 192.167.255.255 198.17.255.255 198.20.0.1 223.255.255.255
    2001:200::1 2001:4860:4860::8888 2606:4700::1111 3ffe::1`
  for (const address of open.split(/\s+/)) assert.equal(isPublicAddress(address), true, address)
})

test('a special network is not public from its first to its last address, and its neighbours are', () => {
  const rest = (address: string): string =>
    address.replace('*', () =>
      Array(9 - address.split(':').length)
        .fill('ffff')
        .join(':'),
    )
  // The IANA Special-Purpose Address Registries, and multicast. `*`: the last one of IPv6.
  const networks = `
    - 0.0.0.0 0.255.255.255 1.0.0.0
    9.255.255.255 10.0.0.0 10.255.255.255 11.0.0.0
    100.63.255.255 100.64.0.0 100.127.255.255 100.128.0.0
    126.255.255.255 127.0.0.0 127.255.255.255 128.0.0.0
    169.253.255.255 169.254.0.0 169.254.255.255 169.255.0.0
    172.15.255.255 172.16.0.0 172.31.255.255 172.32.0.0
    191.255.255.255 192.0.0.0 192.0.0.255 192.0.1.0
    192.0.1.255 192.0.2.0 192.0.2.255 192.0.3.0
    192.88.98.255 192.88.99.0 192.88.99.255 192.88.100.0
    192.167.255.255 192.168.0.0 192.168.255.255 192.169.0.0
    198.17.255.255 198.18.0.0 198.19.255.255 198.20.0.0
    198.51.99.255 198.51.100.0 198.51.100.255 198.51.101.0
    203.0.112.255 203.0.113.0 203.0.113.255 203.0.114.0
    223.255.255.255 224.0.0.0 239.255.255.255 -
    - 240.0.0.0 255.255.255.255 -
    - 1fff:: 1fff:* 2000::
    2000:* 2001:: 2001:1ff:* 2001:200::
    2001:db7:* 2001:db8:: 2001:db8:* 2001:db9::
    2001:* 2002:: 2002:* 2003::
    3ffe:* 3fff:: 3fff:fff:* 3fff:1000::
    3fff:* 4000:: 4000:* -`
  for (const network of networks.trim().split('\n')) {
    const [before, first, last, behind] = network.trim().split(' ').map(rest)
    const found = [before, first, last, behind].map(
      (address) => address === '-' || isPublicAddress(address ?? ''),
    )
    assert.deepEqual(found, [true, false, false, true], network)
  }
})

test('a redirect and the answer 410 are answers, and nothing is followed', async (t) => {
  const inner = await receiver(t, (_, response) => void response.end())
  for (const [status, fields] of [
    [307, { location: inner.url }],
    [301, { location: 'http://169.254.169.254/latest/meta-data' }],
    [410, {}],
    [500, {}],
  ] as const) {
    const outer = await receiver(t, (_, response) => void response.writeHead(status, fields).end())
    assert.equal((await sendWebhook(outer.url, message, outer.options)).status, status)
    assert.equal(outer.requests.length, 1)
  }
  assert.equal(inner.requests.length, 0)
})

test('a slow answer is cut: before its head, within its body, and before TLS', async (t) => {
  const silent = await receiver(t, () => {})
  const dripping = await receiver(t, (_, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(drip))
  })
  const late = 'No complete answer came in time'
  for (const { url, options } of [silent, dripping]) {
    assert.equal(await reason(sendWebhook(url, message, { ...options, timeoutMs: 300 })), late)
  }
  const mute = net.createServer(() => {}).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  t.after(() => mute.close())
  const { port } = mute.address() as AddressInfo
  const options = { ...silent.options, ports: [port], timeoutMs: 300 }
  assert.equal(await reason(sendWebhook(`https://hook.example:${port}/`, message, options)), late)
  const resolve = () => new Promise<never>(() => {})
  assert.equal(
    await reason(sendWebhook(silent.url, message, { ...options, resolve, ports: [silent.port] })),
    late,
  )
})

test('of a huge answer a little is read, and a huge head is refused', async (t) => {
  let writtenBytes = 0
  const endless = await receiver(t, (_, response) => {
    const chunk = Buffer.alloc(64 * 1024)
    response.writeHead(200)
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk)) writtenBytes += chunk.length
    }
    response.on('drain', pour)
    pour()
  })
  assert.equal((await sendWebhook(endless.url, message, endless.options)).status, 200)
  assert.ok(writtenBytes < 16 * 1024 * 1024, `${writtenBytes} bytes`)
  const head = await receiver(t, (_, response) => {
    response.writeHead(200, { 'x-large': 'x'.repeat(12_000) }).end()
  })
  assert.match(await reason(sendWebhook(head.url, message, head.options)), /HPE_HEADER_OVERFLOW/)
})

/** Sends the text again and again, until the other side has had enough. */
async function endlessReceiver(t: TestContext, head: string, text: string) {
  let writtenBytes = 0
  const made = await receiver(t, ({ socket }) => {
    const repeated = text.repeat(Math.ceil(16_384 / text.length))
    socket.on('error', () => {})
    socket.write(head)
    const pour = (): void => {
      while (!socket.destroyed && socket.write(repeated)) writtenBytes += repeated.length
    }
    socket.on('drain', pour)
    pour()
  })
  return { ...made, writtenBytes: () => writtenBytes }
}

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const endless: [what: string, head: string, text: string, outcome: number | RegExp][] = [
  ['100 Continue', '', 'HTTP/1.1 100 Continue\r\n\r\n', /too large/],
  ['102 Processing', '', 'HTTP/1.1 102 Processing\r\n\r\n', /too large/],
  ['103 Early Hints', '', `HTTP/1.1 103 Hints\r\nLink: <${'a'.repeat(7000)}>\r\n\r\n`, /too large/],
  ['fields', 'HTTP/1.1 200 OK\r\n', 'A: b\r\n', /HPE_HEADER_OVERFLOW|too large/],
  ['a field', 'HTTP/1.1 200 OK\r\nA: ', 'b', /HPE_HEADER_OVERFLOW|too large/],
  ['chunks', chunked, '1\r\na\r\n', 200],
  ['extensions of chunks', chunked, `1;a=${'b'.repeat(8000)}\r\na\r\n`, 200],
  ['trailers', `${chunked}0\r\n`, 'A: b\r\n', /HPE_HEADER_OVERFLOW|200/],
  ['a body without a length', 'HTTP/1.1 200 OK\r\n\r\n', 'a', 200],
]
for (const [what, head, text, outcome] of endless) {
  test(`endless ${what}: little is read of it, and the attempt does not wait for its time`, async (t) => {
    const { url, options, writtenBytes } = await endlessReceiver(t, head, text)
    const sending = sendWebhook(url, message, { ...options, timeoutMs: 8000 })
    const found = await sending.then(
      ({ status }) => `${status}`,
      (thrown: unknown) => reason(Promise.reject(thrown)),
    )
    assert.match(found, outcome instanceof RegExp ? outcome : new RegExp(`^${outcome}$`))
    // What the system keeps on its way is beyond what was read.
    assert.ok(writtenBytes() < 16 * 1024 * 1024, `${writtenBytes()} bytes`)
  })
}

test('endless renegotiations below an answer that does not come end the attempt, too', async (t) => {
  let renegotiations = 0
  const server = tls.createServer({ ...certificate, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => {})
    const renegotiate = (): void => {
      socket.renegotiate({ rejectUnauthorized: false }, (thrown) => {
        renegotiations++
        if (thrown === null) setImmediate(renegotiate)
      })
    }
    renegotiate()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const resolve = async () => ['127.0.0.1']
  const options = { ca, ports: [port], resolve, isAllowed: () => true, timeoutMs: 30_000 }
  const sending = sendWebhook(`https://hook.example:${port}/`, message, options)
  assert.equal(await reason(sending), 'The answer is too large')
  assert.ok(renegotiations > 10 && renegotiations < 2000, `${renegotiations}`)
})

test('a few interim answers before the answer are passed over', async (t) => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'.repeat(20)
  const { url, options } = await receiver(t, ({ socket }) => {
    socket.end(`${interim}HTTP/1.1 204 No Content\r\n\r\n`)
  })
  assert.equal((await sendWebhook(url, message, options)).status, 204)
})

test('an answer that is none ends the attempt at once', async (t) => {
  for (const head of [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n',
  ]) {
    const { url, options } = await receiver(t, (request) => void request.socket.write(head))
    assert.equal(
      await reason(sendWebhook(url, message, { ...options, timeoutMs: 600_000 })),
      'The answer is not one of HTTP',
    )
  }
})

test('an answer that is cut short is told as such', async (t) => {
  const { url, options } = await receiver(t, ({ socket }) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')
  })
  assert.match(await reason(sendWebhook(url, message, options)), /^The connection failed/)
})

test('a certificate for another name, or of an unknown authority, gets nothing', async (t) => {
  const { port, options, url, requests } = await receiver(t, (_, response) => void response.end())
  const other = sendWebhook(`https://other.example:${port}/`, message, options)
  assert.match(await reason(other), /ERR_TLS_CERT_ALTNAME_INVALID/)
  const { ca: _, ...unknown } = options
  assert.match(await reason(sendWebhook(url, message, unknown)), /UNABLE_TO_|SELF_SIGNED/)
  const literal = { ...options, resolve: () => assert.fail('an address is not resolved') }
  const byAddress = sendWebhook(`https://127.0.0.1:${port}/`, message, literal)
  assert.match(await reason(byAddress), /ERR_TLS_CERT_ALTNAME_INVALID/)
  assert.deepEqual(requests, [])
})

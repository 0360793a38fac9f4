// Clients with many connections make room for others, and none delays the end of the service.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { Duplex } from 'node:stream'
import { test, type TestContext } from 'node:test'
import tls from 'node:tls'
import { connect, connectHttp2, everything } from './support/connect.ts'
import { until } from './support/mailbox.ts'
import { world, type World } from './support/world.ts'

const settings = { MAX_CONNECTIONS: '64' }
type Open = (bank: World, from: string) => Promise<net.Socket>

const others = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']

/** Opens more connections than there are places, from four addresses. */
async function occupy(bank: World, open: Open): Promise<{ leave(): void }> {
  const sockets: net.Socket[] = []
  for (let at = 0; at < 80; at++) {
    const socket = await open(bank, others[at % 4] as string)
    socket.on('error', () => {})
    sockets.push(socket)
  }
  return { leave: () => sockets.forEach((socket) => socket.destroy()) }
}

/** Without a byte of TLS. */
async function openTcp({ running }: World, localAddress = '127.0.0.1'): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port: running.httpsPort, localAddress })
  await once(socket, 'connect')
  return socket
}

/** The ClientHello of a client with these options. */
async function clientHello(options: tls.ConnectionOptions = {}): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const socket = new Duplex({ read() {}, write: (bytes: Buffer) => resolve(bytes) })
  tls.connect({ ...options, socket, servername: 'localhost' }).on('error', () => {})
  const bytes = await promise
  socket.destroy()
  return bytes
}

const readHealth = async ({ send }: World, from = '127.0.0.99'): Promise<number> =>
  (await send('GET', '/healthz', { from, headers: { connection: 'close' } })).status

test('four addresses with silent connections on all places do not keep another one out', async (t) => {
  const bank = await world(t, { settings })
  const { leave } = await occupy(bank, openTcp)
  assert.equal(await readHealth(bank), 200)
  leave()
})

test('four addresses with unfinished handshakes do not keep another one out', async (t) => {
  const bank = await world(t, { settings })
  const hello = await clientHello()
  const { leave } = await occupy(bank, async (...where) => {
    const socket = await openTcp(...where)
    socket.write(hello)
    return socket
  })
  assert.equal(await readHealth(bank), 200)
  leave()
})

test('four addresses with idle connections do not keep another one out; an active client stays', async (t) => {
  const bank = await world(t, { settings })
  const served = await connect(bank, { from: '127.0.0.98' })
  const answers = everything(served)
  served.write('GET /healthz HTTP/1.1\r\nHost: bank.example\r\n\r\n')
  const { leave } = await occupy(bank, async (_, from) => {
    const socket = await connect(bank, { from })
    socket.on('error', () => {})
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')])
    return socket
  })
  assert.equal(await readHealth(bank), 200)
  served.write('GET /healthz HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n\r\n')
  assert.equal((await answers).match(/HTTP\/1\.1 200 /g)?.length, 2)
  leave()
})

test('four addresses with idle connections to the plain listener do not keep another one out', async (t) => {
  const bank = await world(t, { settings })
  const { leave } = await occupy(bank, async (_, from) => {
    const socket = await connect(bank, { to: 'plain', from })
    await once(socket, 'connect')
    return socket
  })
  const socket = await connect(bank, { to: 'plain', from: '127.0.0.99' })
  socket.write('GET / HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n\r\n')
  assert.match(await everything(socket), /^HTTP\/1\.1 301 /)
  leave()
})

test('an address has 32 handshakes that wait for a second ClientHello; stalled ones make room', async (t) => {
  const bank = await world(t)
  // The service does not offer the group of the key share: it answers with HelloRetryRequest.
  const hello = await clientHello({ ecdhCurve: 'P-521:P-256' })
  let [answered, open, openMost] = [0, 0, 0]
  const sockets: net.Socket[] = []
  for (let at = 0; at < 40; at++) {
    const socket = await openTcp(bank)
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      answered++
      openMost = Math.max(openMost, ++open)
      socket.once('end', () => open--)
    })
    socket.write(hello)
  }
  await until('an answer to 32', () => answered >= 32)
  assert.equal(await readHealth(bank), 200, 'another address does not wait')
  await until('an answer to each', () => answered === 40)
  assert.ok(openMost <= 32, `${openMost} at once`)
  for (const socket of sockets) socket.destroy()
})

test('an address may have more than 32 connections: a finished handshake takes no place', async (t) => {
  const bank = await world(t)
  const opened: net.Socket[] = []
  t.after(() => opened.forEach((socket) => socket.destroy()))
  for (let index = 0; index < 33; index++) {
    const socket = await connect(bank, { from: '127.0.0.98' })
    await once(socket, 'secureConnect')
    opened.push(socket)
  }
  const [first, last] = [opened[0] as net.Socket, opened[32] as net.Socket]
  for (const socket of [first, last]) {
    const answer = once(socket, 'data')
    socket.write('GET /healthz HTTP/1.1\r\nHost: bank.example\r\n\r\n')
    assert.match(String(await answer), /^HTTP\/1\.1 200 /)
  }
})

test('connections from which nothing was received do not delay the end of the service', async (t) => {
  const bank = await world(t)
  const silent = [
    await openTcp(bank),
    await connect(bank, { to: 'plain' }),
    await connect(bank),
  ] as const
  for (const socket of silent) socket.on('error', () => {})
  await once(silent[2], 'secureConnect')
  // Connections are accepted in their order: those before are known when this is answered.
  assert.equal(await readHealth(bank), 200)
  const last = await connect(bank, { to: 'plain' })
  last.write('GET / HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n\r\n')
  await everything(last)
  await assertEndsSoon(bank)
})

test('an HTTP/2 connection that begins during a drain does not delay it', async (t) => {
  const bank = await world(t)
  const { running } = bank
  const proxy = await holdingBack(t, running.httpsPort)
  const session = await connectHttp2({ running: { ...running, httpsPort: proxy.port } })
  t.after(() => session.destroy())
  session.on('error', () => {})
  await proxy.heard
  const ended = assertEndsSoon(bank)
  const connected = once(session, 'remoteSettings')
  proxy.release()
  await connected
  await ended
})

test('for the time that proxies need to notice, a service that ends is not ready and answers as before', async (t) => {
  const { running, send, login } = await world(t, { settings: { DRAIN: '1500ms' } })
  const ada = await login('ada')
  const startedAt = performance.now()
  const closed = running.close()
  assert.equal((await send('GET', '/readyz')).body.code, 'unavailable')
  assert.equal((await send('GET', '/healthz')).status, 200)
  assert.equal((await ada.get('/api/v1/accounts')).status, 200)
  await closed
  const took = performance.now() - startedAt
  assert.ok(took >= 1490, `it closed after ${took} ms`)
  await assert.rejects(send('GET', '/healthz'), { code: 'ECONNREFUSED' })
})

async function assertEndsSoon({ running }: World): Promise<void> {
  const startedAt = performance.now()
  await running.close()
  const took = performance.now() - startedAt
  assert.ok(took < 8000, `connections are cut after ten seconds; it took ${took} ms`)
}

/** Forwards one connection. What its client sends after the ClientHello is held back at first. */
async function holdingBack(t: TestContext, to: number) {
  const server = net.createServer()
  t.after(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upstream = net.connect(to, '127.0.0.1')
  t.after(() => upstream.destroy())
  upstream.on('error', () => {})
  const heard = once(upstream, 'data')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  server.once('connection', (client) => {
    t.after(() => client.destroy())
    client.on('error', () => {})
    upstream.pipe(client)
    client.once('data', (hello: Buffer) => {
      client.pause()
      upstream.write(hello)
      void released.then(() => client.pipe(upstream))
    })
  })
  return { port: (server.address() as net.AddressInfo).port, heard, release }
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { loadCertificate } from './tls.ts'
import { type Handler, secureListener } from './listeners.ts'
import { createLog } from '../../telemetry/log.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { mockTimers } from '../../../test/support/timers.ts'

/** A listener with that handler, and a client of it. */
async function open(t: TestContext, handle: Handler) {
  const dataDir = await mkdtemp(join(tmpdir(), 'strongroom-listeners-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const unset = { publicUrl: undefined, tlsCert: undefined, tlsKey: undefined }
  const certificate = await loadCertificate({ dataDir, host: '127.0.0.1', ...unset })
  const { server, drain } = secureListener(certificate, handle, {
    connectionsMax: 64,
    isTrustedProxy: () => false,
    gate: { admitAddress: async () => ({ headers: () => ({}) }) as never },
    log: createLog('error', () => {}),
    metrics: createMetrics(),
    newRequestId: () => 'id',
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ca = await readFile(certificate.caPath ?? '')
  const { port } = server.address() as AddressInfo
  const session = http2.connect(`https://localhost:${port}`, { ca })
  t.after(async () => {
    session.destroy()
    await drain()
  })
  return { server, session }
}

test('a defect before the handler of an HTTP/2 stream costs that stream alone', async (t) => {
  const { server, session } = await open(t, (_, response) => void response.end())
  let streams = 0
  server.on('session', (opened) => {
    opened.prependListener('stream', (stream) => {
      if (++streams > 1) return
      Object.defineProperty(stream, 'endAfterHeaders', { get: () => assert.fail('a defect') })
    })
  })
  const ask = async () => {
    const [headers] = (await once(session.request({ ':path': '/' }).resume(), 'response')) as [
      http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader,
    ]
    return headers[':status']
  }
  assert.equal(await ask(), 500)
  assert.equal(await ask(), 200)
})

test('a connection is begun once', async (t) => {
  const { server, session } = await open(t, (_, response) => void response.end())
  await once(session, 'connect')
  assert.equal(server.listenerCount('connection'), 1)
})

test('an HTTP/2 connection has 100 streams and heads of 8 KB, and is idle for 30 s at most', async (t) => {
  const { server, session } = await open(t, (_, response) => void response.end())
  const [settings] = (await once(session, 'remoteSettings')) as [http2.Settings]
  assert.equal(settings.maxConcurrentStreams, 100)
  assert.equal(settings.maxHeaderListSize, 8192)
  assert.equal((server as { timeout?: number }).timeout, 30_000)
})

test('an HTTP/2 stream is cut when its body takes 15 s, or its answer is not read for 30 s', async (t) => {
  const begun: string[] = []
  const { session } = await open(t, ({ method }) => void begun.push(method ?? ''))
  await once(session, 'remoteSettings')
  mockTimers(t, 'setTimeout')
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const dripping = session.request({ ':method': 'POST', ':path': '/' })
  const unread = session.request({ ':path': '/' })
  const cut: string[] = []
  for (const [name, stream] of Object.entries({ dripping, unread })) {
    stream.on('error', () => {})
    stream.on('close', () => cut.push(`${name} ${stream.rstCode}`))
  }
  while (begun.length < 2) await turn()
  const cancel = http2.constants.NGHTTP2_CANCEL
  /** Both ends have heard of all that was sent before. */
  const settle = async () => {
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => session.ping(resolve))
  }
  t.mock.timers.tick(14_999)
  await settle()
  assert.deepEqual(cut, [])
  t.mock.timers.tick(1)
  await settle()
  t.mock.timers.tick(14_999)
  await settle()
  assert.deepEqual(cut, [`dripping ${cancel}`])
  t.mock.timers.tick(1)
  await settle()
  assert.deepEqual(cut, [`dripping ${cancel}`, `unread ${cancel}`])
})

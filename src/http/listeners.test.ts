import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCertificate } from './tls.ts'
import { type Handler, secureListener } from './listeners.ts'
import { createLog } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'

test('a defect before the handler of an HTTP/2 stream costs that stream alone', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'strongroom-listeners-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const unset = { publicUrl: undefined, tlsCert: undefined, tlsKey: undefined }
  const certificate = await loadCertificate({ dataDir, host: '127.0.0.1', ...unset })
  const handle: Handler = (_, response) => void response.end()
  const { server, drain } = secureListener(certificate, handle, {
    config: { connectionsMax: 64, isTrustedProxy: () => false },
    gate: { admitAddress: async () => ({ headers: () => ({}) }) as never },
    log: createLog('error', () => {}),
    metrics: createMetrics(),
    newRequestId: () => 'id',
  })
  let streams = 0
  server.on('session', (session) => {
    session.prependListener('stream', (stream) => {
      if (++streams > 1) return
      Object.defineProperty(stream, 'endAfterHeaders', { get: () => assert.fail('a defect') })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ca = await readFile(certificate.caPath ?? '')
  const session = http2.connect(`https://localhost:${(server.address() as AddressInfo).port}`, {
    ca,
  })
  t.after(async () => {
    session.destroy()
    await drain()
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

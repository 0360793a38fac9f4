// Why a request was refused can be read from its line in the log: the code that the client got, and
// the window that was full.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Code, codes } from '../src/domain/errors.ts'
import { routes } from '../src/features/routes.ts'
import { wireTo } from './fuzz/wire.ts'
import { freePort } from './support/program.ts'
import { startStore, withoutStore } from './support/redis.ts'
import { readBelongings, sendTo, toParts } from './support/requests.ts'
import { type Reply, world, type World } from './support/world.ts'

type Line = { requestId?: string; message: string; level: number; code?: Code; window?: string }

/** The line of the answer with that request id. */
function lineOf({ logged }: World, requestId: unknown): Line {
  const lines = logged.map((line) => JSON.parse(line) as Line)
  const own = lines.filter((line) => line.requestId === requestId && line.message === 'answered')
  assert.equal(own.length, 1, String(requestId))
  return own[0] as Line
}

const isRefusal = ({ status }: Reply): boolean => status >= 400

test('the line of each refusal holds the code that the client got, and the line of a success none', async (t) => {
  const bank = await world(t)
  const own = await readBelongings(bank, 'ada')
  const [ada, agnes] = [(await bank.as('ada')).token, (await bank.as('agnes')).token]
  const seen = new Set<Code>()
  function judge(reply: Reply, about: string): void {
    const line = lineOf(bank, reply.headers['x-request-id'])
    assert.equal(line.code, isRefusal(reply) ? reply.body.code : undefined, about)
    if (line.code) seen.add(line.code)
  }
  for (const route of routes) {
    const parts = toParts(route, ({ resource }) => own[resource])
    const name = `${route.method} ${route.path}`
    for (const token of [undefined, 'no token', agnes]) {
      judge(await sendTo(bank, route, parts, token), name)
    }
    const unread = { ...parts, query: { nothing: '1' }, body: { nothing: 1 } }
    judge(await sendTo(bank, route, unread, ada), name)
  }
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['PUT', '/healthz'],
    ['GET', `/api/v1/${'x'.repeat(120)}`],
  ] as const) {
    judge(await bank.send(method, path), path)
  }
  const expected = ['unauthenticated', 'forbidden', 'invalid_request', 'not_found'] as const
  for (const code of [...expected, 'method_not_allowed', 'invalid_credentials'] as const) {
    assert.ok(seen.has(code), code)
  }
})

test('a refusal below the routes has its code as well', async (t) => {
  const bank = await world(t)
  const wire = await wireTo(bank)
  t.after(() => wire.close())
  const rest = { method: 'GET', target: '/healthz', payload: undefined } as const
  for (const [code, headers] of [
    ['invalid_request', [['x', 'a\0b']]],
    ['headers_too_large', [['x', 'a'.repeat(40_000)]]],
  ] as [Code, [string, string][]][]) {
    bank.logged.length = 0
    await wire.send({ ...rest, headers: [['host', 'bank.example'], ...headers], via: 'raw' })
    const lines = bank.logged.map((line) => JSON.parse(line) as Line)
    assert.deepEqual(
      lines.filter(({ message }) => message === 'answered').map((line) => line.code),
      [code],
    )
  }
})

for (const store of ['in the process', 'in a store'] as const) {
  const skip = store === 'in a store' && withoutStore
  test(`a 429 names the window that is full, ${store}`, { skip }, async (t) => {
    const windows = {
      read: { burst: '5/1h', sustained: '100/1h' },
      export: { burst: '100/1h', sustained: '2/1h' },
    }
    const port = await freePort()
    const settings = { LIMITS: JSON.stringify(windows), METRICS_PORT: String(port) }
    const shared = store === 'in a store' ? { REDIS_URL: (await startStore()).url } : {}
    const bank = await world(t, { settings: { ...settings, ...shared } })
    const { account } = await readBelongings(bank, 'ada')
    const ada = await bank.as('ada')
    for (const [path, window] of [
      [`/api/v1/accounts/${account}/statement`, 'export.sustained'],
      ['/api/v1/me', 'read.burst'],
    ] as const) {
      let reply = await ada.get(path)
      for (let turn = 0; turn < 9 && reply.status === 200; turn++) {
        assert.ok(!('window' in lineOf(bank, reply.headers['x-request-id'])))
        reply = await ada.get(path)
      }
      assert.equal(lineOf(bank, reply.headers['x-request-id']).window, window)
    }
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const labels = [...text.matchAll(/^strongroom_requests_total\{.*code="([^"]*)"/gm)]
    assert.ok(labels.some(([, code]) => code === 'rate_limited'))
    for (const [, code] of labels) assert.ok(codes.includes(code as Code), code)
  })
}

// Clients that send bytes slowly are really cut off, so this test takes as long as the time-outs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, connectHttp2, everything, type Listening } from '../support/connect.ts'
import { speakHttp2 } from '../wire/http2.ts'
import { rowsOfHttp2 } from '../wire/rows-http2.ts'
import { world, type World } from '../support/world.ts'

type Cut = { answer: string; afterMs: number }

/** Sends `head`, then a byte each half second until the connection ends; nothing if it is empty. */
async function drip(bank: World, head: string, to: Listening): Promise<Cut> {
  const socket = await connect(bank, { to })
  const startedAt = performance.now()
  if (head !== '') socket.write(head)
  const dripping = setInterval(() => head !== '' && socket.write('x'), 500)
  const giveUp = setTimeout(() => socket.destroy(), 30_000)
  const answer = await everything(socket)
  clearInterval(dripping)
  clearTimeout(giveUp)
  return { answer, afterMs: performance.now() - startedAt }
}

function assertCut({ answer, afterMs }: Cut, ms: number, what: string): void {
  assert.ok(afterMs >= ms - 100 && afterMs < ms + 5000, `${what}: cut after ${afterMs} ms`)
  assert.match(answer, /^HTTP\/1\.1 408 /, what)
  assert.match(answer, /x-frame-options: DENY/, what)
  assert.match(answer, /"code":"request_timeout"/, what)
}

const line = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: bank.example\r\n'
const body = `${line}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`

test('who says nothing, and headers that drip, are cut after ten seconds, bodies after fifteen, on both listeners and over HTTP/2', async (t) => {
  const bank = await world(t)
  const [idle, quiet, head, late, plain, stream] = await Promise.all([
    drip(bank, '', 'https'),
    drip(bank, '', 'plain'),
    drip(bank, `${line}X: `, 'https'),
    drip(bank, body, 'https'),
    drip(bank, `${line}X: `, 'plain'),
    dripOverHttp2(bank),
  ])
  for (const { answer, afterMs } of [idle, quiet]) {
    assert.equal(answer, '', 'who asked for nothing is told nothing')
    assert.ok(afterMs >= 9900 && afterMs < 15_000, `idle: cut after ${afterMs} ms`)
  }
  assertCut(head, 10_000, 'slow headers')
  assertCut(late, 15_000, 'a slow body')
  assertCut(plain, 10_000, 'slow headers on the plain listener')
  assert.ok(stream >= 14_900 && stream < 20_000, `a slow HTTP/2 body: cut after ${stream} ms`)
})

test('an HTTP/2 connection without a request is closed after thirty seconds, also one that sends PING', async (t) => {
  const bank = await world(t)
  const closedAfter = async (isPinging: boolean): Promise<number> => {
    const startedAt = performance.now()
    const session = await connectHttp2(bank)
    // A session that is being closed throws at ping(), before its 'close'.
    const ping = (): void => {
      if (isPinging && !session.destroyed) session.ping(() => {})
    }
    const pinging = setInterval(ping, 5000)
    const giveUp = setTimeout(() => session.destroy(), 40_000)
    await new Promise((resolve) => session.on('close', resolve))
    clearInterval(pinging)
    clearTimeout(giveUp)
    return performance.now() - startedAt
  }
  for (const afterMs of await Promise.all([closedAfter(false), closedAfter(true)])) {
    assert.ok(afterMs >= 29_900 && afterMs < 35_000, `closed after ${afterMs} ms`)
  }
})

test('a stream whose client never reads does not hold up the end of the service', async (t) => {
  const bank = await world(t)
  const session = await connectHttp2(bank, { settings: { initialWindowSize: 0 } })
  session.on('error', () => {})
  const stream = session.request({ ':path': '/openapi.json' })
  stream.on('error', () => {})
  await new Promise((resolve) => stream.on('response', resolve))
  const startedAt = performance.now()
  await bank.running.close()
  const took = performance.now() - startedAt
  assert.ok(took < 15_000, `it took ${took} ms`)
  session.destroy()
})

test('a client that goes away with a body half sent does not hold up the end of the service', async (t) => {
  const bank = await world(t)
  const [large] = rowsOfHttp2['a body over the limit'] ?? []
  const { answer } = await speakHttp2(bank, large?.fields ?? [], large?.data)
  assert.equal(answer?.status, 413)
  const startedAt = performance.now()
  await bank.running.close()
  const took = performance.now() - startedAt
  assert.ok(took < 15_000, `it took ${took} ms`)
})

async function dripOverHttp2(bank: World): Promise<number> {
  const session = await connectHttp2(bank)
  const startedAt = performance.now()
  const stream = session.request({
    ':method': 'POST',
    ':path': '/api/v1/auth/login',
    'content-type': 'application/json',
  })
  stream.on('error', () => {})
  const dripping = setInterval(() => stream.write('x'), 500)
  await new Promise((resolve) => stream.on('close', resolve))
  clearInterval(dripping)
  session.close()
  return performance.now() - startedAt
}

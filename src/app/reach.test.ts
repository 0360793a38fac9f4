// A start waits for a database that does not answer yet, for a bounded time: for no other fault.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { requireSameTime } from '../database/background/clocks.ts'
import { Refusal } from '../domain/errors.ts'
import { PassingStartupError, StartupError } from '../domain/startup-error.ts'
import { fakeClock } from '../../test/support/clock.ts'
import { createReach, reachMsMax, whyOutOfReach } from './reach.ts'

const answer = (code: string) =>
  Object.assign(new pg.DatabaseError('answered', 8, 'error'), { code })
const ofSystem = (code: string, syscall: string) =>
  Object.assign(new Error(code), { code, syscall })
const refusal = (because: unknown, outage: 'database' | 'lock' = 'database') =>
  new Refusal('unavailable', { outage, because })

test('why a database is out of reach: time-outs and refused or lost connections, and nothing else', () => {
  const timeOut = new Error('timeout expired')
  const told: [unknown, string | undefined][] = [
    [timeOut, 'no answer'],
    [refusal(timeOut), 'no answer'],
    [new PassingStartupError('The database cannot be used', { cause: timeOut }), 'no answer'],
    [new PassingStartupError('…', { cause: refusal(timeOut) }), 'no answer'],
    [ofSystem('ECONNREFUSED', 'connect'), 'ECONNREFUSED'],
    [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [ofSystem('ECONNRESET', 'read'), 'ECONNRESET'],
    [ofSystem('ENOENT', 'connect'), 'ENOENT'],
    [answer('57P03'), '57P03'],
    [answer('53300'), '53300'],
    [answer('57014'), '57014'],
    [ofSystem('ENOENT', 'open'), undefined],
    [ofSystem('ENOTFOUND', 'getaddrinfo'), undefined],
    [ofSystem('DEPTH_ZERO_SELF_SIGNED_CERT', 'connect'), undefined],
    [new TypeError('a defect'), undefined],
    [new Error('Connection terminated unexpectedly'), 'no answer'],
    [new Error('Query read timeout'), 'no answer'],
    [new Error('timeout exceeded when trying to connect'), 'no answer'],
    [new Error('The server does not support SSL connections'), undefined],
    [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), undefined],
    [new Error('another session has kept a table locked for 10 minutes'), undefined],
    [answer('28P01'), undefined],
    [answer('3D000'), undefined],
    [answer('42501'), undefined],
    [refusal(answer('55P03'), 'lock'), undefined],
    [new StartupError('The clock of this machine is 6 s behind'), undefined],
    [new Refusal('outcome_unknown', { because: timeOut }), undefined],
  ]
  for (const [thrown, because] of told) assert.equal(whyOutOfReach(thrown), because, String(thrown))
})

/** Waiting takes no time. */
function reaching(signal = new AbortController().signal) {
  const clock = fakeClock()
  const now = () => clock.monotonic()
  const lines: string[] = []
  const reach = createReach({
    log: { warn: ({ because }, message) => void lines.push(`${message}: ${because}`) },
    signal,
    clock,
    wait: async (ms) => clock.advance(ms),
  })
  return { reach, lines, pass: clock.advance, now }
}

test('a start asks again for 30 s in all from the first failure on, and says so once', async () => {
  const { reach, lines, pass, now } = reaching()
  assert.equal(await reach(async () => 'made'), 'made')
  pass(60_000)
  let count = 0
  const failing = async () => {
    count++
    throw refusal(new Error('timeout expired'))
  }
  const late = async () => (count === 3 ? 'made' : failing())
  assert.equal(await reach(late), 'made')
  assert.equal(now(), 63_000)
  await assert.rejects(reach(failing), { code: 'unavailable' })
  assert.equal(now(), 60_000 + reachMsMax)
  assert.equal(count, 3 + 28)
  assert.deepEqual(lines, ['the database does not answer yet: no answer'])
})

test('another fault ends a start at once, and a stop ends the wait', async () => {
  const { reach, lines } = reaching()
  let count = 0
  const denied = async () => {
    count++
    throw answer('28P01')
  }
  await assert.rejects(reach(denied), { code: '28P01' })
  assert.deepEqual([count, lines], [1, []])
  const stopping = new AbortController()
  const real = createReach({
    log: { warn: () => stopping.abort() },
    clock: fakeClock(),
    signal: stopping.signal,
  })
  const away = real(() => Promise.reject(ofSystem('ECONNREFUSED', 'connect')))
  await assert.rejects(away, { name: 'AbortError' })
})

test('a server that takes connections and is silent is out of reach, and so is one that ends them', async (t) => {
  const sockets: net.Socket[] = []
  let isSilent = true
  const server = net.createServer((socket) => void (isSilent ? sockets.push(socket) : socket.end()))
  t.after(() => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const connectionString = `postgres://one:two@127.0.0.1:${port}/bank?sslmode=disable`
  const read = () =>
    requireSameTime({ connectionString }, fakeClock(0)).then(
      () => assert.fail(),
      (thrown: unknown) => whyOutOfReach(thrown),
    )
  assert.equal(await read(), 'no answer')
  isSilent = false
  assert.equal(await read(), 'no answer')
})

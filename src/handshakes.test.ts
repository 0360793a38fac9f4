import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Handshakes } from './handshakes.ts'

/** A record that says it is a handshake, of 4 bytes. */
const hello = Buffer.from([22, 3, 1, 0, 4, 1, 2, 3, 4])

type Client = { name: string; socket: PassThrough }

function line(t: TestContext) {
  const begun: string[] = []
  const received = new Map<string, Buffer>()
  const names = new Map<unknown, string>()
  const handshakes = new Handshakes((socket) => {
    const name = names.get(socket) as string
    begun.push(name)
    received.set(name, socket.read() as Buffer)
  })
  const connect = (name: string, address: string): Client => {
    const socket = new PassThrough()
    t.after(() => socket.destroy())
    names.set(socket, name)
    handshakes.enter(address, socket as unknown as Socket)
    return { name, socket }
  }
  return { connect, begun, received }
}

/** Long enough for all that was written to be read, and for everybody to have a turn. */
async function turns(count = 20): Promise<void> {
  for (let done = 0; done < count; done++) await turn()
}

test('a crowd begins one by one, a turn of the event loop each, and what it said is not lost', async (t) => {
  const { connect, begun, received } = line(t)
  const crowd = Array.from({ length: 30 }, (_, at) => connect(`${at}`, '192.0.2.1'))
  for (const { socket } of crowd) socket.write(hello)
  let most = 0
  for (let before = 0; begun.length < crowd.length; before = begun.length) {
    await turn()
    most = Math.max(most, begun.length - before)
  }
  assert.equal(most, 1)
  assert.deepEqual(
    begun,
    crowd.map(({ name }) => name),
  )
  for (const { name } of crowd) assert.deepEqual(received.get(name), hello)
})

test('addresses take turns: one that comes alone does not wait for the crowd of another', async (t) => {
  const { connect, begun } = line(t)
  const crowd = Array.from({ length: 50 }, (_, at) => connect(`crowd ${at}`, '192.0.2.1'))
  for (const { socket } of crowd) socket.write(hello)
  await turns(5)
  connect('alone', '192.0.2.2').socket.write(hello)
  const before = begun.length
  await turns(200)
  assert.equal(begun.length, 51)
  assert.ok(begun.indexOf('alone') <= before + 3, `${begun.indexOf('alone')} after ${before}`)
})

test('who has said nothing, or half a hello, does not begin; the last byte lets it', async (t) => {
  const { connect, begun, received } = line(t)
  const silent = connect('silent', '192.0.2.1')
  const half = connect('half', '192.0.2.1')
  for (let at = 0; at < hello.length - 1; at++) {
    half.socket.write(hello.subarray(at, at + 1))
    await turns(3)
  }
  assert.deepEqual(begun, [])
  half.socket.write(hello.subarray(-1))
  await turns()
  assert.deepEqual(begun, ['half'])
  assert.deepEqual(received.get('half'), hello)
  assert.equal(silent.socket.destroyed, false)
})

test('what is no hello, or claims to be an endless one, is for TLS to refuse', async (t) => {
  const { connect, begun } = line(t)
  connect('http', '192.0.2.1').socket.write('GET / HTTP/1.1\r\n')
  connect('endless', '192.0.2.1').socket.write(Buffer.from([22, 3, 1, 0xff, 0xff]))
  await turns()
  assert.deepEqual(begun.toSorted(), ['endless', 'http'])
})

test('who says no hello within ten seconds is cut; who did is not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connect } = line(t)
  const silent = connect('silent', '192.0.2.1')
  const half = connect('half', '192.0.2.1')
  half.socket.write(hello.subarray(0, 5))
  const whole = connect('whole', '192.0.2.1')
  whole.socket.write(hello)
  await turns()
  t.mock.timers.tick(9999)
  assert.deepEqual([silent.socket.destroyed, half.socket.destroyed], [false, false])
  t.mock.timers.tick(1)
  assert.deepEqual([silent.socket.destroyed, half.socket.destroyed], [true, true])
  assert.equal(whole.socket.destroyed, false)
})

test('who went away while waiting has no turn, and one that ends before its hello is ended', async (t) => {
  const { connect, begun } = line(t)
  const crowd = Array.from({ length: 9 }, (_, at) => connect(`${at}`, '192.0.2.1'))
  for (const { socket } of crowd) socket.write(hello)
  for (const at of [0, 3, 4, 8]) crowd[at]?.socket.destroy()
  const ending = connect('ending', '192.0.2.1')
  ending.socket.end(hello.subarray(0, 4))
  await turns(40)
  assert.deepEqual(begun, ['1', '2', '5', '6', '7'])
  assert.ok(ending.socket.destroyed)
})

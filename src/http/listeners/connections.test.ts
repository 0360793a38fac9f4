import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { type Connection, Connections } from './connections.ts'
import type { Incoming, Outgoing } from './request-checks.ts'
import { mockTimers } from '../../../test/support/timers.ts'

let ports = 0
const socketLike = (remoteAddress: string | undefined = '192.0.2.7') =>
  Object.assign(new EventEmitter(), {
    remoteAddress,
    remotePort: remoteAddress && ++ports,
    writable: true,
    destroyed: false,
    destroySoon() {},
    destroy() {
      this.destroyed = true
    },
  })
type SocketLike = ReturnType<typeof socketLike>
const asSocket = (like: EventEmitter) => like as unknown as Socket

/** The connections of a listener with `connectionsMax` places. */
function listener(connectionsMax: number) {
  let refusedCount = 0
  const connections = new Connections({ connectionsMax, onRefused: () => refusedCount++ })
  const admit = (address?: string) => {
    const socket = socketLike(address)
    return { socket, connection: connections.admit(asSocket(socket)) }
  }
  /** A connection whose handshake is finished; without TLS the sockets are one. */
  const establish = (address?: string): SocketLike => {
    const { socket } = admit(address)
    connections.establish(asSocket(socket))
    return socket
  }
  const begin = (socket: SocketLike, { complete = true, handle = () => {} } = {}) => {
    const response = Object.assign(new EventEmitter(), { writableEnded: false })
    const request = { socket, complete } as unknown as Incoming
    connections.begin(request, response as unknown as Outgoing, handle)
    return response
  }
  const beginSession = (socket: SocketLike) => {
    const session = Object.assign(new EventEmitter(), {
      socket,
      isClosed: false,
      destroyed: false,
      close: () => (session.isClosed = true),
      destroy() {},
    })
    connections.beginSession(session as unknown as ServerHttp2Session)
    return session
  }
  const refused = () => refusedCount
  return { connections, admit, establish, begin, beginSession, refused }
}

const destroyed = (sockets: readonly SocketLike[]): number[] =>
  sockets.flatMap((socket, at) => (socket.destroyed ? [at] : []))

test('an address holds its share of connections and no more, and a closed one frees a place', () => {
  const { connections, establish, admit } = listener(400)
  const sockets = Array.from({ length: 100 }, () => establish())
  assert.equal(admit().connection, undefined)
  assert.equal(admit('::ffff:192.0.2.7').connection, undefined, 'the same address, spelt otherwise')
  assert.ok(admit('192.0.2.8').connection, 'others are not touched')
  sockets[0]?.emit('close')
  assert.ok(admit().connection)
  assert.equal(admit().connection, undefined)
  assert.equal(connections.admit(asSocket(socketLike(''))), undefined, 'its client is gone')
})

test('connections that are closed for want of a place are counted, others are not', () => {
  const { connections, establish, admit, refused } = listener(64)
  for (let place = 0; place < 16; place++) establish()
  connections.admit(asSocket(socketLike('')))
  assert.equal(refused(), 0)
  admit()
  assert.equal(refused(), 1, 'its address has its share')
  for (let place = 0; place < 8; place++) admit('192.0.2.8')
  assert.equal(refused(), 1)
  admit('192.0.2.8')
  assert.equal(refused(), 2, 'the oldest silent one made room')
})

test('an address with more than a few connections is a crowd, if it is not alone', () => {
  const { connections, admit } = listener(400)
  const crowd = Array.from({ length: 9 }, () => admit())
  const one = crowd[0]?.connection as Connection
  assert.equal(connections.isCrowd(one), false, 'no other address waits for it')
  const other = admit('192.0.2.8')
  assert.equal(connections.isCrowd(one), true)
  assert.equal(connections.isCrowd(other.connection as Connection), false)
  crowd[1]?.socket.emit('close')
  assert.equal(connections.isCrowd(one), false)
  admit()
  other.socket.emit('close')
  assert.equal(connections.isCrowd(one), false)
})

test('with all places taken, the oldest unfinished one of the address with most makes room', () => {
  const { connections, admit, establish } = listener(64)
  const greet = (address: string): SocketLike => {
    const { socket, connection } = admit(address)
    connections.onHello(connection as Connection)
    return socket
  }
  const few = Array.from({ length: 2 }, () => greet('192.0.2.1'))
  const idle = Array.from({ length: 16 }, () => establish('192.0.2.2'))
  const many = [3, 4, 5].map((at) =>
    Array.from({ length: at === 5 ? 14 : 16 }, () => greet(`192.0.2.${at}`)),
  )
  for (let at = 0; at < 10; at++) greet(`198.51.100.${at}`)
  assert.deepEqual(destroyed([...few, ...idle]), [])
  assert.deepEqual(many.map(destroyed), [
    [0, 1, 2, 3],
    [0, 1, 2, 3],
    [0, 1],
  ])
})

test('connections without a ClientHello take an eighth of the places', () => {
  const { connections, admit } = listener(64)
  const silent = Array.from({ length: 8 }, () => admit('192.0.2.1'))
  const greeted = admit('192.0.2.1')
  assert.deepEqual(destroyed(silent.map(({ socket }) => socket)), [0])
  connections.onHello(greeted.connection as Connection)
  assert.ok(admit('192.0.2.2').connection)
  assert.ok(admit('192.0.2.2').connection)
  assert.deepEqual(destroyed(silent.map(({ socket }) => socket)), [0, 1])
  assert.equal(greeted.socket.destroyed, false)
})

test('an eighth of the places is left to new ones: the longest idle of the address with most goes', () => {
  const { establish, begin } = listener(64)
  const alone = establish('192.0.2.1')
  const many = [2, 3, 4].flatMap((at) =>
    Array.from({ length: 16 }, () => establish(`192.0.2.${at}`)),
  )
  const [first, second, third] = many as [SocketLike, SocketLike, SocketLike]
  begin(first)
  begin(second).emit('close')
  begin(third, { complete: false })
  for (let at = 0; at < 7; at++) establish(`198.51.100.${at}`)
  assert.deepEqual(destroyed(many), [])
  for (let at = 0; at < 7; at++) establish(`198.51.100.${10 + at}`)
  const gone = destroyed(many)
  assert.equal(gone.length, 7)
  assert.equal(alone.destroyed, false)
  assert.equal(first.destroyed, false, 'a request of it is under way')
  assert.ok(gone.includes(3), 'never had a request')
  assert.equal(second.destroyed, false, 'idle for less long')
})

test('an answer that is not read, and a body that does not arrive, keep no place', () => {
  const { establish, begin } = listener(64)
  const busy = Array.from({ length: 56 }, (_, at) => establish(`192.0.2.${at}`))
  const answers = busy.map((socket) => begin(socket))
  assert.equal(establish('198.51.100.1').destroyed, false)
  assert.deepEqual(destroyed(busy), [], 'each has a request under way')
  Object.assign(answers[5] as object, { writableEnded: true })
  establish('198.51.100.2')
  assert.deepEqual(destroyed(busy), [5])
})

test('a new connection is cut when all established ones have a request under way', async () => {
  const { establish, begin } = listener(64)
  for (let at = 0; at < 56; at++) begin(establish(`192.0.2.${at}`))
  const late = establish('198.51.100.1')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(late.destroyed, true)
})

test('the cost of ending a session does not grow with the number of connections', (t) => {
  mockTimers(t, 'setTimeout', 'setInterval')
  let looks = 0
  const counted = (socket: SocketLike): SocketLike =>
    new Proxy(socket, {
      get(target, name) {
        looks++
        return Reflect.get(target, name) as unknown
      },
    })
  const { connections, beginSession } = listener(8000)
  const count = 2000
  const sockets: SocketLike[] = []
  const sessions = Array.from({ length: count }, (_, at) => {
    const socket = counted(socketLike(`192.0.2.${at % 4}`))
    sockets.push(socket)
    connections.admit(asSocket(socket))
    connections.establish(asSocket(socket))
    return beginSession(socket)
  })
  looks = 0
  for (const session of sessions) Object.assign(session, { destroyed: true }).emit('close')
  t.mock.timers.tick(1000)
  assert.equal(destroyed(sockets).length, 0, 'the client may still read the last answer')
  t.mock.timers.tick(1000)
  assert.ok(looks <= 20 * count, `${looks / count} reads of a socket for each session`)
  assert.equal(destroyed(sockets).length, count, 'the socket is closed behind its session')
})

test('a destroyed session that emits no close is cut two seconds later', (t) => {
  mockTimers(t, 'setTimeout', 'setInterval')
  const { establish, beginSession } = listener(64)
  const [over, open] = [establish(), establish()]
  beginSession(over).destroyed = true
  beginSession(open)
  t.mock.timers.tick(1000)
  assert.deepEqual(destroyed([over, open]), [], 'the client may still read the last answer')
  t.mock.timers.tick(1000)
  assert.deepEqual(destroyed([over, open]), [0])
})

test('a drain ends the connections without a ClientHello at once, and no others', () => {
  const { connections, admit, establish } = listener(64)
  const silent = admit()
  const greeted = admit()
  connections.onHello(greeted.connection as Connection)
  const established = establish()
  connections.drain()
  const sockets = [silent.socket, greeted.socket, established]
  assert.deepEqual(destroyed(sockets), [0])
  connections.cut()
  assert.deepEqual(destroyed(sockets), [0, 1, 2])
})

test('a session that begins during a drain is told to close', () => {
  const { connections, establish, beginSession } = listener(64)
  const socket = establish()
  connections.drain()
  assert.equal(beginSession(socket).isClosed, true)
})

test('a connection ends only after all its answers are sent', () => {
  const { connections, establish, begin } = listener(64)
  let ended = 0
  const socket = Object.assign(establish(), { destroySoon: () => ended++ })
  assert.equal(connections.endAfterAnswers(asSocket(socket)), false, 'nothing is owed')
  begin(socket, { complete: false })
  assert.equal(connections.endAfterAnswers(asSocket(socket)), false, 'the body was still arriving')
  const first = begin(socket)
  const second = begin(socket)
  assert.equal(connections.endAfterAnswers(asSocket(socket)), true)
  first.emit('close')
  assert.equal(ended, 0)
  second.emit('close')
  assert.equal(ended, 1)
})

test('a connection has one request handled at a time; connections do not wait for each other', () => {
  const { establish, begin } = listener(64)
  const handled: string[] = []
  const ask = (socket: SocketLike, name: string) =>
    begin(socket, { handle: () => handled.push(name) })
  const [one, other] = [establish(), establish()]
  const first = ask(one, 'first')
  const second = ask(one, 'second')
  ask(one, 'third')
  ask(other, 'another')
  assert.deepEqual(handled, ['first', 'another'])
  first.emit('close')
  assert.deepEqual(handled, ['first', 'another', 'second'])
  ask(one, 'fourth')
  Object.assign(one, { writable: false })
  second.emit('close')
  assert.deepEqual(handled, ['first', 'another', 'second'], 'no answer can be sent any more')
})

test('more than 64 waiting requests end the connection', () => {
  const { establish, begin } = listener(64)
  const socket = establish()
  for (let at = 0; at < 65; at++) begin(socket)
  assert.equal(socket.destroyed, false)
  begin(socket)
  assert.equal(socket.destroyed, true)
})

test('a connection is known after an earlier one from the same port has ended late', () => {
  const { connections, admit } = listener(8)
  const { socket: earlier } = admit()
  const later = Object.assign(socketLike(), { remotePort: earlier.remotePort })
  const admitted = connections.admit(asSocket(later))
  earlier.emit('close')
  assert.equal(connections.establish(asSocket(later)), admitted)
})

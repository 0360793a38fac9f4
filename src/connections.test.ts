import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { Connections } from './connections.ts'
import type { Incoming, Outgoing } from './transport.ts'

const socketLike = () =>
  Object.assign(new EventEmitter(), {
    writable: true,
    destroySoon() {},
    destroy() {},
  })
type SocketLike = ReturnType<typeof socketLike>
const asSocket = (like: SocketLike) => like as unknown as Duplex

test('an address holds its share of connections and no more, and a closed one frees a place', () => {
  const connections = new Connections()
  const sockets = Array.from({ length: 2000 }, socketLike)
  for (const socket of sockets) assert.ok(connections.admit('192.0.2.7', asSocket(socket)))
  assert.equal(connections.admit('192.0.2.7', asSocket(socketLike())), false)
  assert.ok(connections.admit('192.0.2.8', asSocket(socketLike())), 'others are not touched')
  sockets[0]?.emit('close')
  assert.ok(connections.admit('192.0.2.7', asSocket(socketLike())))
  assert.equal(connections.admit('192.0.2.7', asSocket(socketLike())), false)
})

test('an address with more than a few connections is a crowd, if it is not alone', () => {
  const connections = new Connections()
  const take = (address: string, socket = socketLike()) => {
    connections.admit(address, asSocket(socket))
    return socket
  }
  const crowd = Array.from({ length: 9 }, () => take('192.0.2.7'))
  assert.equal(connections.isCrowd('192.0.2.7'), false, 'it holds up nobody')
  const other = take('192.0.2.8')
  assert.equal(connections.isCrowd('192.0.2.7'), true)
  assert.equal(connections.isCrowd('192.0.2.8'), false)
  crowd[0]?.emit('close')
  assert.equal(connections.isCrowd('192.0.2.7'), false)
  take('192.0.2.7')
  other.emit('close')
  assert.equal(connections.isCrowd('192.0.2.7'), false)
})

test('a connection ends only when every answer it is owed is out', () => {
  const connections = new Connections()
  let ended = 0
  const socket = Object.assign(socketLike(), { destroySoon: () => ended++ })
  const begin = (complete: boolean) => {
    const response = new EventEmitter()
    const request = { socket, complete } as unknown as Incoming
    connections.begin(request, response as unknown as Outgoing, () => {})
    return response
  }
  assert.equal(connections.endAfterAnswers(asSocket(socket)), false, 'nothing is owed')
  begin(false)
  assert.equal(connections.endAfterAnswers(asSocket(socket)), false, 'its body was still coming')
  const first = begin(true)
  const second = begin(true)
  assert.equal(connections.endAfterAnswers(asSocket(socket)), true)
  first.emit('close')
  assert.equal(ended, 0)
  second.emit('close')
  assert.equal(ended, 1)
})

test('the requests of a connection are handled one after the other, those of others beside them', () => {
  const connections = new Connections()
  const handled: string[] = []
  const begin = (socket: SocketLike, name: string) => {
    const response = new EventEmitter()
    const request = { socket, complete: true } as unknown as Incoming
    connections.begin(request, response as unknown as Outgoing, () => handled.push(name))
    return response
  }
  const [one, other] = [socketLike(), socketLike()]
  const first = begin(one, 'first')
  const second = begin(one, 'second')
  begin(one, 'third')
  begin(other, 'another')
  assert.deepEqual(handled, ['first', 'another'])
  first.emit('close')
  assert.deepEqual(handled, ['first', 'another', 'second'])
  begin(one, 'fourth')
  Object.assign(one, { writable: false })
  second.emit('close')
  assert.deepEqual(handled, ['first', 'another', 'second'], 'nobody is there to be answered')
})

test('more requests than a client would ever send behind one another end the connection', () => {
  const connections = new Connections()
  let cut = 0
  const socket = Object.assign(socketLike(), { destroy: () => cut++ })
  const begin = () => {
    const request = { socket, complete: true } as unknown as Incoming
    connections.begin(request, new EventEmitter() as unknown as Outgoing, () => {})
  }
  for (let at = 0; at < 65; at++) begin()
  assert.equal(cut, 0)
  begin()
  assert.equal(cut, 1)
})

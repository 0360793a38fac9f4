import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { AcceptQueue } from './accept-queue.ts'
import { mockTimers } from '../../../test/support/timers.ts'

/** A TLS record with a handshake message of three bytes. */
const hello = Buffer.from([22, 3, 1, 0, 7, 1, 0, 0, 3, 9, 9, 9])

type Arrival = { name: string; isCrowd: boolean; address: string; accepted: Socket }

function fixture(t: TestContext) {
  const begun: string[] = []
  const greeted: string[] = []
  const received = new Map<string, Buffer>()
  const refused: Socket[] = []
  const connections = {
    onHello: ({ name }: Arrival) => void greeted.push(name),
    isCrowd: ({ isCrowd }: Arrival) => isCrowd,
  }
  const queue = new AcceptQueue<Arrival>(connections, (socket) => void refused.push(socket))
  const connect = (name: string, isCrowd = false, address = '192.0.2.1'): PassThrough => {
    const socket = new PassThrough()
    // The timers of this test are cleared before it ends.
    t.after(() => (socket.destroy(), pass(3)))
    queue.add({ name, isCrowd, address, accepted: socket as unknown as Socket }, () => {
      begun.push(name)
      received.set(name, socket.read() as Buffer)
    })
    return socket
  }
  const finish = (socket: PassThrough) => queue.finish(socket as unknown as Socket)
  return { connect, finish, begun, greeted, received, refused }
}

/** Long enough for all that was written to be read. */
async function pass(count = 20): Promise<void> {
  for (let done = 0; done < count; done++) await turn()
}

test('a handshake starts with the last byte of the ClientHello, not before', async (t) => {
  const { connect, begun, received } = fixture(t)
  const silent = connect('silent')
  const half = connect('half')
  for (let at = 0; at < hello.length - 1; at++) {
    half.write(hello.subarray(at, at + 1))
    await pass(3)
  }
  assert.deepEqual(begun, [])
  half.write(hello.subarray(-1))
  await pass()
  assert.deepEqual(begun, ['half'])
  assert.deepEqual(received.get('half'), hello)
  assert.equal(silent.destroyed, false)
})

test('plain HTTP is refused with its first byte, and what follows is thrown away', async (t) => {
  const { connect, begun, refused } = fixture(t)
  const pieces = connect('pieces')
  for (const each of ['G', 'ET / HT', 'TP/1.1\r\n\r\n', 'x'.repeat(100_000)]) {
    pieces.write(each)
    await pass()
  }
  connect('at once').end('POST / HTTP/1.1\r\n')
  await pass()
  assert.equal(pieces.readableLength, 0)
  assert.deepEqual([begun, refused.length], [[], 2])
})

test('bytes that are no ClientHello go to TLS at once, which refuses them', async (t) => {
  const { connect, begun } = fixture(t)
  connect('neither').write('\r\n')
  connect('long record').write(Buffer.from([22, 3, 1, 0xff, 0xff]))
  connect('something behind').write(Buffer.from([22, 3, 1, 0, 1, 1, 23]))
  await pass()
  assert.deepEqual(begun.toSorted(), ['long record', 'neither', 'something behind'])
})

test('a ClientHello in many records is awaited; an endless one is cut', async (t) => {
  const { connect, begun, received } = fixture(t)
  const records = [...hello.subarray(5)].map((byte) => Buffer.from([22, 3, 1, 0, 1, byte]))
  assert.equal(records.length, 7)
  const pieces = connect('pieces')
  for (const record of records.slice(0, -1)) pieces.write(record)
  const endless = connect('endless')
  endless.write(Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x40, 0]))
  const empty = connect('empty records')
  for (let at = 0; at < 8; at++) empty.write(Buffer.from([22, 3, 1, 0, 0]))
  await pass()
  assert.deepEqual(begun, [])
  assert.deepEqual(
    [pieces, endless, empty].map(({ destroyed }) => destroyed),
    [false, true, true],
  )
  pieces.write(records.at(-1))
  await pass()
  assert.deepEqual(begun, ['pieces'])
  assert.deepEqual(received.get('pieces'), Buffer.concat(records))
})

test('a connection without a complete ClientHello is cut after ten seconds', async (t) => {
  mockTimers(t, 'setTimeout')
  const { connect } = fixture(t)
  const silent = connect('silent')
  const half = connect('half')
  half.write(hello.subarray(0, 5))
  const whole = connect('whole')
  whole.write(hello)
  await pass()
  t.mock.timers.tick(9999)
  assert.deepEqual([silent.destroyed, half.destroyed], [false, false])
  t.mock.timers.tick(1)
  assert.deepEqual([silent.destroyed, half.destroyed], [true, true])
  assert.equal(whole.destroyed, false)
})

test('a connection that closes in the queue is not started', async (t) => {
  mockTimers(t, 'setTimeout')
  const { connect, begun } = fixture(t)
  const [first, gone, there] = ['first', 'gone', 'there'].map((name) => connect(name, true))
  for (const socket of [first, gone, there]) socket?.write(hello)
  await pass()
  gone?.destroy()
  for (let at = 0; at < 3; at++) t.mock.timers.tick(8)
  assert.deepEqual(begun, ['first', 'there'])
})

test('a crowd is started with pauses; other addresses do not wait for it', async (t) => {
  mockTimers(t, 'setTimeout')
  const { connect, begun } = fixture(t)
  for (let at = 0; at < 10; at++) connect(`crowd ${at}`, true).write(hello)
  await pass()
  assert.deepEqual(begun, ['crowd 0'])
  t.mock.timers.tick(7)
  connect('alone', false, '192.0.2.2').write(hello)
  await pass()
  assert.deepEqual(begun, ['crowd 0', 'alone'])
  for (let at = 1; at < 10; at++) {
    t.mock.timers.tick(8)
    assert.equal(begun.length, at + 2)
  }
})

test('a connection that ends before its ClientHello is complete is closed', async (t) => {
  const { connect, begun } = fixture(t)
  const ending = connect('ending')
  ending.end(hello.subarray(0, 4))
  await pass()
  assert.deepEqual([ending.destroyed, begun], [true, []])
})

test('an address has 32 unfinished handshakes; the next starts when one is finished', async (t) => {
  mockTimers(t, 'setTimeout')
  const { connect, finish, begun, greeted } = fixture(t)
  const passPauses = async () => {
    for (let pause = 0; pause < 5; pause++) {
      t.mock.timers.tick(8)
      await pass()
    }
  }
  const all = Array.from({ length: 40 }, (_, at) => connect(`${at}`))
  for (const socket of all) socket.write(hello)
  connect('other address', false, '192.0.2.2').write(hello)
  await pass(100)
  assert.equal(greeted.length, 41)
  assert.equal(begun.length, 33)
  assert.ok(begun.includes('other address'), 'other addresses do not wait')
  finish(all[0] as PassThrough)
  finish(all[0] as PassThrough)
  all[1]?.destroy()
  await passPauses()
  assert.deepEqual(begun.slice(33), ['32', '33'])
  all[34]?.destroy()
  await passPauses()
  assert.equal(begun.length, 35, 'a handshake that closed in the queue frees no place')
  for (const socket of all.slice(2, 5)) finish(socket)
  await passPauses()
  assert.deepEqual(begun.slice(35), ['35', '36', '37'])
})

test('handshakes that waited for others of their address have pauses only in a crowd', async (t) => {
  mockTimers(t, 'setTimeout')
  const { connect, finish, begun } = fixture(t)
  for (const [isCrowd, address] of [
    [false, '192.0.2.1'],
    [true, '192.0.2.2'],
  ] as const) {
    const all = Array.from({ length: 40 }, (_, at) => connect(`${at}`, isCrowd, address))
    for (const socket of all) socket.write(hello)
    for (let pause = 0; pause < 40; pause++) {
      await pass(3)
      t.mock.timers.tick(8)
    }
    assert.equal(begun.splice(0).length, 32)
    for (const socket of all.slice(0, 8)) finish(socket)
    await pass()
    assert.equal(begun.splice(0).length, isCrowd ? 1 : 8)
  }
})

test('a handshake that stalls for two seconds makes room for others of its address', async (t) => {
  mockTimers(t, 'setTimeout')
  const { connect, begun } = fixture(t)
  const stalled = Array.from({ length: 32 }, (_, at) => connect(`stalled ${at}`))
  for (const socket of stalled) socket.write(hello)
  await pass(100)
  assert.equal(begun.length, 32)
  t.mock.timers.tick(2000)
  const left = () => stalled.filter(({ destroyed }) => !destroyed).length
  assert.equal(left(), 32, 'no handshake waits for their places')
  for (const name of ['one', 'two']) connect(name).write(hello)
  await pass(100)
  for (let pause = 0; pause < 3; pause++) {
    t.mock.timers.tick(8)
    await pass()
  }
  assert.equal(left(), 30, 'the oldest, one for each that waits')
  assert.deepEqual(
    stalled.slice(0, 3).map(({ destroyed }) => destroyed),
    [true, true, false],
  )
  assert.deepEqual(begun.slice(32), ['one', 'two'])
})

test('a handshake that has stalled for less than two seconds makes no room', async (t) => {
  mockTimers(t, 'setTimeout')
  const { connect, begun } = fixture(t)
  const slow = Array.from({ length: 32 }, (_, at) => connect(`slow ${at}`))
  for (const socket of slow) socket.write(hello)
  await pass(100)
  connect('late').write(hello)
  await pass()
  t.mock.timers.tick(1999)
  await pass()
  assert.deepEqual(
    [slow.some(({ destroyed }) => destroyed), begun.includes('late')],
    [false, false],
  )
  t.mock.timers.tick(1)
  await pass()
  assert.equal(begun.at(-1), 'late')
})

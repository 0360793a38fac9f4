import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { AcceptQueue } from './accept-queue.ts'

/** A record with a message of three bytes. */
const hello = Buffer.from([22, 3, 1, 0, 7, 1, 0, 0, 3, 9, 9, 9])

function door(t: TestContext) {
  const begun: string[] = []
  const greeted: string[] = []
  const received = new Map<string, Buffer>()
  const handshakes = new AcceptQueue()
  const connect = (name: string, isCrowd = false, remoteAddress = '192.0.2.1'): PassThrough => {
    const socket = Object.assign(new PassThrough(), { remoteAddress })
    // Timers of this test are cleared in it.
    t.after(() => (socket.destroy(), pass(3)))
    const begin = () => {
      begun.push(name)
      received.set(name, socket.read() as Buffer)
    }
    const accepted = socket as unknown as Socket
    const steps = { greeted: () => greeted.push(name), isCrowd: () => isCrowd, start: begin }
    handshakes.await({ address: remoteAddress, accepted }, steps)
    return socket
  }
  const finish = (socket: PassThrough) => handshakes.end(socket as unknown as Socket)
  return { connect, finish, begun, greeted, received }
}

/** Long enough for all that was written to be read. */
async function pass(count = 20): Promise<void> {
  for (let done = 0; done < count; done++) await turn()
}

test('who has said nothing, or half a hello, does not begin; the last byte lets it', async (t) => {
  const { connect, begun, received } = door(t)
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

test('what is no hello is for TLS to refuse, at once', async (t) => {
  const { connect, begun } = door(t)
  connect('http').write('GET / HTTP/1.1\r\n')
  connect('long record').write(Buffer.from([22, 3, 1, 0xff, 0xff]))
  connect('something behind').write(Buffer.from([22, 3, 1, 0, 1, 1, 23]))
  await pass()
  assert.deepEqual(begun.toSorted(), ['http', 'long record', 'something behind'])
})

test('a hello in many records is waited for; one without end is cut', async (t) => {
  const { connect, begun, received } = door(t)
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

test('who says no hello within ten seconds is cut; who did is not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connect } = door(t)
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

test('who went away while waiting for a turn has none', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connect, begun } = door(t)
  const [first, gone, there] = ['first', 'gone', 'there'].map((name) => connect(name, true))
  for (const socket of [first, gone, there]) socket?.write(hello)
  await pass()
  gone?.destroy()
  for (let at = 0; at < 3; at++) t.mock.timers.tick(8)
  assert.deepEqual(begun, ['first', 'there'])
})

test('those of a crowd wait between them; others do not wait for them', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connect, begun } = door(t)
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

test('a connection that ends before its hello is ended', async (t) => {
  const { connect, begun } = door(t)
  const ending = connect('ending')
  ending.end(hello.subarray(0, 4))
  await pass()
  assert.deepEqual([ending.destroyed, begun], [true, []])
})

test('an address has 32 unfinished handshakes; the next starts when one is finished', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connect, finish, begun, greeted } = door(t)
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
  assert.ok(begun.includes('other address'), 'others are not held up')
  finish(all[0] as PassThrough)
  finish(all[0] as PassThrough)
  all[1]?.destroy()
  await passPauses()
  assert.deepEqual(begun.slice(33), ['32', '33'])
  all[34]?.destroy()
  await passPauses()
  assert.equal(begun.length, 35, 'one that was waiting and went frees no place')
  for (const socket of all.slice(2, 5)) finish(socket)
  await passPauses()
  assert.deepEqual(begun.slice(35), ['35', '36', '37'])
})

test('a handshake that stalls for two seconds makes room while others of its address wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connect, begun } = door(t)
  const stalled = Array.from({ length: 32 }, (_, at) => connect(`stalled ${at}`))
  for (const socket of stalled) socket.write(hello)
  await pass(100)
  assert.equal(begun.length, 32)
  t.mock.timers.tick(2000)
  const left = () => stalled.filter(({ destroyed }) => !destroyed).length
  assert.equal(left(), 32, 'nothing waits for their places')
  for (const name of ['one', 'two']) connect(name).write(hello)
  await pass(100)
  for (let pause = 0; pause < 3; pause++) {
    t.mock.timers.tick(8)
    await pass()
  }
  assert.equal(left(), 30, 'one for each that waits, the oldest')
  assert.deepEqual(
    stalled.slice(0, 3).map(({ destroyed }) => destroyed),
    [true, true, false],
  )
  assert.deepEqual(begun.slice(32), ['one', 'two'])
})

test('a handshake that is under way for less makes no room', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connect, begun } = door(t)
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

// Which server a connection of the service accepts, judged by what the server reports of itself.
import assert from 'node:assert/strict'
import net from 'node:net'
import { test, type TestContext } from 'node:test'
import { Client, NotPrimary } from './client.ts'

function message(type: string, content: Buffer | string): Buffer {
  const body = Buffer.from(content)
  const head = Buffer.alloc(5, type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const accepted = message('R', Buffer.alloc(4))
const ready = message('Z', 'I')

async function sendInTurn(socket: net.Socket, packets: readonly Buffer[]): Promise<void> {
  for (const packet of packets) {
    await new Promise((sent) => void socket.write(packet, sent))
    await new Promise(setImmediate)
  }
}

type Reported = readonly [name: string, value: string]

/** Asks for no password, and sends all it has to say in one packet or in several. */
async function serverThatReports(t: TestContext, [name, value]: Reported, isOnePacket: boolean) {
  const parts = [accepted, message('S', `${name}\0${value}\0`), ready]
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.setNoDelay()
    socket.once('data', () => {
      void sendInTurn(socket, isOnePacket ? [Buffer.concat(parts)] : parts)
    })
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  t.after(() => server.close())
  return (server.address() as net.AddressInfo).port
}

test('a connection that needs the primary refuses a standby, and nothing else', async (t) => {
  const reports: Reported[] = [
    ['in_hot_standby', 'on'],
    ['in_hot_standby', 'off'],
    ['default_transaction_read_only', 'on'],
  ]
  for (const reported of reports) {
    for (const needsPrimary of [true, false, undefined]) {
      for (const isOnePacket of [true, false]) {
        const port = await serverThatReports(t, reported, isOnePacket)
        const options = needsPrimary === undefined ? {} : { needsPrimary }
        const client = new Client({ host: '127.0.0.1', port, user: 'service', ...options })
        client.on('error', () => {})
        const isRefused = needsPrimary && reported === reports[0]
        const what = `${reported.join(' ')}, ${needsPrimary}, ${isOnePacket}`
        if (isRefused) await assert.rejects(client.connect(), NotPrimary, what)
        else await assert.doesNotReject(client.connect(), what)
        client.connection.stream.destroy()
      }
    }
  }
})

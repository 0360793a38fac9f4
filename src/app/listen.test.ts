import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test, type TestContext } from 'node:test'
import { reservePort, listen } from './listen.ts'

const host = '127.0.0.1'
const taken = /^Cannot listen on port \d+ of 127\.0\.0\.1: another program does already\.$/

function open(t: TestContext, greeting: string): net.Server {
  const server = net.createServer((socket) => socket.end(greeting))
  t.after(() => server.close())
  return server
}

async function read(port: number): Promise<string> {
  const socket = net.connect({ host, port })
  let text = ''
  socket.on('data', (bytes) => (text += bytes.toString()))
  await once(socket, 'close')
  return text
}

test('no program can listen on a held port before it is released', async (t) => {
  const { port, release } = await reservePort(host)
  await assert.rejects(listen(open(t, 'other'), { host, port }), { message: taken })
  await release()
  await release()
  assert.equal(await listen(open(t, 'service'), { host, port }), port)
  assert.equal(await read(port), 'service')
})

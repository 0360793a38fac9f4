// A name server (RFC 1035) that answers each question for an IPv4 address as the test says.
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/** Gives a function that resolves by it, and the number of questions so far. */
export async function nameServer(t: TestContext, answers: readonly string[]) {
  let asked = 0
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.on('message', (question, { port, address }) => {
    const given = answers[Math.min(asked, answers.length - 1)] ?? '0.0.0.0'
    asked++
    // The header and the question as they came: a response with one answer.
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(1, 6)
    head.writeUInt32BE(0, 8)
    const nameEnd = question.indexOf(0, 12)
    const asking = question.subarray(12, nameEnd + 5)
    // A pointer to the name, type A, class IN, no time to live, four bytes.
    const record = Buffer.from('c00c00010001000000000004', 'hex')
    const octets = Buffer.from(given.split('.').map((octet) => Number.parseInt(octet, 10)))
    socket.send(Buffer.concat([head, asking, record, octets]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    resolve: (hostname: string): Promise<readonly string[]> => resolver.resolve4(hostname),
    asked: () => asked,
  }
}

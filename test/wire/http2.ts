// One request over HTTP/2 with exactly these header fields, even if Node's client would not send
// them: its HEADERS frame is replaced on the way. Node reads the answer.
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { connect } from '../support/connect.ts'
import type { World } from '../support/world.ts'
import type { Answer } from './socket.ts'

export type Fields = readonly (readonly [name: string, value: string])[]

export type Heard2 = {
  /** Undefined when the stream or the connection ended without one. */
  answer: Answer | undefined
  /** The error code the stream ended with; 0 is none. */
  reset: number
  /** Whether 100 came before the answer. */
  isContinued: boolean
}

const headFrame = 1
const endOfStream = 1
const endOfHeaders = 4

/** A frame as it is sent (RFC 9113 section 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** @param data DATA frames to send behind the head; the last one ends the stream */
export async function speakHttp2(
  bank: Pick<World, 'running'>,
  fields: Fields,
  data: readonly string[] = [],
): Promise<Heard2> {
  const socket = await connect(bank, { protocols: ['h2'] })
  await once(socket, 'secureConnect')
  const between = await rewriting(socket, encodeBlock(fields), data.length === 0)
  const session = http2.connect('http://bank.example', { createConnection: () => between })
  session.on('error', () => {})
  // Node has to know whether a body belongs to the answer.
  const isHead = fields.some(([name, value]) => name === ':method' && value === 'HEAD')
  const method = isHead ? 'HEAD' : 'POST'
  const stream = session.request({ ':method': method }, { endStream: isHead })
  const heard: Heard2 = { answer: undefined, reset: 0, isContinued: false }
  let body = ''
  stream.on('response', (_headers, _flags, raw: unknown) => {
    heard.answer = toAnswer(raw as string[])
  })
  stream.on('continue', () => (heard.isContinued = true))
  stream.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
  stream.on('error', () => {})
  data.forEach((part, index) => {
    if (index + 1 === data.length) stream.end(part)
    else stream.write(part)
  })
  const giveUp = setTimeout(() => session.destroy(), 8000)
  await Promise.race([once(stream, 'end'), new Promise((done) => stream.once('close', done))])
  clearTimeout(giveUp)
  heard.reset = stream.rstCode
  if (heard.answer) heard.answer.body = body
  stream.close()
  session.destroy()
  between.destroy()
  socket.destroy()
  return heard
}

function toAnswer(raw: readonly string[]): Answer {
  const fields: [string, string][] = []
  let status = 0
  for (let index = 0; index < raw.length; index += 2) {
    const [name, value] = [raw[index] as string, raw[index + 1] as string]
    if (name === ':status') status = Number(value)
    else fields.push([name, value])
  }
  return { status, fields, body: '' }
}

/** Header fields as HPACK literals without an index (RFC 7541 section 6.2.2). */
export function encodeBlock(fields: Fields): Buffer {
  const text = (value: string): Buffer[] => {
    const bytes = Buffer.from(value, 'latin1')
    return [integer(bytes.length), bytes]
  }
  const each = fields.flatMap(([name, value]) => [Buffer.from([0]), ...text(name), ...text(value)])
  return Buffer.concat(each)
}

/** An integer with a prefix of seven bits (RFC 7541 section 5.1). */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value])
  const bytes = [127]
  let rest = value - 127
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}

/**
 * The connection, on which the head of the first stream becomes `block`. It is a real socket: on
 * another stream, an assertion of Node's client sometimes ends the process (nodejs/node#32015).
 */
async function rewriting(socket: net.Socket, block: Buffer, isWhole: boolean): Promise<net.Socket> {
  const server = net.createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const outer = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1')
  outer.on('error', () => {})
  const [inner] = (await once(server, 'connection')) as [net.Socket]
  server.close()
  let pending = Buffer.alloc(0)
  const preface = 24
  let isPast = false
  inner.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    const out: Buffer[] = []
    if (!isPast && pending.length >= preface) {
      out.push(pending.subarray(0, preface))
      pending = pending.subarray(preface)
      isPast = true
    }
    if (!isPast) return
    while (pending.length >= 9 && pending.length >= 9 + pending.readUIntBE(0, 3)) {
      const frame = pending.subarray(0, 9 + pending.readUIntBE(0, 3))
      pending = pending.subarray(frame.length)
      out.push(frame[3] === headFrame ? headersFrame(block, isWhole) : frame)
    }
    socket.write(Buffer.concat(out))
  })
  socket.on('data', (chunk: Buffer) => inner.write(chunk))
  for (const [one, other] of [
    [socket, inner],
    [inner, socket],
  ] as const) {
    one.on('error', () => {})
    one.on('close', () => other.destroySoon())
  }
  return outer
}

const frameBytesMax = 16_384
const continuationFrame = 9

/** The frames of a head: HEADERS, and CONTINUATION for what does not fit. */
function headersFrame(block: Buffer, isWhole: boolean): Buffer {
  const frames: Buffer[] = []
  for (let from = 0; from < block.length; from += frameBytesMax) {
    const part = block.subarray(from, from + frameBytesMax)
    const isFirst = from === 0
    const isLast = from + frameBytesMax >= block.length
    const flags = (isFirst && isWhole ? endOfStream : 0) | (isLast ? endOfHeaders : 0)
    frames.push(frame(isFirst ? headFrame : continuationFrame, flags, 1, part))
  }
  return Buffer.concat(frames)
}

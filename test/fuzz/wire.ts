// Sends a request as it is, however odd: over HTTP/1.1, over HTTP/2, or byte by byte.
import http2 from 'node:http2'
import https from 'node:https'
import { connect, everything, trusted } from '../support/connect.ts'
import type { World } from '../support/world.ts'
import type { Sent } from './request.ts'

export type Answer = {
  /** 0: the connection ended without an answer. */
  status: number
  headers: Record<string, string>
  bytes: Buffer
}

export type Wire = { send(sent: Sent): Promise<Answer>; close(): void }

const answerTimeoutMs = 30_000
const none: Answer = { status: 0, headers: {}, bytes: Buffer.alloc(0) }

export async function wireTo(bank: World): Promise<Wire> {
  const ca = await trusted(bank)
  const host = { host: '127.0.0.1', port: bank.running.httpsPort, servername: 'localhost', ca }
  const agent = new https.Agent({ ...host, keepAlive: true, maxSockets: 32 })
  let session: http2.ClientHttp2Session | undefined
  const h2 = (): http2.ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed) {
      session = http2.connect(`https://localhost:${host.port}`, { ca })
      session.on('error', () => {})
    }
    return session
  }

  async function send(sent: Sent): Promise<Answer> {
    if (sent.via === 'raw' || !isOrdinary(sent)) return sendRaw(bank, sent)
    const isHttp2 = sent.via === 'http/2' && isFitForHttp2(sent)
    const answer = await (isHttp2 ? sendHttp2(h2(), sent) : sendHttp1(agent, sent))
    // A kept connection may be closed just when it is used again, and HTTP/2 resets a stream that
    // is malformed: what was not read is asked once more.
    return answer.status === 0 ? sendRaw(bank, sent) : answer
  }

  return {
    send,
    close() {
      agent.destroy()
      session?.destroy()
    },
  }
}

const framing = /^(connection|upgrade|transfer-encoding|te|expect|keep-alive|content-length)$/i

/** What Node's clients would refuse to send, or would change on the way. */
const isOrdinary = ({ method, target, headers }: Sent): boolean =>
  /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|PROPFIND)$/.test(method) &&
  /^[\u0021-\u007e]+$/.test(target) &&
  headers.every(([name, value]) => {
    const isFraming = framing.test(name) && name !== 'content-length'
    return !isFraming && /^[\t\u0020-\u007e]*$/.test(value)
  })

const isFitForHttp2 = ({ target, headers }: Sent): boolean =>
  target.startsWith('/') &&
  new Set(headers.map(([name]) => name.toLowerCase())).size === headers.length &&
  headers.every(([, value]) => value === value.trim() && value.length < 4000)

function sendHttp1(agent: https.Agent, { method, target, headers, payload }: Sent) {
  return new Promise<Answer>((resolve) => {
    const request = https.request(
      { agent, method, path: target, headers: headers.flat(), timeout: answerTimeoutMs },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', () => resolve(none))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            bytes: Buffer.concat(chunks),
          }),
        )
      },
    )
    request.on('error', () => resolve(none))
    request.on('timeout', () => request.destroy())
    request.end(payload)
  })
}

function sendHttp2(session: http2.ClientHttp2Session, sent: Sent): Promise<Answer> {
  const { method, target, headers, payload } = sent
  return new Promise((resolve) => {
    const fields: Record<string, string> = { ':method': method, ':path': target }
    for (const [name, value] of headers) {
      fields[name.toLowerCase() === 'host' ? ':authority' : name] = value
    }
    const stream = session.request(fields, { endStream: payload === undefined })
    let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {}
    const chunks: Buffer[] = []
    stream.setTimeout(answerTimeoutMs, () => stream.close())
    stream.on('response', (its) => (head = its))
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', () => {})
    stream.on('close', () => {
      const { ':status': status = 0, ...its } = head
      const bytes = Buffer.concat(chunks)
      resolve({ status, headers: its as Record<string, string>, bytes })
    })
    if (payload !== undefined) stream.end(payload)
  })
}

async function sendRaw(bank: World, sent: Sent): Promise<Answer> {
  const { method, target, headers, payload = Buffer.alloc(0) } = sent
  const socket = await connect(bank)
  socket.setTimeout(answerTimeoutMs, () => socket.destroy())
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = `${method} ${target} HTTP/1.1\r\n${fields}connection: close\r\n\r\n`
  socket.write(Buffer.concat([Buffer.from(head, 'latin1'), payload]))
  return read(Buffer.from(await everything(socket), 'latin1'))
}

/** Reads one answer; those that only say to go on are passed over. */
function read(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return none
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0)
  const rest = bytes.subarray(end + 4)
  if (status >= 100 && status < 200) return read(rest)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status, headers, bytes: rest }
}

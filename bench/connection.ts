// HTTP/1.1 over TLS on raw sockets, one request at a time: costs less than Node's HTTP clients.
import tls from 'node:tls'
import type { Figures } from './harness.ts'

export type Target = { port: number; ca: Buffer }

export type Connection = {
  /** Sends a request and returns the whole response. */
  ask(request: string): Promise<string>
  close(): void
}

type Request = {
  method?: string
  path: string
  token: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

export function toRequest({ method = 'GET', path, token, body, headers = {} }: Request): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const fields = {
    host: 'localhost',
    authorization: `Bearer ${token}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    }),
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

/** @param from the address to connect from, in 127.0.0.0/8 */
export async function connect({ port, ca }: Target, from?: string): Promise<Connection> {
  const socket = tls.connect({
    host: '127.0.0.1',
    port,
    ca,
    servername: 'localhost',
    ...(from !== undefined && { localAddress: from }),
  })
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.once('error', reject)
  })
  socket.setNoDelay(true)
  let text = ''
  let pending: PromiseWithResolvers<string> | undefined
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = /content-length: (\d+)/i.exec(text)?.[1]
    if (text.length < head + 4 + Number(length ?? 0)) return
    pending?.resolve(text)
    text = ''
  })
  socket.on('error', () => {})
  socket.on('close', () => pending?.reject(new Error('The connection was closed')))
  return {
    ask(request) {
      pending = Promise.withResolvers()
      if (socket.destroyed) pending.reject(new Error('The connection is closed'))
      else socket.write(request)
      return pending.promise
    },
    close: () => socket.destroy(),
  }
}

/** @param latencies milliseconds of each request that succeeded */
export function toPace(latencies: readonly number[], seconds: number): Figures {
  const sorted = Float64Array.from(latencies).sort()
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return { perSecond: latencies.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

const warmingConnections = 32

/** Uses every token once, so that its signature is cached as it is for a client at work. */
export async function warmTokens(
  target: Target,
  customers: readonly { sessions: readonly { token: string }[] }[],
): Promise<void> {
  const tokens = customers.flatMap(({ sessions }) => sessions).values()
  const warm = async () => {
    const { ask, close } = await connect(target)
    for (const { token } of tokens) await ask(toRequest({ path: '/api/v1/me', token }))
    close()
  }
  await Promise.all(Array.from({ length: warmingConnections }, warm))
}

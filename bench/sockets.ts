// The generator where there is no other: HTTP/1.1 over TLS on raw sockets, one request at a time
// per connection, answers read by their length. It costs less than any HTTP client of Node's.
import tls from 'node:tls'
import type { Figures } from './harness.ts'
import { numberMark, type Plan, toRequest, reserveNumbers } from './plan.ts'
import type { Target } from './load.ts'

export async function loadByNode(
  target: Target,
  plan: Plan,
  connections: number,
  seconds: number,
): Promise<Figures> {
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(target)))
  const next = toRequests(plan)
  const latencies: number[] = []
  let refused = 0
  const began = performance.now()
  const end = began + seconds * 1000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const started = performance.now()
        const answer = await client.ask(next())
        if (Number(answer.slice(9, 12)) < 400) latencies.push(performance.now() - started)
        else refused++
      }
      client.close()
    }),
  )
  return {
    ...pace(latencies, (performance.now() - began) / 1000),
    refusedPercent: (100 * refused) / (latencies.length + refused),
  }
}

/** @param latencies milliseconds of each that succeeded */
export function pace(latencies: readonly number[], seconds: number): Figures {
  const sorted = Float64Array.from(latencies).sort()
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return {
    perSecond: latencies.length / seconds,
    p50Milliseconds: at(0.5),
    p99Milliseconds: at(0.99),
  }
}

const below = (limit: number): number => Math.floor(Math.random() * limit)
const kept = 4096
const distance = 2048

function toRequests({ templates, repeatPercent = 0 }: Plan): () => string {
  let number = reserveNumbers()
  const sent: string[] = []
  let position = 0
  return () => {
    const again = sent[(position - distance) % kept]
    if (position > distance && again !== undefined && below(100) < repeatPercent) return again
    const template = templates[below(templates.length)] as string
    const made = template.replaceAll(numberMark, String(++number).padStart(numberMark.length, '0'))
    if (repeatPercent > 0) sent[++position % kept] = made
    return made
  }
}

export type Connection = {
  /** Sends the bytes; gives the whole answer. */
  ask(request: string): Promise<string>
  close(): void
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
  const read = createReader(socket)
  return {
    ask(request) {
      socket.write(request)
      return read()
    },
    close: () => socket.destroy(),
  }
}

/** Gives one whole answer per call. */
function createReader(socket: tls.TLSSocket): () => Promise<string> {
  let text = ''
  let give: ((answer: string) => void) | undefined
  let fail: ((error: Error) => void) | undefined
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = /content-length: (\d+)/i.exec(text)?.[1]
    if (text.length < head + 4 + Number(length ?? 0)) return
    const answer = text
    text = ''
    give?.(answer)
  })
  socket.on('error', () => {})
  socket.on('close', () => fail?.(new Error('The connection was closed')))
  return () =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) reject(new Error('The connection is closed'))
      give = resolve
      fail = reject
    })
}

const senders = 32

/** Sends each request once. */
export async function sendAll(target: Target, requests: readonly string[]): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(senders, requests.length) }, async () => {
      const { ask, close } = await connect(target)
      while (next < requests.length) await ask(requests[next++] as string)
      close()
    }),
  )
}

/** Every token is seen once: from then on its signature is known, as it is of a client at work. */
export const greetAll = (
  target: Target,
  customers: readonly { sessions: readonly { token: string }[] }[],
): Promise<void> =>
  sendAll(
    target,
    customers.flatMap(({ sessions }) =>
      sessions.map(({ token }) => toRequest({ path: '/api/v1/me', token })),
    ),
  )

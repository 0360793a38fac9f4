// A load generator that costs little beside what it measures: HTTP/1.1 over TLS on raw sockets, one
// request at a time per connection, answers read by their length.
import tls from 'node:tls'
import { type Figures, figuresOf } from './figures.ts'

export type Target = { port: number; ca: Buffer }
/** The next request of a connection: its token and its body. */
export type Next = (connection: number) => { token: string; body: string }

/** Keeps that many connections busy with transfers for that long. */
export async function load(
  { port, ca }: Target,
  connections: number,
  seconds: number,
  next: Next,
): Promise<Figures> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connect(port, ca)))
  const latencies: number[] = []
  const failures: Record<string, number> = {}
  const end = performance.now() + seconds * 1000
  await Promise.all(
    sockets.map(async (socket, index) => {
      const read = reader(socket)
      while (performance.now() < end) {
        const started = performance.now()
        socket.write(requestOf(next(index)))
        const answer = await read()
        if (answer.startsWith('HTTP/1.1 201')) latencies.push(performance.now() - started)
        else {
          const what = answer.slice(9, 12) + (/"code":"(\w+)"/.exec(answer)?.[1] ?? '')
          failures[what] = (failures[what] ?? 0) + 1
        }
      }
      socket.end()
    }),
  )
  return figuresOf(latencies, seconds, failures)
}

const requestOf = ({ token, body }: { token: string; body: string }): string =>
  `POST /api/v1/transfers HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n` +
  `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

function connect(port: number, ca: Buffer): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () =>
      resolve(socket),
    )
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

/** Gives one whole answer per call. */
function reader(socket: tls.TLSSocket): () => Promise<string> {
  let text = ''
  let give: ((answer: string) => void) | undefined
  let fail: ((error: Error) => void) | undefined
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = /content-length: (\d+)/i.exec(text)?.[1]
    if (text.length < head + 4 + Number(length)) return
    const answer = text
    text = ''
    give?.(answer)
  })
  socket.on('close', () => fail?.(new Error('The connection was closed')))
  return () =>
    new Promise((resolve, reject) => {
      give = resolve
      fail = reject
    })
}

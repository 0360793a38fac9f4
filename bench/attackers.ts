// Strangers who hold connections and send or read next to nothing, in a process of their own: it is
// told whom to trouble and with what, says when all are connected, and goes on until it is ended.
import tls from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'

export type Crowd = {
  port: number
  /** PEM. */
  ca: string
  kinds: readonly string[]
  /** Of the counts of each kind. */
  share: number
}

type Kind = {
  count: number
  /** What it sends when it is connected; nothing is idle. */
  first: string
  /** What it sends each second from then on. */
  drip: string
  /** Whether it takes what it is sent. */
  isReading: boolean
}

const fields = 'host: localhost\r\n'
const login = `POST /api/v1/auth/login HTTP/1.1\r\n${fields}content-type: application/json\r\n`

export const kinds: Record<string, Kind> = {
  'slow heads': { count: 200, first: `${login}x: `, drip: 'x', isReading: true },
  'dripping bodies': {
    count: 200,
    first: `${login}content-length: 60000\r\n\r\n{`,
    drip: ' ',
    isReading: true,
  },
  'slow readers': {
    count: 200,
    first: `GET /openapi.json HTTP/1.1\r\n${fields}\r\n`.repeat(20),
    drip: '',
    isReading: false,
  },
  idle: { count: 1000, first: '', drip: '', isReading: true },
}

/** Holds a connection, and another one whenever that is cut. */
async function hold(
  { port, ca }: Crowd,
  kind: Kind,
  from: string,
  connected: () => void,
): Promise<never> {
  for (;;) {
    const where = { host: '127.0.0.1', port, ca, servername: 'localhost', localAddress: from }
    const socket = tls.connect(where)
    socket.on('error', () => {})
    if (kind.isReading) socket.resume()
    socket.once('secureConnect', () => {
      socket.write(kind.first)
      connected()
    })
    const dripping = kind.drip === '' ? undefined : setInterval(() => socket.write(kind.drip), 1000)
    await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    clearInterval(dripping)
    await wait(100)
  }
}

process.once('message', (crowd: Crowd) => {
  // Without whoever sent it there is nobody to trouble for.
  process.once('disconnect', () => process.exit())
  const all = crowd.kinds.flatMap((name, group) => {
    const kind = kinds[name] as Kind
    // From ten addresses a kind: no single one reaches its share of connections.
    return Array.from({ length: Math.ceil(kind.count * crowd.share) }, (_, at) => ({
      kind,
      from: `127.0.${group + 8}.${(at % 10) + 1}`,
    }))
  })
  let missing = all.length
  for (const { kind, from } of all) {
    void hold(crowd, kind, from, () => --missing === 0 && process.send?.('all are there'))
  }
})

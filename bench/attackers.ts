// Attackers that hold connections and send or read next to nothing, and others that guess
// passwords, in a process of their own. The parent sends the attack, is told when all are
// connected, and ends the process.
import tls from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, toRequest } from './connection.ts'

export type Attack = {
  port: number
  /** PEM. */
  ca: string
  kinds: readonly string[]
  /** Of the count of each kind. */
  share: number
}

type Kind = {
  count: number
  /** Sent when connected; nothing is idle. */
  first: string
  /** Sent each second from then on. */
  drip: string
  /** Whether responses are read. */
  isReading: boolean
}

/** Their number, and the pause of each after an answer. */
export const guessers = { kind: 'password guessers', count: 200, pauseMs: 100 }

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

/** Holds a connection, and opens another one whenever it is closed. */
async function hold(
  { port, ca }: Attack,
  { first, drip, isReading }: Kind,
  localAddress: string,
  onConnect: () => void,
): Promise<never> {
  for (;;) {
    const options = { host: '127.0.0.1', port, ca, servername: 'localhost', localAddress }
    const socket = tls.connect(options)
    socket.on('error', () => {})
    if (isReading) socket.resume()
    socket.once('secureConnect', () => {
      socket.write(first)
      onConnect()
    })
    const dripping = drip === '' ? undefined : setInterval(() => socket.write(drip), 1000)
    await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    clearInterval(dripping)
    await wait(100)
  }
}

/** Logs in with wrong passwords, one after the other, and connects again whenever it is cut. */
async function guess({ port, ca }: Attack, at: number, onConnect: () => void): Promise<never> {
  // Guessers of whom none knows another do not guess all at the same moment.
  await wait(Math.random() * 10 * guessers.pauseMs)
  for (let turn = 0; ; turn++) {
    const { ask, close } = await connect({ port, ca: Buffer.from(ca) }, `127.0.20.${at + 1}`)
    onConnect()
    try {
      for (; ; turn++) {
        const body = { username: `customer-${at}`, password: `guess ${turn} of guesser ${at}` }
        await ask(toRequest({ method: 'POST', path: '/api/v1/auth/login', token: '', body }))
        await wait(guessers.pauseMs)
      }
    } catch {
      close()
      await wait(guessers.pauseMs)
    }
  }
}

process.once('message', (attack: Attack) => {
  process.once('disconnect', () => process.exit())
  // Ten addresses for each kind: no address reaches its limit of connections.
  const all = attack.kinds.flatMap((name, group) => {
    const kind = kinds[name]
    if (!kind) return []
    return Array.from({ length: Math.ceil(kind.count * attack.share) }, (_, at) => ({
      kind,
      address: `127.0.${group + 8}.${(at % 10) + 1}`,
    }))
  })
  const isGuessed = attack.kinds.includes(guessers.kind)
  const guesserCount = isGuessed ? Math.ceil(guessers.count * attack.share) : 0
  let missing = all.length + guesserCount
  const onConnect = () => void (--missing === 0 && process.send?.('all are connected'))
  for (const { kind, address } of all) void hold(attack, kind, address, onConnect)
  // Each has an address of its own: an address has five wrong logins in a minute.
  for (let at = 0; at < guesserCount; at++) void guess(attack, at, onConnect)
})

// Connections of HTTP/2 whose clients send frames in any order, right and broken ones, stop reading
// and go away in the middle: each from a seed of its own.
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Connecting } from '../support/connect.ts'
import { type Random, createRandom } from '../support/random.ts'
import { encodeBlock, frame } from '../wire/http2.ts'

export type FrameRun = {
  /** Where the TCP connections go. */
  port: number
  /** Begins TLS as a client on a TCP connection. */
  secure: (how: Connecting) => Promise<net.Socket>
  seed: number
  connections: number
  /** How many are open at the same time. */
  atOnce: number
  progress?: (done: number) => void
}

/** What happened on the way: a run in which the service refuses everything finds nothing. */
export type Reached = { secured: number; answeredBytes: number; frames: number }

/** Resolves when all connections are over. */
export async function runFrames(run: FrameRun): Promise<Reached> {
  const reached: Reached = { secured: 0, answeredBytes: 0, frames: 0 }
  let next = 0
  let done = 0
  const client = async () => {
    while (next < run.connections) {
      const random = createRandom(run.seed + next++)
      await converse(run, random, reached)
      run.progress?.(++done)
    }
  }
  await Promise.all(Array.from({ length: run.atOnce }, client))
  return reached
}

async function converse(run: FrameRun, random: Random, reached: Reached): Promise<void> {
  const localAddress = `127.0.2.${1 + random.below(200)}`
  const tcp = net.connect({ host: '127.0.0.1', port: run.port, localAddress })
  tcp.on('error', () => {})
  const socket = await run.secure({ over: tcp, protocols: ['h2'] })
  socket.on('error', () => {})
  const closed = new Promise<boolean>((resolve) => void tcp.once('close', () => resolve(false)))
  const secured = once(socket, 'secureConnect').then(
    () => true,
    () => false,
  )
  if (!(await Promise.race([secured, closed]))) return
  reached.secured++
  socket.on('data', (chunk: Buffer) => (reached.answeredBytes += chunk.length))
  const session = new Session(random)
  socket.write(session.opening())
  for (let left = 1 + random.below(40); left > 0 && !tcp.destroyed; left--) {
    reached.frames++
    socket.write(session.next())
    if (random.chance(6)) socket.pause()
    if (random.chance(4)) socket.resume()
    if (random.chance(25)) await Promise.race([wait(random.below(20)), closed])
  }
  if (random.chance(30)) socket.pause()
  if (random.chance(50)) await Promise.race([wait(random.below(300)), closed])
  random.pick(leavings)(socket, tcp)
  // One that the service ought to end by itself is given the time to, but not all of it.
  await Promise.race([wait(random.below(500)), closed])
  tcp.destroy()
  await closed
}

const leavings: ((socket: net.Socket, tcp: net.Socket) => void)[] = [
  (socket) => socket.destroy(),
  (socket) => void socket.end(),
  (_, tcp) => void tcp.end(),
  // A reset by the system, when bytes are unread.
  (_, tcp) => void tcp.destroy(),
  () => {},
]

const type = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

const windows = [0, 1, 100, 65_535, 1_000_000, 0x7fff_ffff]

/** What one client says, frame by frame. */
class Session {
  private readonly random: Random
  private opened = -1

  constructor(random: Random) {
    this.random = random
  }

  opening(): Buffer {
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    if (this.random.chance(2)) preface[this.random.below(preface.length)] = 0
    return Buffer.concat([preface, this.settings()])
  }

  /** A frame or a few of them, now and then with bytes changed, cut off or put in. */
  next(): Buffer {
    const { random } = this
    const made = random.pick(this.kinds).call(this)
    const repeated = random.chance(8) ? Buffer.concat(Array<Buffer>(50).fill(made)) : made
    if (random.chance(88)) return repeated
    const bytes = Buffer.from(repeated)
    const at = random.below(bytes.length)
    bytes[at] = random.below(256)
    const put = uint32(random.below(2 ** 32))
    return random.pick([
      bytes,
      bytes.subarray(0, at),
      Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at)]),
    ])
  }

  private readonly kinds = [
    this.ask,
    this.ask,
    this.ask,
    this.askMuch,
    this.post,
    this.data,
    this.settings,
    this.ping,
    this.windowUpdate,
    this.reset,
    this.rapidReset,
    this.priority,
    this.goAway,
    this.continuation,
    this.unknown,
  ]

  /** Mostly one that it has opened. */
  private stream(): number {
    const { random } = this
    if (random.chance(85)) return Math.max(1, this.opened - 2 * random.below(8))
    return random.pick([0, 2, this.opened + 100, 0x7fff_ffff, 0xffff_ffff])
  }

  private headers(method: string, path: string, flags: number, more: [string, string][]): Buffer {
    this.opened += 2
    const block = encodeBlock([
      [':method', method],
      [':scheme', 'https'],
      [':authority', 'bank.example'],
      [':path', path],
      ...more,
    ])
    if (this.random.chance(85)) return frame(type.headers, flags | 4, this.opened, block)
    const cut = this.random.below(block.length)
    return Buffer.concat([
      frame(type.headers, flags, this.opened, block.subarray(0, cut)),
      frame(type.continuation, 4, this.opened, block.subarray(cut)),
    ])
  }

  private ask(): Buffer {
    const path = this.random.pick(['/healthz', '/openapi.json', '/openapi.json', '/nowhere'])
    return this.headers(this.random.pick(['GET', 'GET', 'HEAD', 'CONNECT']), path, 1, [])
  }

  /** More than the buffers between the two hold, for a client that does not read. */
  private askMuch(): Buffer {
    const asks = Array.from({ length: 30 }, () => this.headers('GET', '/openapi.json', 1, []))
    return Buffer.concat([frame(type.windowUpdate, 0, 0, uint32(0x3fff_ffff)), ...asks])
  }

  private post(): Buffer {
    return this.headers('POST', '/api/v1/auth/login', 0, [
      ['content-type', 'application/json'],
      ...(this.random.chance(30) ? [['expect', '100-continue'] as [string, string]] : []),
    ])
  }

  private data(): Buffer {
    const size = this.random.pick([0, 1, 100, 16_384, 16_385])
    return frame(
      type.data,
      this.random.pick([0, 0, 1, 8, 9]),
      this.stream(),
      Buffer.alloc(size, 65),
    )
  }

  private settings(): Buffer {
    const { random } = this
    if (random.chance(10)) return frame(type.settings, 1, 0, Buffer.alloc(0))
    const pairs: [number, number][] = [
      [1, random.pick([0, 4096, 65_536, 0xffff_ffff])],
      [3, random.pick([0, 1, 100, 0xffff_ffff])],
      [4, random.pick([0xffff_ffff, ...windows, ...windows])],
      [5, random.pick([16_384, 16_384, 16_777_215, 1])],
      [6, random.pick([0, 1, 8192, 0xffff_ffff])],
      [random.below(2 ** 16), random.below(2 ** 32)],
    ]
    const chosen = pairs.filter(() => random.chance(35))
    const payload = chosen.map(([name, value]) =>
      Buffer.concat([Buffer.from([name >> 8, name & 255]), uint32(value)]),
    )
    return frame(type.settings, 0, 0, Buffer.concat(payload))
  }

  private ping(): Buffer {
    return frame(type.ping, this.random.below(2), 0, Buffer.alloc(8, this.random.below(256)))
  }

  private windowUpdate(): Buffer {
    const stream = this.random.chance(50) ? 0 : this.stream()
    return frame(type.windowUpdate, 0, stream, uint32(this.random.pick(windows)))
  }

  private reset(): Buffer {
    return frame(type.reset, 0, this.stream(), uint32(this.random.below(14)))
  }

  /** CVE-2023-44487. */
  private rapidReset(): Buffer {
    const each = () => [this.ask(), frame(type.reset, 0, this.opened, uint32(8))]
    return Buffer.concat(Array.from({ length: 20 }, each).flat())
  }

  private priority(): Buffer {
    const payload = Buffer.concat([uint32(this.stream()), Buffer.from([this.random.below(256)])])
    return frame(type.priority, 0, this.stream(), payload)
  }

  private goAway(): Buffer {
    const payload = Buffer.concat([uint32(this.stream()), uint32(this.random.below(14))])
    return this.random.chance(60) ? this.ping() : frame(type.goAway, 0, 0, payload)
  }

  /** Without an end of headers now and then: the service waits for more. */
  private continuation(): Buffer {
    if (this.random.chance(50)) return this.ask()
    const block = encodeBlock([['x', 'y'.repeat(this.random.below(9000))]])
    return frame(type.continuation, this.random.pick([0, 4]), this.stream(), block)
  }

  private unknown(): Buffer {
    const kind = this.random.pick([type.push, 10, 12, 16, 255])
    return frame(kind, this.random.below(256), this.stream(), Buffer.alloc(this.random.below(64)))
  }
}

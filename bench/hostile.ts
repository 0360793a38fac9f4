// What customers notice of strangers who hold connections and send or read next to nothing: how
// long reads at an even pace take, alone and beside sixteen hundred such connections, each of which
// comes back as soon as it is cut.
import tls from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bank, openBank } from './bank.ts'
import type { Case, Figures, Variant } from './frame.ts'
import type { Target } from './load.ts'
import { planOf } from './reads.ts'
import { connect, pace } from './sockets.ts'

const population = { customers: 20, accountsEach: 3, sessionsEach: 2 }

const readers = 20
/** Milliseconds between the requests of one reader: two hundred a second in all. */
const step = 100

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

const kinds: Record<string, Kind> = {
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

export const open: Case = async ({ seconds, isTiny, profile }) => {
  const bank = await openBank({ population, profile })
  const share = isTiny ? 0.02 : 1
  // Long enough that connections are cut and come back while it is measured.
  const span = isTiny ? seconds : Math.max(seconds, 20)
  const all = Object.keys(kinds)
  await readAtPace(bank, isTiny ? 0.2 : 3)
  const variant = (name: string, chosen: readonly string[]): Variant => ({
    name,
    main: 'p99Milliseconds',
    ...(chosen.length > 0 && { against: ['reads alone'] }),
    goals: chosen.length === all.length ? [{ of: 'ratio', atMost: 2 }] : [],
    measure: () =>
      bank.watch(() => beside(bank.target, chosen, share, () => readAtPace(bank, span))),
  })
  return {
    variants: [
      variant('reads alone', []),
      variant('reads beside all of them', all),
      ...all.map((kind) => variant(`reads beside ${kind}`, [kind])),
    ],
    close: () => bank.stop(),
  }
}

/** Latency counts from the moment a request was due, so that waiting for the last one shows. */
async function readAtPace({ target, customers }: Bank, seconds: number): Promise<Figures> {
  const { templates } = planOf('details', customers)
  const latencies: number[] = []
  let refused = 0
  const began = performance.now()
  await Promise.all(
    Array.from({ length: readers }, async (_, at) => {
      const { ask, close } = await connect(target, '127.0.0.1')
      let due = began + (at * step) / readers
      for (let turn = at; due < began + seconds * 1000; turn += readers) {
        await wait(Math.max(0, due - performance.now()))
        const answer = await ask(templates[turn % templates.length] as string)
        if (answer.startsWith('HTTP/1.1 200 ')) latencies.push(performance.now() - due)
        else refused++
        due += step
      }
      close()
    }),
  )
  return {
    ...pace(latencies, seconds),
    refusedPercent: (100 * refused) / (latencies.length + refused),
  }
}

/** The strangers run in this process; what they cost counts as load. */
async function beside(
  target: Target,
  chosen: readonly string[],
  share: number,
  work: () => Promise<Figures>,
): Promise<Figures> {
  const isOver = new AbortController()
  const strangers = chosen.flatMap((name, group) => {
    const kind = kinds[name] as Kind
    return Array.from({ length: Math.ceil(kind.count * share) }, (_, at) =>
      // From ten addresses a kind: no single one reaches its share of connections.
      hold(target, kind, `127.0.${group + 8}.${(at % 10) + 1}`, isOver.signal),
    )
  })
  try {
    // They connect at once, and then as they are cut.
    if (strangers.length > 0) await wait(2000)
    return await work()
  } finally {
    isOver.abort()
    await Promise.all(strangers)
  }
}

/** Holds a connection, and another one when that is cut, until it is over. */
async function hold(target: Target, kind: Kind, from: string, isOver: AbortSignal): Promise<void> {
  while (!isOver.aborted) {
    const { port, ca } = target
    const where = { host: '127.0.0.1', port, ca, servername: 'localhost', localAddress: from }
    const socket = tls.connect(where)
    socket.on('error', () => {})
    if (kind.isReading) socket.resume()
    socket.once('secureConnect', () => void socket.write(kind.first))
    const dripping = kind.drip === '' ? undefined : setInterval(() => socket.write(kind.drip), 1000)
    const end = (): void => void socket.destroy()
    isOver.addEventListener('abort', end, { once: true })
    await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    isOver.removeEventListener('abort', end)
    clearInterval(dripping)
    if (!isOver.aborted) await wait(100)
  }
}

// A proxy between the service and its database that can be slow, silent or cut, or lose exactly a
// COMMIT or the answer to one. It reads the frames of PostgreSQL's protocol (version 3, without
// TLS), so it finds a COMMIT however its bytes are split or joined with others.
import net, { type AddressInfo } from 'node:net'

export type DatabaseProxy = {
  port: number
  /** Delays everything by that long, in both directions. */
  delay(ms: number): void
  /** Drops all bytes: connections stay open, new ones are accepted and get no answer. */
  drop(): void
  /** Drops the bytes of the present connections, for good; new connections pass. */
  silence(): void
  /** Ends all connections; new ones end at once. */
  cut(): void
  /**
   * The next COMMITs reach the database and are carried out, and their connections end in place of
   * the answers.
   */
  swallowCommit(times?: number): void
  /** The next COMMITs do not reach the database: their connections end in their place. */
  loseCommit(times?: number): void
  /** Ends a connection once, at the place of the trap, and calls its `act`. */
  trap(trap: Trap): void
  /** Passes everything on again. Connections that were silenced end. */
  heal(): void
  close(): Promise<void>
}

/** A place in the conversation with the database. */
export type Trap = {
  /** The name of a statement. */
  statement: string
  /** At the statement, or at the COMMIT of its transaction. */
  at: 'statement' | 'commit'
  /**
   * `asked`: it does not reach the database. `answered`: it is carried out, and its answer is lost.
   */
  when: 'asked' | 'answered'
  act(): void
}

type Pair = { isSilent: boolean; silence(): void; destroy(): void }

type Target = { host: string; port: number }

/**
 * Listens on this machine. A target's host that is a path is the folder of its socket.
 *
 * @param isPostgres false: any protocol, without the faults of COMMITs
 * @param spared a transaction whose statements all have such names keeps its COMMIT
 */
export async function databaseProxy(
  target: Target,
  isPostgres = true,
  spared?: RegExp,
): Promise<DatabaseProxy> {
  const state: State = { ...unharmed }
  const pairs = new Set<Pair>()
  const server = net.createServer((client) => {
    client.on('error', () => {})
    if (state.mode === 'cut') {
      client.resetAndDestroy()
      return
    }
    const conversation = isPostgres ? listenTo(state, spared) : passing
    const pair = join(client, state.mode === 'passes' ? target : undefined, state, conversation)
    pairs.add(pair)
    void pair.gone.then(() => pairs.delete(pair))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    delay: (ms) => void (state.delay = ms),
    drop() {
      state.mode = 'silent'
      for (const pair of pairs) pair.silence()
    },
    silence() {
      for (const pair of pairs) pair.silence()
    },
    cut() {
      state.mode = 'cut'
      for (const pair of pairs) pair.destroy()
    },
    swallowCommit: (times = 1) => void (state.swallows = times),
    loseCommit: (times = 1) => void (state.losses = times),
    trap: (trap) => void (state.trap = trap),
    heal() {
      Object.assign(state, unharmed)
      for (const pair of pairs) if (pair.isSilent) pair.destroy()
    },
    async close() {
      for (const pair of pairs) pair.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type State = {
  mode: 'passes' | 'silent' | 'cut'
  delay: number
  /** How many COMMITs are still to lose their answer, or themselves. */
  swallows: number
  losses: number
  trap: Trap | undefined
}

const unharmed: State = { mode: 'passes', delay: 0, swallows: 0, losses: 0, trap: undefined }

/** Joins a client to the database, or to nothing. */
function join(
  client: net.Socket,
  target: Target | undefined,
  state: State,
  conversation: Conversation,
): Pair & { gone: Promise<void> } {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  const upstream = target && net.connect(toConnectOptions(target))
  const pair = {
    gone,
    isSilent: upstream === undefined,
    silence: () => void (pair.isSilent = true),
    destroy() {
      // Without this Node would never close a socket that is reset while it ends.
      if (client.writableEnded) client.destroy()
      else client.resetAndDestroy()
      upstream?.destroy()
      resolve()
    },
  }
  client.setNoDelay(true)
  // While silent, the database does not learn that its client has gone.
  client.on('close', () => pair.isSilent || pair.destroy())
  if (!upstream) {
    client.resume()
    return pair
  }
  upstream.on('error', () => {})
  upstream.on('close', () => pair.isSilent || pair.destroy())
  const [forth, back] = [held(state), held(state)]
  client.on('data', (bytes: Buffer) => {
    if (pair.isSilent) return
    const { passes, isOver } = conversation.asked(bytes)
    forth(() => {
      if (pair.isSilent) return
      // Ends only when what came before the COMMIT is on its way.
      upstream.write(bytes.subarray(0, passes), () => isOver && pair.destroy())
    })
  })
  upstream.on('data', (bytes: Buffer) => {
    const { passes, isOver } = conversation.answered(bytes)
    back(() => {
      if (pair.isSilent) return
      client.write(bytes.subarray(0, passes))
      if (isOver) pair.destroy()
    })
  })
  return pair
}

const toConnectOptions = ({ host, port }: Target): net.NetConnectOpts =>
  host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }

/** Runs actions in turn, each after the delay that was set when it came. */
function held(state: State): (go: () => unknown) => void {
  let last = Promise.resolve()
  let waiting = 0
  async function after(before: Promise<void>, due: number, go: () => unknown): Promise<void> {
    await before
    // A timer may end a part of a millisecond early.
    for (let left; (left = due - performance.now()) > 0;) {
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)))
    }
    waiting--
    go()
  }
  return (go) => {
    if (state.delay === 0 && waiting === 0) {
      go()
      return
    }
    waiting++
    last = after(last, performance.now() + state.delay, go)
  }
}

/**
 * Follows one connection. Each simple query and each Sync is answered by one ReadyForQuery, so the
 * answer to a COMMIT is what comes between the ReadyForQuery before its own and its own.
 */
function listenTo(state: State, spared?: RegExp): Conversation {
  const sent = frames('startup')
  const received = frames('typed')
  // The first ReadyForQuery answers the start-up.
  let expected = 1
  let swallowAt = Infinity
  /** Whether the transaction has the statement of the trap. */
  let isTrapped = false
  let sprung: Trap | undefined
  /** Whether all statements of the transaction have been of the spared ones. */
  let isSpared = false

  /** The trap, if this message is its place. */
  function spring(type: string, body: Buffer): Trap | undefined {
    const { trap } = state
    if (!trap) return undefined
    // Parse and Bind have the name of the statement.
    const isNamed = (type === 'P' || type === 'B') && body.includes(`${trap.statement}\0`)
    isTrapped ||= isNamed
    const isPlace = trap.at === 'statement' ? isNamed : isTrapped && isCommit(type, body)
    if (isPlace) state.trap = undefined
    return isPlace ? trap : undefined
  }

  return {
    asked(bytes: Buffer): Passage {
      for (const { type, body, start } of sent(bytes)) {
        if (isBegin(type, body)) isSpared = spared !== undefined
        else if (type === 'B' && spared?.test(statementOf(body)) === false) isSpared = false
        const trap = spring(type, body)
        if (trap?.when === 'asked') {
          trap.act()
          return { passes: start, isOver: true }
        }
        if (trap) {
          sprung = trap
          // The answer to a statement ends with that to the Sync behind it.
          swallowAt = expected + 1
        }
        if (type !== 'Q' && type !== 'S' && type !== 'F') continue
        expected++
        if (!isCommit(type, body) || isSpared) continue
        if (state.losses > 0) {
          state.losses--
          return { passes: start, isOver: true }
        }
        if (state.swallows === 0 || swallowAt < Infinity) continue
        state.swallows--
        swallowAt = expected
      }
      return { passes: bytes.length, isOver: false }
    },
    answered(bytes: Buffer): Passage {
      let passes = 0
      for (const { type, end } of received(bytes)) {
        if (swallowAt > 1) passes = end
        if (type !== 'Z') continue
        expected--
        swallowAt--
        if (swallowAt === 0) {
          sprung?.act()
          return { passes, isOver: true }
        }
      }
      return { passes: swallowAt > 1 ? bytes.length : passes, isOver: false }
    },
  }
}

/** How many of the bytes pass on, and whether the connection ends after them. */
type Passage = { passes: number; isOver: boolean }
type Conversation = { asked(bytes: Buffer): Passage; answered(bytes: Buffer): Passage }

const passAll = ({ length }: Buffer): Passage => ({ passes: length, isOver: false })
const passing: Conversation = { asked: passAll, answered: passAll }

/** How the service commits: always as a simple query, alone or behind others. */
const isCommit = (type: string, body: Buffer): boolean =>
  type === 'Q' && /^\s*commit\b/i.test(body.toString())

const isBegin = (type: string, body: Buffer): boolean =>
  type === 'Q' && /^\s*begin\b/i.test(body.toString())

/** Bind names the portal, then the statement. */
const statementOf = (body: Buffer): string => body.toString().split('\0', 2)[1] ?? ''

type Frame = {
  type: string
  body: Buffer
  /** Where it begins and ends in the bytes just given; it may have begun in those before. */
  start: number
  end: number
}

/** Cuts a stream into messages, however it arrives. The first message of a client has no type. */
function frames(first: 'startup' | 'typed'): (bytes: Buffer) => Frame[] {
  let isTyped = first === 'typed'
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    const before = rest.length
    const all = Buffer.concat([rest, bytes])
    const found: Frame[] = []
    let at = 0
    for (;;) {
      const head = isTyped ? 1 : 0
      if (all.length < at + head + 4) break
      const end = at + head + all.readUInt32BE(at + head)
      if (all.length < end) break
      const type = isTyped ? all.toString('latin1', at, at + 1) : ''
      const body = all.subarray(at + head + 4, end)
      found.push({ type, body, start: Math.max(0, at - before), end: end - before })
      isTyped = true
      at = end
    }
    rest = all.subarray(at)
    return found
  }
}

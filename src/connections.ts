// The connections of one listener: how many an address holds, and which requests of HTTP/1.1 are
// being worked on, so that a connection is ended only when every answer it is owed has gone out.
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Incoming, Outgoing } from './transport.ts'

type Connection = {
  requests: Set<Incoming>
  /** Begins the requests that came before the answer to the one before them was out. */
  waiting: (() => void)[]
  isEnding: boolean
}

/**
 * One address cannot take all places. Generous, since a trusted proxy or the customers behind one
 * translated address come from a single one too.
 */
const mostPerAddress = 2000

/** Who holds so many connections is no crowd: a browser, a family. */
const few = 8

/** Requests of one connection behind the one that is handled; the parser would take any number. */
const mostWaiting = 64

/** How long a client may take to read its last answer, in milliseconds. */
const lingering = 1000

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

export class Connections {
  private readonly open = new Map<Duplex, Connection>()
  private readonly sockets = new Set<Duplex>()
  private readonly sessions = new Set<ServerHttp2Session>()
  private readonly held = new Map<string, number>()
  private isDraining = false
  private readonly isAnsweredEarly: boolean

  /** @param isAnsweredEarly the listener answers whatever the body may be, and reads none */
  constructor(isAnsweredEarly = false) {
    this.isAnsweredEarly = isAnsweredEarly
  }

  /** False when the address holds its share of connections already. */
  admit(address: string, socket: Duplex): boolean {
    const count = this.heldBy(address)
    if (count >= mostPerAddress) return false
    this.held.set(address, count + 1)
    socket.once('close', () => {
      const left = this.heldBy(address) - 1
      if (left === 0) this.held.delete(address)
      else this.held.set(address, left)
    })
    return true
  }

  /** Whether an address holds many connections, while others hold some too. */
  isCrowd(address: string): boolean {
    return this.heldBy(address) > few && this.held.size > 1
  }

  /**
   * Closes a connection on which everything has been sent a moment later, whether its client closes
   * it or not: at once would be too early, since closing with bytes unread resets a connection, and
   * the answer is lost with it.
   */
  closeAfterEnd(socket: Duplex): void {
    this.sockets.add(socket)
    let cut: NodeJS.Timeout | undefined
    socket.once('finish', () => (cut = setTimeout(() => socket.destroy(), lingering).unref()))
    socket.once('close', () => {
      clearTimeout(cut)
      this.sockets.delete(socket)
    })
  }

  /** Keeps an HTTP/2 connection in mind; it counts its own streams. */
  beginSession(session: ServerHttp2Session): void {
    const peer = peerOf(session.socket)
    this.sessions.add(session)
    if (this.isDraining) session.close()
    session.once('close', () => {
      this.sessions.delete(session)
      // Node leaves the socket open when the client went with a body half sent.
      const left = [...this.sockets].filter((socket) => peerOf(socket as Socket) === peer)
      setTimeout(() => left.forEach((socket) => socket.destroy()), lingering).unref()
    })
  }

  /**
   * Keeps a request in mind until its response has been sent or lost, and handles it when those
   * before it on its connection are answered: who sends many and reads nothing (RFC 9112 section
   * 9.3.2) is not worked for. Who sends more than a client ever would is cut.
   */
  begin(request: Incoming, response: Outgoing, handle: () => void): void {
    const { socket } = request
    const connection = this.of(socket)
    connection.requests.add(request)
    response.once('close', () => {
      connection.requests.delete(request)
      this.endIfDone(socket, connection)
      // Behind the last answer nothing is handled: its own could not go out (RFC 9112 section 9.6).
      if (socket.writable) connection.waiting.shift()?.()
    })
    if (connection.requests.size === 1) handle()
    else if (connection.waiting.length < mostWaiting) connection.waiting.push(handle)
    else socket.destroy()
  }

  /**
   * Ends the connection once it is owed nothing. An answer is owed to a request that has arrived
   * whole; one whose body was still coming has had no effect.
   *
   * @returns false when it is owed nothing already, and nothing was done
   */
  endAfterAnswers(socket: Duplex): boolean {
    const connection = this.open.get(socket)
    if (!connection || !this.isOwed(connection)) return false
    connection.isEnding = true
    return true
  }

  /** Ends all connections, each when it is owed nothing. */
  drain(): void {
    this.isDraining = true
    for (const [socket, connection] of this.open) this.endIfDone(socket, connection)
    for (const session of this.sessions) session.close()
  }

  /** Cuts what is left. */
  cut(): void {
    for (const socket of this.open.keys()) socket.destroy()
    for (const session of this.sessions) session.destroy()
    for (const socket of this.sockets) socket.destroy()
  }

  private heldBy(address: string): number {
    return this.held.get(address) ?? 0
  }

  private isOwed({ requests }: Connection): boolean {
    return [...requests].some(({ complete }) => complete || this.isAnsweredEarly)
  }

  private of(socket: Duplex): Connection {
    const known = this.open.get(socket)
    if (known) return known
    const connection = { requests: new Set<Incoming>(), waiting: [], isEnding: false }
    this.open.set(socket, connection)
    socket.once('close', () => this.open.delete(socket))
    return connection
  }

  private endIfDone(socket: Duplex, connection: Connection): void {
    const isCut = connection.isEnding && !this.isOwed(connection)
    const isDrained = this.isDraining && connection.requests.size === 0
    if (!isCut && !isDrained) return
    ;(socket as Duplex & { destroySoon(): void }).destroySoon()
  }
}

// The connections of one listener: how many places they take, which of them makes room when the
// places are taken, and which requests are being worked on, so that a connection is ended only when
// every answer it is owed has gone out.
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressKey } from '../domain/address.ts'
import { AddressPool } from './address-pool.ts'
import { type Incoming, isHttp2, type Outgoing } from './request-checks.ts'

/** A connection from its acceptance to its end. */
export type Connection = {
  readonly address: string
  /** The socket that was accepted, below TLS. */
  readonly accepted: Socket
  /** The one requests arrive on, once the connection is established. */
  socket?: Socket
  session?: ServerHttp2Session
  readonly requests: Map<Incoming, Outgoing>
  /** Begins the requests that came before the answer to the one before them was out. */
  readonly waiting: (() => void)[]
  isEnding: boolean
}

export type Places = {
  /** How many connections there are at most. */
  connectionsMax: number
  /** The listener answers whatever the body may be, and reads none. */
  isAnsweredEarly?: boolean
}

/**
 * No address takes all places. The share is generous, since a trusted proxy or the customers behind
 * one translated address come from a single one too.
 */
const shareOfAddress = 1 / 4

/** Connections that have not sent a whole ClientHello. */
const shareOfSilent = 1 / 8

/** The rest is for connections whose TLS handshake is not finished: some are always let in. */
const shareOfEstablished = 7 / 8

/** An address that holds so few connections is no crowd: a browser, a family. */
const crowdConnectionsMin = 8

/** Requests of one connection behind the one that is handled; the parser would take any number. */
const waitingRequestsMax = 64

/** How long a client may take to read its last answer. */
const lingerMs = 1000

/** Unlike at any moment: all connections of a listener have its port. Undefined after a reset. */
const peerName = ({ remoteAddress, remotePort, localAddress }: Socket): string | undefined =>
  remoteAddress ? `${remoteAddress} ${remotePort} ${localAddress}` : undefined

export class Connections {
  private readonly byPeer = new Map<string, Connection>()
  private readonly bySocket = new WeakMap<Duplex, Connection>()
  private readonly bySession = new WeakMap<ServerHttp2Session, Connection>()
  private readonly all = new AddressPool<Connection>()
  /** Without a whole ClientHello; they are unfinished too. */
  private readonly silent = new AddressPool<Connection>()
  private readonly unfinished = new AddressPool<Connection>()
  /** Of each address the one that has been without a request for longest comes first. */
  private readonly established = new AddressPool<Connection>()
  private isDraining = false
  private readonly places: Places

  constructor(places: Places) {
    this.places = places
  }

  /**
   * Gives a new connection a place. When all are taken, the oldest unfinished TLS handshake of the
   * address that holds most of them makes room; without one, an established idle connection.
   *
   * @returns undefined when there is no place, or the client is gone already
   */
  admit(accepted: Socket): Connection | undefined {
    const peer = peerName(accepted)
    if (peer === undefined) return undefined
    const { connectionsMax } = this.places
    const address = addressKey(accepted.remoteAddress as string)
    if (this.all.heldBy(address) >= connectionsMax * shareOfAddress) return undefined
    if (this.all.size >= connectionsMax) {
      const leaving = this.unfinished.first() ?? this.idlest()
      if (!leaving) return undefined
      this.drop(leaving)
    }
    if (this.silent.size >= connectionsMax * shareOfSilent) this.drop(this.silent.first())
    const requests = new Map<Incoming, Outgoing>()
    const connection = { address, accepted, requests, waiting: [], isEnding: false }
    this.byPeer.set(peer, connection)
    for (const pool of [this.all, this.silent, this.unfinished]) pool.add(connection)
    closeAfterEnd(accepted)
    accepted.once('close', () => {
      this.release(connection)
      if (this.byPeer.get(peer) === connection) this.byPeer.delete(peer)
    })
    return connection
  }

  /** The whole ClientHello of a connection is there. */
  greeted(connection: Connection): void {
    this.silent.delete(connection)
  }

  /**
   * Requests may arrive on `socket` from now on. When established connections have taken their
   * share, the longest idle one of the address that holds most makes room for this one.
   *
   * @returns the connection, unless its client is gone or every other one is being worked for
   */
  establish(socket: Socket): Connection | undefined {
    const connection = this.byPeer.get(peerName(socket) ?? '')
    // Reset meanwhile. After this turn, since listeners for the socket follow.
    if (!connection) return void setImmediate(() => socket.destroy())
    this.silent.delete(connection)
    this.unfinished.delete(connection)
    connection.socket = socket
    if (socket !== connection.accepted) closeAfterEnd(socket)
    if (this.established.size >= this.places.connectionsMax * shareOfEstablished) {
      const leaving = this.idlest()
      if (!leaving) return void setImmediate(() => this.drop(connection))
      this.drop(leaving)
    }
    this.bySocket.set(socket, connection)
    this.established.add(connection)
    return connection
  }

  /** Whether an address holds many connections, while others hold some too. */
  isCrowd({ address }: Connection): boolean {
    return this.all.heldBy(address) > crowdConnectionsMin && this.all.addressCount > 1
  }

  /** Keeps an HTTP/2 connection in mind; it counts its own streams. */
  beginSession(session: ServerHttp2Session): void {
    const connection = this.byPeer.get(peerName(session.socket) ?? '')
    if (!connection) return session.destroy()
    connection.session = session
    this.bySession.set(session, connection)
    if (this.isDraining) session.close()
    // Node leaves the socket open when the client went with a body half sent. And it waits without
    // an event, and without an end, for a client that does not read what is left to be sent.
    let isOver = false
    const watch = setInterval(() => {
      if (isOver) this.drop(connection)
      isOver = session.destroyed
    }, lingerMs).unref()
    connection.accepted.once('close', () => clearInterval(watch))
  }

  /**
   * Keeps a request in mind until its response has been sent or lost. Over HTTP/1.1 it is handled
   * when those before it on its connection are answered: a client that sends many and reads nothing
   * (RFC 9112 section 9.3.2) is not worked for. A client that sends more than any would is cut.
   */
  begin(request: Incoming, response: Outgoing, handle: () => void): void {
    const { socket } = request
    const connection = this.of(request)
    if (!connection) return void socket.destroy()
    const { requests, waiting } = connection
    requests.set(request, response)
    this.touch(connection)
    response.once('close', () => {
      requests.delete(request)
      this.touch(connection)
      this.endIfDone(connection)
      // Behind the last answer nothing is handled: its own could not go out (RFC 9112 section 9.6).
      if (socket.writable) waiting.shift()?.()
    })
    if (requests.size === 1 || isHttp2(request)) handle()
    else if (waiting.length < waitingRequestsMax) waiting.push(handle)
    else socket.destroy()
  }

  /**
   * Ends the connection once it is owed nothing. An answer is owed to a request that has arrived
   * whole; one whose body was still coming has had no effect.
   *
   * @returns false when it is owed nothing already, and nothing was done
   */
  endAfterAnswers(socket: Duplex): boolean {
    const connection = this.bySocket.get(socket)
    if (!connection || !this.isOwed(connection)) return false
    connection.isEnding = true
    return true
  }

  /**
   * Ends all connections: those from which nothing has come at once, the others when they are owed
   * nothing. Those of HTTP/1.1 that are idle between two requests are ended by Node.
   */
  drain(): void {
    this.isDraining = true
    for (const connection of this.silent) this.drop(connection)
    for (const connection of this.established) {
      if (connection.session) connection.session.close()
      else if (connection.socket?.bytesRead === 0) this.drop(connection)
    }
  }

  /** Cuts what is left. */
  cut(): void {
    for (const connection of this.all) this.drop(connection)
  }

  private of(request: Incoming): Connection | undefined {
    if (!isHttp2(request)) return this.bySocket.get(request.socket)
    const { session } = request.stream
    return session && this.bySession.get(session as ServerHttp2Session)
  }

  private isOwed({ requests }: Connection): boolean {
    const { isAnsweredEarly = false } = this.places
    return requests.keys().some((request) => isAnsweredEarly || isWhole(request))
  }

  /** The established connection to make room: one that the service is working for is none. */
  private idlest(): Connection | undefined {
    for (const connection of this.established) {
      const isWorkedFor = connection.requests
        .entries()
        .some(([request, response]) => isWhole(request) && !response.writableEnded)
      if (!isWorkedFor) return connection
    }
    return undefined
  }

  /** Makes an established connection the least idle one of its address. */
  private touch(connection: Connection): void {
    if (connection.accepted.destroyed) return
    this.established.add(connection)
  }

  private endIfDone(connection: Connection): void {
    const { isEnding, requests, session, socket } = connection
    const isCut = isEnding && !this.isOwed(connection)
    const isDrained = this.isDraining && !session && requests.size === 0
    if (isCut || isDrained) socket?.destroySoon()
  }

  /** Its place is free at once, whenever its socket says that it is closed. */
  private drop(connection: Connection | undefined): void {
    if (!connection) return
    this.release(connection)
    connection.session?.destroy()
    connection.socket?.destroy()
    connection.accepted.destroy()
  }

  private release(connection: Connection): void {
    const { all, silent, unfinished, established } = this
    for (const pool of [all, silent, unfinished, established]) pool.delete(connection)
  }
}

const isWhole = (request: Incoming): boolean =>
  request.complete || (isHttp2(request) && request.stream.endAfterHeaders)

/**
 * Closes a connection on which everything has been sent a moment later, whether its client closes
 * it or not: at once would be too early, since closing with bytes unread resets a connection, and
 * the answer is lost with it.
 */
function closeAfterEnd(socket: Socket): void {
  let cut: NodeJS.Timeout | undefined
  socket.once('finish', () => (cut = setTimeout(() => socket.destroy(), lingerMs).unref()))
  socket.once('close', () => clearTimeout(cut))
}

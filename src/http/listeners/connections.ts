// The connections of one listener: how many there may be, which one makes room for a new one, and
// which requests are under way, so that a connection ends only after all its answers are sent.
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressKey } from '../../domain/address.ts'
import { AddressPool } from './address-pool.ts'
import { type Incoming, isHttp2, type Outgoing } from './request-checks.ts'

/** A connection from its acceptance to its end. */
export type Connection = {
  readonly address: string
  /** The socket that was accepted, below TLS. */
  readonly accepted: Socket
  /** The socket that requests arrive on, once the connection is established. */
  socket?: Socket
  session?: ServerHttp2Session
  readonly requests: Map<Incoming, Outgoing>
  /** Handles the requests that arrived before the previous one was answered. */
  readonly waiting: (() => void)[]
  /** The last request of HTTP/1.1, if it was answered before its body had arrived. */
  early?: Incoming | undefined
  isEnding: boolean
}

export type Places = {
  connectionsMax: number
  /** The listener answers without reading the body. */
  isAnsweredEarly?: boolean
  /** Called for each connection that is closed for want of a place, a new one or an older one. */
  onRefused?: () => void
}

/** Generous: a trusted proxy, or all customers behind one NAT, come from a single address. */
const shareOfAddress = 1 / 4

/** Connections that have not sent a complete ClientHello. */
const shareOfSilent = 1 / 8

/** The rest is for unfinished TLS handshakes: some new connections are always accepted. */
const shareOfEstablished = 7 / 8

/** A browser, or a household: an address with more connections is a crowd. */
const singleConnectionsMax = 8

/** Requests of one connection behind the one that is handled; Node's parser takes any number. */
const waitingRequestsMax = 64

/** How long a client may take to read its last answer. */
const lingerMs = 1000

/** Unique at any moment: all connections have the port of the listener. Undefined after a reset. */
const peerName = ({ remoteAddress, remotePort, localAddress }: Socket): string | undefined =>
  remoteAddress ? `${remoteAddress} ${remotePort} ${localAddress}` : undefined

export class Connections {
  private readonly byPeer = new Map<string, Connection>()
  private readonly bySocket = new WeakMap<Duplex, Connection>()
  private readonly bySession = new WeakMap<ServerHttp2Session, Connection>()
  private readonly all = new AddressPool<Connection>()
  /** Without a complete ClientHello; they are unfinished too. */
  private readonly silent = new AddressPool<Connection>()
  private readonly unfinished = new AddressPool<Connection>()
  /** The connection of an address that has had no request for longest comes first. */
  private readonly established = new AddressPool<Connection>()
  private isDraining = false
  private readonly places: Places

  constructor(places: Places) {
    this.places = places
  }

  /**
   * Adds a new connection. When there are too many, the oldest unfinished TLS handshake of the
   * address with most of them makes room; without one, an established idle connection.
   *
   * @returns undefined when there is no room, or the client is gone already
   */
  admit(accepted: Socket): Connection | undefined {
    const peer = peerName(accepted)
    if (peer === undefined) return undefined
    const { connectionsMax } = this.places
    const address = addressKey(accepted.remoteAddress as string)
    if (this.all.countOf(address) >= connectionsMax * shareOfAddress) return this.refuse()
    if (this.all.size >= connectionsMax) {
      const leaving = this.unfinished.first() ?? this.idlest()
      if (!leaving) return this.refuse()
      this.refuse(leaving)
    }
    if (this.silent.size >= connectionsMax * shareOfSilent) this.refuse(this.silent.first())
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

  /** The complete ClientHello of a connection has arrived. */
  onHello(connection: Connection): void {
    this.silent.delete(connection)
  }

  /**
   * Requests may arrive on `socket` from now on. When there are too many established connections,
   * the longest idle one of the address with most makes room.
   *
   * @returns undefined when the client is gone, or every other connection has a request under way
   */
  establish(socket: Socket): Connection | undefined {
    const connection = this.byPeer.get(peerName(socket) ?? '')
    // The client reset it. Not in this turn: Node's listener for the socket runs after this one.
    if (!connection) return void setImmediate(() => socket.destroy())
    this.silent.delete(connection)
    this.unfinished.delete(connection)
    connection.socket = socket
    if (socket !== connection.accepted) closeAfterEnd(socket)
    if (this.established.size >= this.places.connectionsMax * shareOfEstablished) {
      const leaving = this.idlest()
      if (!leaving) return void setImmediate(() => this.refuse(connection))
      this.refuse(leaving)
    }
    this.bySocket.set(socket, connection)
    this.established.add(connection)
    return connection
  }

  /** Whether an address holds many connections, while others hold some too. */
  isCrowd({ address }: Connection): boolean {
    return this.all.countOf(address) > singleConnectionsMax && this.all.addressCount > 1
  }

  /** Notes the HTTP/2 session of a connection. */
  beginSession(session: ServerHttp2Session): void {
    const connection = this.byPeer.get(peerName(session.socket) ?? '')
    if (!connection) return session.destroy()
    connection.session = session
    this.bySession.set(session, connection)
    if (this.isDraining) session.close()
    // Node leaves the socket of a destroyed session open when the client went with a body half
    // sent, or does not read what is left. It emits no event.
    let wasDestroyed = false
    const check = setInterval(() => {
      if (wasDestroyed) this.drop(connection)
      wasDestroyed = session.destroyed
    }, lingerMs).unref()
    connection.accepted.once('close', () => clearInterval(check))
  }

  /**
   * Notes a request until its response is sent or lost. Over HTTP/1.1 it is handled once those
   * before it are answered (RFC 9112 section 9.3.2): a client that reads no answer costs no work.
   */
  begin(request: Incoming, response: Outgoing, handle: () => void): void {
    const { socket } = request
    const connection = this.find(request)
    if (!connection) return void socket.destroy()
    const { requests, waiting } = connection
    requests.set(request, response)
    this.touch(connection)
    response.once('close', () => {
      requests.delete(request)
      connection.early = isWhole(request) ? undefined : request
      this.touch(connection)
      this.endIfDone(connection)
      // Behind the last answer nothing is handled: no other can be sent (RFC 9112 section 9.6).
      if (socket.writable) waiting.shift()?.()
    })
    if (requests.size === 1 || isHttp2(request)) handle()
    else if (waiting.length < waitingRequestsMax) waiting.push(handle)
    else socket.destroy()
  }

  /**
   * Ends the connection once it is owed nothing. An answer is owed to a request that has arrived
   * whole, and the rest of an answer that has begun. A request whose body was still arriving has
   * had no effect.
   *
   * @returns false when no answer is due or was begun: then nothing was done
   */
  endAfterAnswers(socket: Duplex): boolean {
    const connection = this.bySocket.get(socket)
    if (!connection) return false
    const isOwed = this.isOwed(connection)
    // No request gets two answers: the second would be read as that of the next request.
    const isAnswered = connection.early?.complete === false
    if (isAnswered && !isOwed) connection.socket?.destroySoon()
    connection.isEnding ||= isOwed
    return isOwed || isAnswered
  }

  /**
   * Ends all connections: at once if nothing has been received, else when they are owed nothing.
   * Node ends those of HTTP/1.1 that are idle between two requests.
   */
  drain(): void {
    this.isDraining = true
    for (const connection of this.silent) this.drop(connection)
    for (const connection of this.established) {
      if (connection.session) connection.session.close()
      else if (connection.socket?.bytesRead === 0) this.drop(connection)
    }
  }

  cut(): void {
    for (const connection of this.all) this.drop(connection)
  }

  private find(request: Incoming): Connection | undefined {
    if (!isHttp2(request)) return this.bySocket.get(request.socket)
    const { session } = request.stream
    return session && this.bySession.get(session as ServerHttp2Session)
  }

  private isOwed({ requests }: Connection): boolean {
    const { isAnsweredEarly = false } = this.places
    return requests
      .entries()
      .some(([request, { headersSent }]) => isAnsweredEarly || headersSent || isWhole(request))
  }

  /** The established connection that makes room: none with a request under way. */
  private idlest(): Connection | undefined {
    for (const connection of this.established) {
      const isBusy = connection.requests
        .entries()
        .some(([request, response]) => isWhole(request) && !response.writableEnded)
      if (!isBusy) return connection
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

  /** Closes a connection, or takes no new one, because there are too many. */
  private refuse(leaving?: Connection): undefined {
    this.places.onRefused?.()
    this.drop(leaving)
  }

  /** Frees its place at once, before its socket reports that it is closed. */
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
 * Closes a connection a moment after everything has been sent, whether its client closes it or not.
 * Not at once: closing with bytes unread resets the connection, and the answer may be lost.
 */
function closeAfterEnd(socket: Socket): void {
  let cut: NodeJS.Timeout | undefined
  socket.once('finish', () => (cut = setTimeout(() => socket.destroy(), lingerMs).unref()))
  socket.once('close', () => clearTimeout(cut))
}

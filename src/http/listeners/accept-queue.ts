// New connections before TLS. A handshake costs about 0.5 ms of the main thread. A few start in one
// turn of the event loop, those of crowds one at a time with pauses, and only after the complete
// ClientHello has arrived. A client may pause in the middle of a handshake, so the unfinished ones
// of an address are bounded: all could go on at the same moment.
import type { Socket } from 'node:net'
import { AddressPool } from './address-pool.ts'
import type { Connection } from './connections.ts'
import { PacedQueue } from './paced-queue.ts'

/** How long a client may take to send its ClientHello. */
const helloTimeoutMs = 10_000

/** The heads of a TLS record and of the message in it (RFC 8446 sections 5.1 and 4). */
const recordHeadBytes = 5
const handshakeRecordType = 22
const messageHeadBytes = 4
/** More than any client sends; as much as one record holds. */
const helloBytesMax = 16_384
const helloRecordsMax = 8
const helloChunksMax = 64

/**
 * Handshakes that start in one turn of the event loop. A turn also serves the requests of all other
 * connections: with one handshake in each, 256 connections took 2.3 s, with four 0.3 s.
 */
const startedPerTurnMax = 4

/** Handshakes of one address that have started and are not finished. */
const startedPerAddressMax = 32

/** A handshake needs one or two more flights of the client. After this time it may make room. */
const stallMs = 2000

type Accepted = Pick<Connection, 'address' | 'accepted'>

type Handshake = Accepted & {
  start: () => void
  isCrowd: () => boolean
  stall?: NodeJS.Timeout
  isStalled: boolean
}

/** What the queue reports to, and asks of, the connections of its listener. */
type Places<C> = {
  /** The complete ClientHello has arrived. */
  onHello(connection: C): void
  /** Whether its address then holds many connections beside others. */
  isCrowd(connection: C): boolean
}

export class AcceptQueue<C extends Accepted = Connection> {
  private readonly single = new PacedQueue(() => 0, startedPerTurnMax)
  /** The longer it is, the shorter the pauses: a proxy that reconnects is served within seconds. */
  private readonly crowds = new PacedQueue((waiting) => Math.max(0, 8 - Math.floor(waiting / 100)))
  private readonly started = new AddressPool<Handshake>()
  /** Waiting for a handshake of the same address to finish. */
  private readonly waiting = new AddressPool<Handshake>()
  private readonly bySocket = new WeakMap<Socket, Handshake>()
  private readonly connections: Places<C>
  private readonly refuse: (socket: Socket) => void

  /** @param refuse answers a client that speaks plain HTTP, and ends its connection */
  constructor(connections: Places<C>, refuse: (socket: Socket) => void) {
    this.connections = connections
    this.refuse = refuse
  }

  /** Calls `start`, which begins TLS, when the ClientHello is there and it is the turn of it. */
  add(connection: C, start: () => void): void {
    const { address, accepted: socket } = connection
    let chunks: Buffer[] = []
    let missing = 1
    const late = setTimeout(() => socket.destroy(), helloTimeoutMs).unref()
    const end = () => socket.destroy()
    const read = () => {
      for (let bytes; (bytes = socket.read() as Buffer | null) !== null;) {
        chunks.push(bytes)
        missing -= bytes.length
      }
      // A buffer takes a hundred times the room of the one byte in it.
      if (chunks.length > helloChunksMax) chunks = [Buffer.concat(chunks)]
      if (missing > 0) return
      const bytes = Buffer.concat(chunks)
      if (isPlainHttp(bytes)) {
        socket.off('readable', read).off('end', end).resume()
        return this.refuse(socket)
      }
      chunks = [bytes]
      missing = countMissing(bytes)
      if (missing === Infinity) return void socket.destroy()
      if (missing > 0) return
      clearTimeout(late)
      socket.off('readable', read).off('end', end)
      socket.unshift(bytes)
      this.connections.onHello(connection)
      const isCrowd = () => this.connections.isCrowd(connection)
      const handshake = { address, accepted: socket, start, isCrowd, isStalled: false }
      this.bySocket.set(socket, handshake)
      this.enqueue(handshake, () => this.begin(handshake))
    }
    // Until TLS takes the socket over, an error without a listener would end the process.
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(late)
      this.finish(socket)
    })
    socket.on('readable', read).once('end', end)
  }

  /** Tells that the handshake on an accepted socket is finished. */
  finish(socket: Socket): void {
    const handshake = this.bySocket.get(socket)
    if (!handshake) return
    this.bySocket.delete(socket)
    clearTimeout(handshake.stall)
    this.waiting.delete(handshake)
    if (!this.started.delete(handshake)) return
    const next = this.waiting.oldestOf(handshake.address)
    if (!next) return
    this.waiting.delete(next)
    this.started.add(next)
    this.enqueue(next, () => this.start(next))
  }

  private enqueue({ address, accepted, isCrowd }: Handshake, begin: () => void): void {
    const queue = isCrowd() ? this.crowds : this.single
    const remove = queue.add(address, () => accepted.destroyed || begin())
    accepted.once('close', remove)
  }

  private begin(handshake: Handshake): void {
    const { address } = handshake
    if (this.started.countOf(address) < startedPerAddressMax) {
      this.started.add(handshake)
      return this.start(handshake)
    }
    this.waiting.add(handshake)
    this.makeRoom(address)
  }

  private start(handshake: Handshake): void {
    handshake.stall = setTimeout(() => {
      handshake.isStalled = true
      this.makeRoom(handshake.address)
    }, stallMs).unref()
    handshake.start()
  }

  /** While others of its address are held, the oldest handshake is cut once it has stalled. */
  private makeRoom(address: string): void {
    const oldest = this.started.oldestOf(address)
    if (!oldest?.isStalled || this.waiting.countOf(address) === 0) return
    oldest.accepted.destroy()
    this.finish(oldest.accepted)
  }
}

/** A method begins with a letter, a TLS record with a byte that is none. */
const isPlainHttp = ([first = 0]: Buffer): boolean => first >= 0x41 && first <= 0x5a

/**
 * How many bytes, at least, a client's first message is short of, in however few records it comes.
 * 0 also for what is no TLS message, which TLS refuses at once. Infinity: cut the connection.
 */
function countMissing(bytes: Buffer): number {
  let message: Buffer = Buffer.alloc(0)
  let at = 0
  for (let record = 0; record < helloRecordsMax; record++) {
    const begin = at + recordHeadBytes
    if (at < bytes.length && bytes[at] !== handshakeRecordType) return 0
    if (bytes.length < begin) return begin - bytes.length
    at = begin + bytes.readUInt16BE(begin - 2)
    if (at - begin > helloBytesMax) return 0
    if (bytes.length < at) return at - bytes.length
    message = Buffer.concat([message, bytes.subarray(begin, at)])
    if (message.length < messageHeadBytes) continue
    const length = messageHeadBytes + message.readUIntBE(1, 3)
    if (length > helloBytesMax) return Infinity
    if (message.length >= length) return 0
  }
  return Infinity
}

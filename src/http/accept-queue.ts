// New connections before TLS. A handshake costs about 1 ms of the main thread. One starts at a
// time, and only after the whole ClientHello has arrived. Between its flights a client may pause,
// so the unfinished handshakes of one address are bounded: they could all go on in one moment.
import type { Socket } from 'node:net'
import { AddressPool } from './address-pool.ts'
import type { Connection } from './connections.ts'
import { PacedQueue } from './paced-queue.ts'

/** How long a client may take to send its first record, in milliseconds. */
const helloTimeoutMs = 10_000

/** The heads of a TLS record and of the message in it (RFC 8446 sections 5.1 and 4). */
const recordHead = 5
const handshakeRecord = 22
const messageHead = 4
/** No client has that much to say; it would be what one record may hold. */
const helloBytesMax = 16_384
const helloRecordsMax = 8
const helloChunksMax = 64

/** Handshakes of one address that have started and are not finished. */
const startedPerAddressMax = 32

/** A handshake needs one flight of the client more, or two. After this time it may make room. */
const stallMs = 2000

export type Unfinished = Pick<Connection, 'address'> & { accepted: Socket }

type Handshake = Unfinished & { start: () => void; stall?: NodeJS.Timeout; isStalled: boolean }

type Steps = {
  /** The whole ClientHello has arrived. */
  greeted: () => void
  /** Whether the address, by then, holds many connections beside others. */
  isCrowd: () => boolean
  /** Starts TLS. */
  start: () => void
}

/** The queues in which connections wait for their handshake. */
export class AcceptQueue {
  private readonly single = new PacedQueue(() => 0)
  /** The longer it is, the shorter the pauses: a proxy that comes back is let in within seconds. */
  private readonly crowds = new PacedQueue((waiting) => Math.max(0, 8 - Math.floor(waiting / 100)))
  private readonly started = new AddressPool<Handshake>()
  /** Waiting for one of the same address to finish. */
  private readonly held = new AddressPool<Handshake>()
  private readonly bySocket = new WeakMap<Socket, Handshake>()

  /** Starts TLS on a connection when its ClientHello is there and its turn has come. */
  await({ address, accepted: socket }: Unfinished, { greeted, isCrowd, start }: Steps): void {
    let chunks: Buffer[] = []
    let missing = 1
    const late = setTimeout(() => socket.destroy(), helloTimeoutMs).unref()
    const end = () => socket.destroy()
    const take = () => {
      for (let bytes; (bytes = socket.read() as Buffer | null) !== null;) {
        chunks.push(bytes)
        missing -= bytes.length
      }
      // A byte in a buffer of its own takes a hundred times its room.
      if (chunks.length > helloChunksMax) chunks = [Buffer.concat(chunks)]
      if (missing > 0) return
      const bytes = Buffer.concat(chunks)
      chunks = [bytes]
      missing = missingIn(bytes)
      if (missing === Infinity) return void socket.destroy()
      if (missing > 0) return
      clearTimeout(late)
      socket.off('readable', take).off('end', end)
      socket.unshift(bytes)
      greeted()
      const handshake = { address, accepted: socket, start, isStalled: false }
      this.bySocket.set(socket, handshake)
      const line = isCrowd() ? this.crowds : this.single
      this.enqueue(handshake, line, () => this.begin(handshake))
    }
    // Until TLS takes it over, an error without a listener would end the process.
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(late)
      this.end(socket)
    })
    socket.on('readable', take).once('end', end)
  }

  /** The handshake on an accepted socket is finished. */
  end(socket: Socket): void {
    const handshake = this.bySocket.get(socket)
    if (!handshake) return
    this.bySocket.delete(socket)
    clearTimeout(handshake.stall)
    this.held.delete(handshake)
    if (!this.started.delete(handshake)) return
    const next = this.held.oldestOf(handshake.address)
    if (!next) return
    this.held.delete(next)
    this.started.add(next)
    this.enqueue(next, this.crowds, () => this.start(next))
  }

  private enqueue({ accepted }: Handshake, line: PacedQueue, begin: () => void): void {
    accepted.once(
      'close',
      line.take(accepted, () => accepted.destroyed || begin()),
    )
  }

  private begin(handshake: Handshake): void {
    const { address } = handshake
    if (this.started.heldBy(address) < startedPerAddressMax) {
      this.started.add(handshake)
      return this.start(handshake)
    }
    this.held.add(handshake)
    this.makeRoom(address)
  }

  private start(handshake: Handshake): void {
    const { address, start } = handshake
    const stalled = () => {
      handshake.isStalled = true
      this.makeRoom(address)
    }
    handshake.stall = setTimeout(stalled, stallMs).unref()
    start()
  }

  /** While others of its address are held, the oldest handshake is cut once it has stalled. */
  private makeRoom(address: string): void {
    const oldest = this.started.oldestOf(address)
    if (!oldest?.isStalled || this.held.heldBy(address) === 0) return
    oldest.accepted.destroy()
    this.end(oldest.accepted)
  }
}

/**
 * How many bytes at least are missing of a client's first message, in however few records it comes.
 * None are of what is no message at all: TLS refuses it at once. Infinity: it is cut.
 */
function missingIn(bytes: Buffer): number {
  let message: Buffer = Buffer.alloc(0)
  let at = 0
  for (let record = 0; record < helloRecordsMax; record++) {
    const begin = at + recordHead
    if (at < bytes.length && bytes[at] !== handshakeRecord) return 0
    if (bytes.length < begin) return begin - bytes.length
    at = begin + bytes.readUInt16BE(begin - 2)
    if (at - begin > helloBytesMax) return 0
    if (bytes.length < at) return at - bytes.length
    message = Buffer.concat([message, bytes.subarray(begin, at)])
    if (message.length < messageHead) continue
    const length = messageHead + message.readUIntBE(1, 3)
    if (length > helloBytesMax) return Infinity
    if (message.length >= length) return 0
  }
  return Infinity
}

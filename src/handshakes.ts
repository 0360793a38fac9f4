// New connections, before TLS begins on them. A handshake is the dearest thing a stranger can ask
// for without a word, about a millisecond of the one thread that serves everybody, so they take
// turns; and one that has not said its whole hello has none, or all those half through could go on
// at once. (Those that are asked for a second hello still can, for ten seconds.)
import type { Socket } from 'node:net'
import { Turns } from './turns.ts'

/** How long a client may take to send its first record, in milliseconds. */
const helloTimeout = 10_000

/** The heads of a TLS record and of the message in it (RFC 8446 sections 5.1 and 4). */
const recordHead = 5
const handshakeRecord = 22
const messageHead = 4
/** No client has that much to say; it would be what one record may hold. */
const longestHello = 16_384
const mostRecords = 8
const mostChunks = 64

/** The lines in which connections wait for their handshake. */
export class Handshakes {
  private readonly single = new Turns(() => 0)
  /** The longer it is, the shorter the pauses: a proxy that comes back is let in within seconds. */
  private readonly crowds = new Turns((waiting) => Math.max(0, 8 - Math.floor(waiting / 100)))

  /**
   * Begins TLS on a connection when its client has said hello and its turn has come.
   *
   * @param isCrowd whether its address, by then, is one of a crowd
   */
  await(socket: Socket, isCrowd: () => boolean, begin: () => void): void {
    let chunks: Buffer[] = []
    let missing = 1
    const late = setTimeout(() => socket.destroy(), helloTimeout).unref()
    const end = () => socket.destroy()
    const take = () => {
      for (let bytes; (bytes = socket.read() as Buffer | null) !== null;) {
        chunks.push(bytes)
        missing -= bytes.length
      }
      // A byte in a buffer of its own takes a hundred times its room.
      if (chunks.length > mostChunks) chunks = [Buffer.concat(chunks)]
      if (missing > 0) return
      const bytes = Buffer.concat(chunks)
      chunks = [bytes]
      missing = missingIn(bytes)
      if (missing === Infinity) return void socket.destroy()
      if (missing > 0) return
      clearTimeout(late)
      socket.off('readable', take).off('end', end)
      socket.unshift(bytes)
      const line = isCrowd() ? this.crowds : this.single
      socket.once(
        'close',
        line.take(socket, () => socket.destroyed || begin()),
      )
    }
    // Until TLS takes it over, nobody else would hear its error, and the process would end of it.
    socket.on('error', () => {})
    socket.once('close', () => clearTimeout(late))
    socket.on('readable', take).once('end', end)
  }
}

/**
 * How many bytes at least are missing of a client's first message, in however few records it comes.
 * None are of what is no message at all: TLS refuses it at once. Infinity: it is cut.
 */
function missingIn(bytes: Buffer): number {
  let message: Buffer = Buffer.alloc(0)
  let at = 0
  for (let record = 0; record < mostRecords; record++) {
    const begin = at + recordHead
    if (at < bytes.length && bytes[at] !== handshakeRecord) return 0
    if (bytes.length < begin) return begin - bytes.length
    at = begin + bytes.readUInt16BE(begin - 2)
    if (at - begin > longestHello) return 0
    if (bytes.length < at) return at - bytes.length
    message = Buffer.concat([message, bytes.subarray(begin, at)])
    if (message.length < messageHead) continue
    const length = messageHead + message.readUIntBE(1, 3)
    if (length > longestHello) return Infinity
    if (message.length >= length) return 0
  }
  return Infinity
}

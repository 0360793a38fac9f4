// New connections, before TLS begins on them. A handshake is the dearest thing a stranger can ask
// for without a word, about a millisecond of the one thread that serves everybody, so they take
// turns; and one that has not said hello has none, or all those half through could go on at once.
import type { Socket } from 'node:net'
import { Turns } from './turns.ts'

/** How long a client may take to send its first record, in milliseconds. */
const helloTimeout = 10_000

/** The head of a TLS record: type, version, length (RFC 8446 section 5.1). */
const recordHead = 5
const handshakeType = 22
/** A greeting is a quarter of that; what claims to be longer is OpenSSL's to judge at once. */
const longestHello = 8192

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
    const chunks: Buffer[] = []
    const late = setTimeout(() => socket.destroy(), helloTimeout).unref()
    const end = () => socket.destroy()
    const take = () => {
      for (let bytes; (bytes = socket.read() as Buffer | null) !== null;) chunks.push(bytes)
      if (!isWhole(chunks)) return
      clearTimeout(late)
      socket.off('readable', take).off('end', end)
      socket.unshift(Buffer.concat(chunks))
      const line = isCrowd() ? this.crowds : this.single
      line.take(socket, () => socket.destroyed || begin())
    }
    // Until TLS takes it over, nobody else would hear its error, and the process would end of it.
    socket.on('error', () => {})
    socket.once('close', () => clearTimeout(late))
    socket.on('readable', take).once('end', end)
  }
}

/** Whether TLS has all it needs to answer, or to refuse, what has come. */
function isWhole(chunks: readonly Buffer[]): boolean {
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  if (bytes.length > 0 && bytes[0] !== handshakeType) return true
  if (bytes.length < recordHead) return false
  const length = bytes.readUInt16BE(recordHead - 2)
  return length > longestHello || bytes.length >= recordHead + length
}

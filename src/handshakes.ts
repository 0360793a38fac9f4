// The line in which new connections wait to begin TLS. A handshake is the dearest thing a stranger
// can ask for without a word: about a millisecond of the one thread that serves everybody. A
// thousand of them at once would hold everybody up for a second; in line they cost each turn of
// the event loop one. Addresses take turns, so a crowd from one address makes only itself wait.
import type { Socket } from 'node:net'

/** How long a client may take to send its first record, in milliseconds. */
const helloTimeout = 10_000

/** The head of a TLS record: type, version, length (RFC 8446 section 5.1). */
const recordHead = 5
const handshakeType = 22
/** A greeting is a tenth of that; what claims to be longer is OpenSSL's to judge at once. */
const longestHello = 8192

export class Handshakes {
  /** Whose turn it is next comes first. */
  private readonly waiting = new Map<string, Socket[]>()
  private isCalling = false
  private readonly begin: (socket: Socket) => void

  /** @param begin begins TLS on a connection whose first record has been read and put back */
  constructor(begin: (socket: Socket) => void) {
    this.begin = begin
  }

  /**
   * Lets a connection begin when its client has said hello and its turn has come. Were TLS begun on
   * those that are silent or half through, they could all go on in one moment.
   */
  enter(address: string, socket: Socket): void {
    const chunks: Buffer[] = []
    const late = setTimeout(() => socket.destroy(), helloTimeout).unref()
    const end = () => socket.destroy()
    const take = () => {
      for (let bytes; (bytes = socket.read() as Buffer | null) !== null;) chunks.push(bytes)
      if (!isWhole(chunks)) return
      clearTimeout(late)
      socket.off('readable', take).off('end', end)
      socket.unshift(Buffer.concat(chunks))
      this.queue(address, socket)
    }
    // Until TLS takes it over, nobody else would hear its error, and the process would end of it.
    socket.on('error', () => {})
    socket.once('close', () => clearTimeout(late))
    socket.on('readable', take).once('end', end)
  }

  private queue(address: string, socket: Socket): void {
    const line = this.waiting.get(address)
    if (line) line.push(socket)
    else this.waiting.set(address, [socket])
    this.call()
  }

  /** One in each turn of the event loop, between which requests are served. */
  private call(): void {
    if (this.isCalling || this.waiting.size === 0) return
    this.isCalling = true
    setImmediate(() => {
      this.isCalling = false
      const socket = this.next()
      if (socket) this.begin(socket)
      this.call()
    })
  }

  /** The longest waiting of the address whose turn it is; those that went away have no turn. */
  private next(): Socket | undefined {
    for (const [address, line] of this.waiting) {
      this.waiting.delete(address)
      const present = line.findIndex(({ destroyed }) => !destroyed)
      if (present < 0) continue
      const left = line.slice(present + 1)
      if (left.length > 0) this.waiting.set(address, left)
      return line[present]
    }
    return undefined
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

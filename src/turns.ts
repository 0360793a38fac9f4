// A line of those who knock. Each is let in after a pause since the one before, in which the one
// thread serves those who are in. Addresses take turns, so a crowd from one makes only itself wait.
import { addressKey } from './address.ts'

type Peer = { remoteAddress?: string | undefined }

export class Turns {
  /** Who waits, by address; whose turn it is next comes first. */
  private readonly waiting = new Map<string, (() => void)[]>()
  private count = 0
  private isPausing = false
  private readonly pause: (waiting: number) => number

  /** @param pause milliseconds from one to the next, by how many wait; 0 for a turn of the loop */
  constructor(pause: (waiting: number) => number) {
    this.pause = pause
  }

  /** Begins at once, where nobody waits and the pause is over, or when the turn has come. */
  take(peer: Peer, begin: () => void): void {
    if (!this.isPausing) {
      this.rest()
      return begin()
    }
    const address = addressKey(peer.remoteAddress ?? '')
    const line = this.waiting.get(address)
    if (line) line.push(begin)
    else this.waiting.set(address, [begin])
    this.count++
  }

  private rest(): void {
    this.isPausing = true
    const milliseconds = this.pause(this.count)
    if (milliseconds > 0) setTimeout(() => this.next(), milliseconds)
    else setImmediate(() => this.next())
  }

  private next(): void {
    this.isPausing = false
    const [first] = this.waiting
    if (!first) return
    const [address, line] = first
    this.waiting.delete(address)
    const begin = line.shift()
    if (line.length > 0) this.waiting.set(address, line)
    this.count--
    this.rest()
    begin?.()
  }
}

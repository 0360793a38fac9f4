// A line of those who knock. Each is let in after a pause since the one before, in which the one
// thread serves those who are in. Addresses take turns, so a crowd from one makes only itself wait.
import { addressKey } from '../domain/address.ts'

type Peer = { remoteAddress?: string | undefined }

export class PacedQueue {
  /** Who waits, by address; whose turn it is next comes first. */
  private readonly waiting = new Map<string, Set<() => unknown>>()
  private count = 0
  private isPausing = false
  private readonly pause: (waiting: number) => number

  /** @param pause milliseconds from one to the next, by how many wait; 0 for a turn of the loop */
  constructor(pause: (waiting: number) => number) {
    this.pause = pause
  }

  /**
   * Begins at once, where nobody waits and the pause is over, or when the turn has come.
   *
   * @returns leaves the line
   */
  take(peer: Peer, begin: () => unknown): () => void {
    if (!this.isPausing) {
      this.rest()
      begin()
      return () => {}
    }
    const address = addressKey(peer.remoteAddress ?? '')
    const line = this.waiting.get(address) ?? new Set()
    this.waiting.set(address, line.add(begin))
    this.count++
    return () => this.leave(address, begin)
  }

  private leave(address: string, begin: () => unknown): void {
    const line = this.waiting.get(address)
    if (!line?.delete(begin)) return
    this.count--
    if (line.size === 0) this.waiting.delete(address)
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
    const [begin] = line
    // To the end of the round.
    this.waiting.delete(address)
    this.waiting.set(address, line)
    this.leave(address, begin as () => unknown)
    this.rest()
    begin?.()
  }
}

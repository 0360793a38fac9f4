// A fair queue of new connections: round-robin by client address, with a pause between items in
// which the main thread serves established connections.

export class PacedQueue {
  /** Items by address; the address whose turn is next comes first. */
  private readonly waiting = new Map<string, Set<() => unknown>>()
  private count = 0
  private isPausing = false
  private readonly pauseMs: (waitingCount: number) => number

  /** @param pauseMs the pause after an item, by how many wait; 0 is one turn of the event loop */
  constructor(pauseMs: (waitingCount: number) => number) {
    this.pauseMs = pauseMs
  }

  /**
   * Calls `begin` at once when no item waits and the last pause is over, else in its turn.
   *
   * @returns takes the item out of the queue
   */
  add(address: string, begin: () => unknown): () => void {
    if (!this.isPausing) {
      this.pause()
      begin()
      return () => {}
    }
    const items = this.waiting.get(address) ?? new Set()
    this.waiting.set(address, items.add(begin))
    this.count++
    return () => this.remove(address, begin)
  }

  private remove(address: string, begin: () => unknown): void {
    const items = this.waiting.get(address)
    if (!items?.delete(begin)) return
    this.count--
    if (items.size === 0) this.waiting.delete(address)
  }

  private pause(): void {
    this.isPausing = true
    const milliseconds = this.pauseMs(this.count)
    if (milliseconds > 0) setTimeout(() => this.next(), milliseconds)
    else setImmediate(() => this.next())
  }

  private next(): void {
    this.isPausing = false
    const [first] = this.waiting
    if (!first) return
    const [address, items] = first
    const [begin] = items
    // To the end of the round.
    this.waiting.delete(address)
    this.waiting.set(address, items)
    this.remove(address, begin as () => unknown)
    this.pause()
    begin?.()
  }
}

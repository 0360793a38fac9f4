// A fair queue of new connections: round-robin by client address, with pauses between items in
// which the main thread serves established connections.

export class PacedQueue {
  /** Items by address; the address whose turn is next comes first. */
  private readonly waiting = new Map<string, Set<() => unknown>>()
  private count = 0
  private isPausing = false
  private readonly pauseMs: (waitingCount: number) => number
  private readonly itemsPerPause: number

  /** @param pauseMs the pause after items, by how many wait; 0 is one turn of the event loop */
  constructor(pauseMs: (waitingCount: number) => number, itemsPerPause = 1) {
    this.pauseMs = pauseMs
    this.itemsPerPause = itemsPerPause
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
    const due = [...this.takeDue()]
    if (due.length === 0) return
    this.pause()
    for (const begin of due) begin()
  }

  private *takeDue(): Generator<() => unknown> {
    for (let taken = 0; taken < this.itemsPerPause; taken++) {
      const [first] = this.waiting
      if (!first) return
      const [address, items] = first
      const [begin] = items
      // To the end of the round.
      this.waiting.delete(address)
      this.waiting.set(address, items)
      this.remove(address, begin as () => unknown)
      if (begin) yield begin
    }
  }
}

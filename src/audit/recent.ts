// Keys seen within a period, so that repeats in it are recorded once.

/** Memory is bounded by time: a key is dropped when its period is over, not sooner. */
export class Recent {
  private readonly seenAt = new Map<string, number>()
  private readonly periodMs: number
  private readonly monotonic: () => number

  constructor(periodMs: number, monotonic: () => number) {
    this.periodMs = periodMs
    this.monotonic = monotonic
  }

  get size(): number {
    return this.seenAt.size
  }

  has(key: string): boolean {
    const end = this.monotonic() - this.periodMs
    // A map keeps the order of insertion, so the oldest come first.
    for (const [oldest, at] of this.seenAt) {
      if (at > end) break
      this.seenAt.delete(oldest)
    }
    return this.seenAt.has(key)
  }

  /** Only for a key that {@link has} does not know. */
  add(key: string): void {
    this.seenAt.set(key, this.monotonic())
  }
}

// Keys that were seen within a period, so that what repeats is told once in it.

/** Memory is bounded by time: a key is dropped once its period is over, and no sooner. */
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
    for (const [each, at] of this.seenAt) {
      if (at > end) break
      this.seenAt.delete(each)
    }
    return this.seenAt.has(key)
  }

  /** For a key that {@link has} does not know. */
  add(key: string): void {
    this.seenAt.set(key, this.monotonic())
  }
}

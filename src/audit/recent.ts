// Keys seen within a period, so that repeats in it are recorded once.
import { BoundedCache } from '../domain/bounded-cache.ts'

/** The size of a key of up to 45 characters, as measured. */
const keyBytes = 180
/** 90,000 networks. When more repeat within one period, some are recorded again. */
const bytesMax = 16 * 1024 * 1024

export class Recent {
  private readonly seenAt = new BoundedCache<string, number>(bytesMax, () => keyBytes)
  private readonly periodMs: number
  private readonly monotonic: () => number

  constructor(periodMs: number, monotonic: () => number) {
    this.periodMs = periodMs
    this.monotonic = monotonic
  }

  has(key: string): boolean {
    const at = this.seenAt.get(key)
    return at !== undefined && at > this.monotonic() - this.periodMs
  }

  add(key: string): void {
    this.seenAt.set(key, this.monotonic())
  }
}

// The exact sliding window: at most `quota` admissions in any span (t - window, t], none forgotten,
// none refused that the rule admits, save to keep a Retry-After that was already promised.

/** One window and the key it is counted under in this request. */
export type Charge = { window: string; quota: number; windowMs: number; key: string }

/** How a window stands for a key after the decision. */
export type Standing = { remaining: number; resetMs: number }

export type Decision = {
  /** 0 when all charges were admitted, else milliseconds until all of them would be. */
  waitMs: number
  standings: Standing[]
  /** Takes back what was charged, for attempts that turned out not to count. */
  giveBack(windows: readonly string[]): void | Promise<void>
}

/** Where windows are kept. In process here; in Redis or Valkey when instances share them. */
export interface WindowStore {
  /** Checks all charges, then makes all or none of them. A refused request is not counted. */
  take(charges: readonly Charge[]): Decision | Promise<Decision>
  /** The same answer without charging anything. */
  peek(charges: readonly Charge[]): Decision | Promise<Decision>
}

/** The admissions of one key in one window: their times, oldest first, from `head` on. */
class Admissions {
  private times: number[] = []
  private head = 0
  /** A Retry-After that was sent: nothing is admitted before it, so it stays true. */
  promisedUntil = 0

  get size(): number {
    return this.times.length - this.head
  }

  forgetUntil(time: number): void {
    while (this.size > 0 && (this.times[this.head] as number) <= time) this.head++
    if (this.head < 32 && this.size > 0) return
    this.times = this.times.slice(this.head)
    this.head = 0
  }

  add(time: number): void {
    this.times.push(time)
  }

  remove(time: number): void {
    const index = this.times.lastIndexOf(time)
    if (index >= this.head) this.times.splice(index, 1)
  }

  /** When the window next admits one, by the rule alone; 0 if it does already. */
  admitsAt(quota: number, windowMs: number): number {
    return this.size < quota ? 0 : (this.times[this.times.length - quota] as number) + windowMs
  }

  oldest(): number | undefined {
    return this.times[this.head]
  }
}

const sweptPerRequest = 2

/**
 * The windows of one process, on a monotonic clock. Memory is bounded by time: each decision looks
 * at two keys of its window and drops those with nothing left to remember. A live key is never
 * evicted, so rotating keys cannot push one out.
 */
export function windowsInProcess(monotonic: () => number): WindowStore & { size(): number } {
  const windows = new Map<string, Map<string, Admissions>>()
  const sweepers = new Map<string, MapIterator<[string, Admissions]>>()

  function keysOf(window: string): Map<string, Admissions> {
    let keys = windows.get(window)
    if (!keys) windows.set(window, (keys = new Map<string, Admissions>()))
    return keys
  }

  function sweep({ window, windowMs }: Charge, now: number): void {
    const keys = keysOf(window)
    let sweeper = sweepers.get(window)
    for (let turn = 0; turn < sweptPerRequest; turn++) {
      const next = sweeper?.next()
      if (!next || next.done) {
        sweeper = keys.entries()
        sweepers.set(window, sweeper)
        continue
      }
      const [key, admissions] = next.value
      admissions.forgetUntil(now - windowMs)
      if (admissions.size === 0 && admissions.promisedUntil <= now) keys.delete(key)
    }
  }

  function standing(charge: Charge, admissions: Admissions | undefined, now: number): Standing {
    const oldest = admissions?.oldest()
    const free = oldest === undefined ? charge.windowMs : oldest + charge.windowMs - now
    const promised = (admissions?.promisedUntil ?? 0) - now
    return {
      remaining: promised > 0 ? 0 : Math.max(0, charge.quota - (admissions?.size ?? 0)),
      resetMs: Math.max(free, promised),
    }
  }

  function decide(charges: readonly Charge[], isCharging: boolean): Decision {
    const now = monotonic()
    const found = charges.map(({ window, windowMs, key }) => {
      const admissions = keysOf(window).get(key)
      admissions?.forgetUntil(now - windowMs)
      return admissions
    })
    const freeAt = charges.map(({ quota, windowMs }, index) =>
      Math.max(found[index]?.admitsAt(quota, windowMs) ?? 0, found[index]?.promisedUntil ?? 0),
    )
    const waitMs = Math.max(0, ...freeAt.map((time) => time - now))
    if (waitMs > 0) {
      // What is told to the client, in whole seconds, is what holds; said once, it is not moved.
      const promise = now + wholeSeconds(waitMs) * 1000
      found.forEach((admissions, index) => {
        const isFull = (freeAt[index] as number) > now
        if (admissions && isFull && admissions.promisedUntil <= now) {
          admissions.promisedUntil = promise
        }
      })
    } else if (isCharging) {
      charges.forEach((charge, index) => {
        sweep(charge, now)
        let admissions = keysOf(charge.window).get(charge.key)
        if (!admissions) keysOf(charge.window).set(charge.key, (admissions = new Admissions()))
        admissions.add(now)
        found[index] = admissions
      })
    }
    return {
      waitMs,
      standings: charges.map((charge, index) => standing(charge, found[index], now)),
      giveBack(names) {
        for (const { window, key } of charges) {
          if (names.includes(window)) windows.get(window)?.get(key)?.remove(now)
        }
      },
    }
  }

  return {
    take: (charges) => decide(charges, true),
    peek: (charges) => decide(charges, false),
    size: () => [...windows.values()].reduce((sum, keys) => sum + keys.size, 0),
  }
}

/** `Retry-After` of a wait: whole seconds, rounded up (RFC 9110 section 10.2.3), at least 1. */
export const wholeSeconds = (milliseconds: number): number =>
  Math.max(1, Math.ceil(milliseconds / 1000))

// The exact sliding window: at most `quota` admissions in any span (t - window, t], none forgotten,
// none refused that the rule admits, save to keep a Retry-After that was already promised.

import { Times } from './timestamp-queue.ts'

/** One window and the key it is counted under in this request. */
export type Charge = {
  window: string
  quota: number
  windowMs: number
  key: string
  /** The slot is held until {@link Decision.settle} says whether the attempt counts. */
  isReserved?: boolean
}

/** How a window stands for a key after the decision. */
export type Usage = { remaining: number; resetMs: number }

export type Decision = {
  /** 0 when all charges were admitted, else milliseconds until all of them would be. */
  waitMs: number
  usages: Usage[]
  /**
   * Says once what became of the reserved slots: counted from their reservation on, or free again.
   */
  settle(outcome: Settlement): void | Promise<void>
}

export type Settlement = 'counted' | 'free'

/**
 * The longest wait that reserved slots alone may cause. They may all come back a moment later, and
 * several right logins behind one address must not refuse each other for longer.
 */
const reservedWaitMs = 1000

/** A reservation that is not settled by then counts: the process that made it is gone. */
export const reservationMsMax = 10_000

/** Where windows are kept. In process here; in Redis or Valkey when instances share them. */
export interface WindowStore {
  /** Checks all charges, then makes all or none of them. A refused request is not counted. */
  take(charges: readonly Charge[]): Decision | Promise<Decision>
  /** The same answer without charging anything. */
  peek(charges: readonly Charge[]): Decision | Promise<Decision>
}

/** The admissions of one key in one window. */
class Admissions extends Times {
  /** A Retry-After that was sent: nothing is admitted before it, so it stays true. */
  promisedUntil = 0
  /** Times of the slots that are reserved; each is among the admissions as well. */
  private reserved: number[] = []

  /**
   * When the window next admits one, by the rule alone; 0 if it does already. With a slot reserved
   * the rule may admit at any moment, so the wait is short, and one that was promised is not moved.
   */
  admitsAt({ quota, windowMs }: Charge, now: number): number {
    if (this.size < quota) return 0
    const leavesAt = this.fromLast(quota) + windowMs
    if (!this.reserved.some((time) => now - time < reservationMsMax)) return leavesAt
    return Math.min(leavesAt, this.promisedUntil > now ? this.promisedUntil : now + reservedWaitMs)
  }

  override forgetUntil(time: number): void {
    super.forgetUntil(time)
    if (this.reserved.length > 0) this.reserved = this.reserved.filter((each) => each > time)
  }

  reserve(time: number): void {
    this.reserved.push(time)
  }

  settle(time: number, outcome: Settlement): void {
    const index = this.reserved.indexOf(time)
    if (index === -1) return
    this.reserved.splice(index, 1)
    if (outcome === 'free') this.remove(time)
  }
}

const sweptPerRequest = 2

/**
 * The windows of one process, on a monotonic clock. Memory is bounded by time: each decision looks
 * at two keys of its window and drops those with nothing left to remember. A live key is never
 * evicted, so rotating keys cannot push one out.
 */
export function windowsInProcess(monotonic: () => number): WindowStore & { size(): number } {
  type Kept = { keys: Map<string, Admissions>; sweeper: MapIterator<[string, Admissions]> }
  const windows = new Map<string, Kept>()

  function kept(window: string): Kept {
    const found = windows.get(window)
    if (found) return found
    const keys = new Map<string, Admissions>()
    const made = { keys, sweeper: keys.entries() }
    windows.set(window, made)
    return made
  }

  function admit({ window, windowMs, key, isReserved }: Charge, now: number): Admissions {
    const { keys, sweeper } = kept(window)
    for (let turn = 0; turn < sweptPerRequest; turn++) {
      const { done, value } = sweeper.next()
      if (done) windows.set(window, { keys, sweeper: keys.entries() })
      if (done) break
      value[1].forgetUntil(now - windowMs)
      if (value[1].size === 0 && value[1].promisedUntil <= now) keys.delete(value[0])
    }
    const admissions = keys.get(key) ?? new Admissions()
    keys.set(key, admissions)
    admissions.add(now)
    if (isReserved) admissions.reserve(now)
    return admissions
  }

  function usage(charge: Charge, admissions: Admissions | undefined, now: number): Usage {
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
      const admissions = kept(window).keys.get(key)
      admissions?.forgetUntil(now - windowMs)
      return admissions
    })
    const ruleAt = charges.map((charge, index) => found[index]?.admitsAt(charge, now) ?? 0)
    const freeAt = ruleAt.map((time, index) => Math.max(time, found[index]?.promisedUntil ?? 0))
    const waitMs = Math.max(0, ...freeAt.map((time) => time - now))
    if (waitMs > 0) {
      // The wait that the client is told, in whole seconds, is kept. It moves only when reserved
      // slots that it did not count have become failures.
      // Store each window's own wait: a key may be shared with other callers.
      found.forEach((admissions, index) => {
        const time = ruleAt[index] as number
        if (admissions && time > Math.max(now, admissions.promisedUntil)) {
          admissions.promisedUntil = now + wholeSeconds(time - now) * 1000
        }
      })
    } else if (isCharging) {
      charges.forEach((charge, index) => (found[index] = admit(charge, now)))
    }
    let held = waitMs === 0 && isCharging ? charges.filter(({ isReserved }) => isReserved) : []
    return {
      waitMs,
      usages: charges.map((charge, index) => usage(charge, found[index], now)),
      settle(outcome) {
        for (const { window, key } of held) kept(window).keys.get(key)?.settle(now, outcome)
        held = []
      },
    }
  }

  return {
    take: (charges) => decide(charges, true),
    peek: (charges) => decide(charges, false),
    size: () => [...windows.values()].reduce((sum, { keys }) => sum + keys.size, 0),
  }
}

/** `Retry-After` of a wait: whole seconds, rounded up (RFC 9110 section 10.2.3), at least 1. */
export const wholeSeconds = (milliseconds: number): number =>
  Math.max(1, Math.ceil(milliseconds / 1000))

// The exact sliding window: at most `quota` admissions in any span (t - window, t], none forgotten,
// none refused that the rule admits, save to keep a Retry-After that was already promised.

import { Times } from '../times.ts'

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

/** The admissions of one key in one window. */
class Admissions extends Times {
  /** A Retry-After that was sent: nothing is admitted before it, so it stays true. */
  promisedUntil = 0

  /** When the window next admits one, by the rule alone; 0 if it does already. */
  admitsAt({ quota, windowMs }: Charge): number {
    return this.size < quota ? 0 : this.fromLast(quota) + windowMs
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

  function admit({ window, windowMs, key }: Charge, now: number): Admissions {
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
    return admissions
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
      const admissions = kept(window).keys.get(key)
      admissions?.forgetUntil(now - windowMs)
      return admissions
    })
    const freeAt = charges.map((charge, index) =>
      Math.max(found[index]?.admitsAt(charge) ?? 0, found[index]?.promisedUntil ?? 0),
    )
    const waitMs = Math.max(0, ...freeAt.map((time) => time - now))
    if (waitMs > 0) {
      // What is told to the client, in whole seconds, is what holds; said once, it is not moved.
      // Each window promises its own wait only, since others may be counted under one of the keys.
      found.forEach((admissions, index) => {
        const wait = (freeAt[index] as number) - now
        if (admissions && wait > 0 && admissions.promisedUntil <= now) {
          admissions.promisedUntil = now + wholeSeconds(wait) * 1000
        }
      })
    } else if (isCharging) {
      charges.forEach((charge, index) => (found[index] = admit(charge, now)))
    }
    let held = waitMs === 0 && isCharging ? charges : []
    return {
      waitMs,
      standings: charges.map((charge, index) => standing(charge, found[index], now)),
      giveBack(names) {
        const back = held.filter(({ window }) => names.includes(window))
        held = held.filter((charge) => !back.includes(charge))
        for (const { window, key } of back) kept(window).keys.get(key)?.remove(now)
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

// The exact sliding window: at most `quota` admissions in any span (t - window, t]. A request that
// the rule admits is refused only to keep a Retry-After that was already sent. Times are whole
// microseconds. Sums of fractions are inexact: a wait of 1000.0000001 ms would be told as two
// seconds.

/** At most `quota` admissions of a key in any span of `windowMs`. */
export type Limit = {
  /** Its name, which no other limit has. */
  readonly window: string
  readonly quota: number
  readonly windowMs: number
  /** The slot is reserved until {@link Decision.settle} says whether the attempt counts. */
  readonly isReserved?: boolean
}

/** A limit, and the key that a request is counted under. */
export type Charge = { limit: Limit; key: string }

/** State of a window for a key after the decision. */
export type Usage = { remaining: number; resetMs: number }

export type Decision = {
  /** 0 when all charges were admitted, else milliseconds until all of them would be. */
  waitMs: number
  usages: Usage[]
  /** Settles the reserved slots, once: counted from their reservation on, or free again. */
  settle(outcome: Settlement): void | Promise<void>
}

export type Settlement = 'counted' | 'free'

/**
 * The longest wait that reserved slots alone may cause: they may all be free a moment later, and
 * several valid logins from one address must not block each other for longer.
 */
const reservedWaitMicroseconds = microseconds(1000)

/** A reservation that is not settled by then counts: its process has crashed. */
const reservationMicrosecondsMax = microseconds(10_000)

/** Where windows are stored: in process here; in Redis or Valkey when instances share them. */
export interface WindowStore {
  /** How many limits it tells apart; any number if undefined. */
  readonly limitsMax?: number
  /** Checks all charges, then makes all or none of them. A refused request is not counted. */
  take(charges: readonly Charge[]): Decision | Promise<Decision>
  /** The same answer without charging anything. */
  peek(charges: readonly Charge[]): Decision | Promise<Decision>
  /**
   * Takes the first charges and, if they are admitted, the second ones: one question to a store
   * instead of two. A decision that was not asked for admits nothing.
   */
  takeBoth?(first: readonly Charge[], second: readonly Charge[]): Promise<BothDecisions>
}

export type BothDecisions = {
  first: Decision
  second: Decision
  /** Takes the second charges back as if they had not been made, once. */
  giveBack(): Promise<void>
}

/** The admissions of one key in one window: times in microseconds, in ascending order. */
class Admissions {
  readonly key: string
  /** End of the Retry-After that was sent. Nothing is admitted before it, so it stays true. */
  promisedUntil = 0
  private times: number[] = []
  /** Index of the oldest admission; those before it have expired. */
  private head = 0
  /** Times of reserved slots, which are among the admissions as well. */
  private reserved: number[] = []

  constructor(key: string) {
    this.key = key
  }

  get size(): number {
    return this.times.length - this.head
  }

  get oldest(): number | undefined {
    return this.times[this.head]
  }

  /**
   * When the window next admits one, by the rule alone; 0 if it does already. With a slot reserved
   * the rule may admit at any moment, so the wait is short, and a promised one is not moved.
   */
  admitsAt({ quota, windowMs }: Limit, now: number): number {
    if (this.size < quota) return 0
    const leavesAt = (this.times[this.times.length - quota] as number) + microseconds(windowMs)
    if (!this.reserved.some((time) => now - time < reservationMicrosecondsMax)) return leavesAt
    return Math.min(
      leavesAt,
      this.promisedUntil > now ? this.promisedUntil : now + reservedWaitMicroseconds,
    )
  }

  /**
   * Drops all up to and including `time`. The list is copied once half of it has expired: with each
   * entry it would cost more the more there are.
   */
  expire(time: number): void {
    while (this.size > 0 && (this.times[this.head] as number) <= time) this.head++
    if (this.reserved.length > 0) this.reserved = this.reserved.filter((each) => each > time)
    if (this.head === 0 || this.head < this.size) return
    this.times = this.times.slice(this.head)
    this.head = 0
  }

  add(time: number, isReserved = false): void {
    this.times.push(time)
    if (isReserved) this.reserved.push(time)
  }

  settle(time: number, outcome: Settlement): void {
    const slot = this.reserved.indexOf(time)
    if (slot === -1) return
    this.reserved.splice(slot, 1)
    const index = this.times.lastIndexOf(time)
    if (outcome === 'free' && index >= this.head) this.times.splice(index, 1)
  }
}

const sweptPerAdmission = 2

/**
 * The windows of one process, on a monotonic clock. Memory is bounded by time: each admission
 * checks two keys of its window and drops them if they are empty. A live key is never evicted, so
 * rotating keys cannot push one out.
 */
export function windowsInProcess(monotonic: () => number): WindowStore & { size(): number } {
  type State = { keys: Map<string, Admissions>; sweeper: MapIterator<Admissions> }
  const windows = new Map<string, State>()

  function findWindow(name: string): State {
    let state = windows.get(name)
    if (!state) {
      const keys = new Map<string, Admissions>()
      state = { keys, sweeper: keys.values() }
      windows.set(name, state)
    }
    return state
  }

  function admit({ limit, key }: Charge, now: number): Admissions {
    const { window, windowMs, isReserved } = limit
    const state = findWindow(window)
    const { keys } = state
    for (let turn = 0; turn < sweptPerAdmission; turn++) {
      const { done, value } = state.sweeper.next()
      if (done) {
        state.sweeper = keys.values()
        break
      }
      value.expire(now - microseconds(windowMs))
      if (value.size === 0 && value.promisedUntil <= now) keys.delete(value.key)
    }
    let admissions = keys.get(key)
    if (!admissions) keys.set(key, (admissions = new Admissions(key)))
    admissions.add(now, isReserved)
    return admissions
  }

  function decide(charges: readonly Charge[], isCharging: boolean): Decision {
    const now = microseconds(monotonic())
    let freeAt = now
    const found: (Admissions | undefined)[] = []
    for (const { limit, key } of charges) {
      const admissions = findWindow(limit.window).keys.get(key)
      found.push(admissions)
      if (!admissions) continue
      admissions.expire(now - microseconds(limit.windowMs))
      freeAt = Math.max(freeAt, admissions.admitsAt(limit, now), admissions.promisedUntil)
    }
    const waitMs = (freeAt - now) / 1000
    let reserved: Charge[] = []
    const usages: Usage[] = []
    // One loop for all: this runs twice for every request.
    for (const [index, charge] of charges.entries()) {
      const { limit } = charge
      if (waitMs > 0) keepWait(limit, found[index], now)
      else if (isCharging) {
        found[index] = admit(charge, now)
        if (limit.isReserved) reserved.push(charge)
      }
      usages.push(usage(limit, found[index], now))
    }
    return {
      waitMs,
      usages,
      settle(outcome) {
        for (const { limit, key } of reserved) {
          findWindow(limit.window).keys.get(key)?.settle(now, outcome)
        }
        reserved = []
      },
    }
  }

  return {
    take: (charges) => decide(charges, true),
    peek: (charges) => decide(charges, false),
    size: () => [...windows.values()].reduce((sum, { keys }) => sum + keys.size, 0),
  }
}

/**
 * The wait that the client is told, in whole seconds, is kept. It moves only when reserved slots
 * that it did not count have become failures. Each window stores its own wait: a key may be
 * shared with other callers.
 */
function keepWait(limit: Limit, admissions: Admissions | undefined, now: number): void {
  const time = admissions?.admitsAt(limit, now) ?? 0
  if (admissions && time > Math.max(now, admissions.promisedUntil)) {
    admissions.promisedUntil = now + microseconds(wholeSeconds((time - now) / 1000) * 1000)
  }
}

function usage({ quota, windowMs }: Limit, admissions: Admissions | undefined, now: number): Usage {
  const oldest = admissions?.oldest
  const duration = microseconds(windowMs)
  const free = oldest === undefined ? duration : oldest + duration - now
  const promised = (admissions?.promisedUntil ?? 0) - now
  return {
    remaining: promised > 0 ? 0 : Math.max(0, quota - (admissions?.size ?? 0)),
    resetMs: Math.max(free, promised) / 1000,
  }
}

/** Milliseconds as microseconds, rounded to a whole number. */
export function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000)
}

/** `Retry-After` of a wait: whole seconds, rounded up (RFC 9110 section 10.2.3), at least 1. */
export const wholeSeconds = (milliseconds: number): number =>
  Math.max(1, Math.ceil(milliseconds / 1000))

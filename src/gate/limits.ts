// The table of limits in force: classes of windows, what each is counted under, and the header
// fields that tell a client where it stands. Keyed by class and identity, never by path.
import type { LimitClass, LimitTable } from '../config.ts'
import { Refusal } from '../errors.ts'
import { type Charge, type Decision, type WindowStore, wholeSeconds } from './window.ts'

export type { LimitClass } from '../config.ts'

/** What was charged: the RateLimit header fields to send, and the way to take a charge back. */
export type Taken = {
  /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  headers(): Record<string, string>
  /** For an attempt that turned out not to count. */
  giveBack(...windows: string[]): void | Promise<void>
}

/** One key for all windows of the class, or a key by window name. */
export type Keys = string | Readonly<Record<string, string>>

export type Limits = {
  /** Charges every window of the class, or none and refuses with `rate_limited`. */
  take(name: LimitClass, keys: Keys): Taken | Promise<Taken>
  /** Refuses as `take` would, for the windows that have a key; charges nothing. */
  peek(name: LimitClass, keys: Keys): Taken | Promise<Taken>
}

export function limitsOf(table: LimitTable, store: WindowStore): Limits {
  const policies = new Map(
    Object.entries(table).map(([name, windows]) => [
      name,
      Object.entries(windows)
        .map(
          ([window, { quota, windowMs }]) => `"${window}";q=${quota};w=${wholeSeconds(windowMs)}`,
        )
        .join(', '),
    ]),
  )

  function chargesOf(name: LimitClass, keys: Keys): Charge[] {
    return Object.entries(table[name]).flatMap(([window, { quota, windowMs }]) => {
      const key = typeof keys === 'string' ? keys : keys[window]
      return key === undefined ? [] : [{ window: `${name}.${window}`, quota, windowMs, key }]
    })
  }

  function taken(name: LimitClass, charges: readonly Charge[], decision: Decision): Taken {
    const headers = () => ({
      'ratelimit-policy': policies.get(name) ?? '',
      ratelimit: charges
        .map(({ window }, index) => {
          const { remaining, resetMs } = decision.standings[index] ?? { remaining: 0, resetMs: 0 }
          const label = window.slice(name.length + 1)
          return `"${label}";r=${remaining};t=${wholeSeconds(resetMs)}`
        })
        .join(', '),
    })
    if (decision.waitMs > 0) {
      const retryAfter = wholeSeconds(decision.waitMs)
      throw new Refusal('rate_limited', { because: name, headers: headers(), retryAfter })
    }
    return {
      headers,
      giveBack: (...windows) => decision.giveBack(windows.map((window) => `${name}.${window}`)),
    }
  }

  function ask(verb: 'take' | 'peek', name: LimitClass, keys: Keys): Taken | Promise<Taken> {
    const charges = chargesOf(name, keys)
    const decision = store[verb](charges)
    return decision instanceof Promise
      ? decision.then((made) => taken(name, charges, made))
      : taken(name, charges, decision)
  }

  return {
    take: (name, keys) => ask('take', name, keys),
    peek: (name, keys) => ask('peek', name, keys),
  }
}

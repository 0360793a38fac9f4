// The table of limits in force: classes of windows, what each is counted under, and the header
// fields that tell a client where it stands. Keyed by class and identity, never by path.
import type { LimitClass, LimitTable } from '../config/config.ts'
import { Refusal } from '../domain/errors.ts'
import { type Decision, type WindowStore, wholeSeconds } from './window.ts'

export type { LimitClass } from '../config/config.ts'

/** What was charged: the RateLimit header fields to send, and the way to take a charge back. */
export type Charged = {
  /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  headers(): Record<string, string>
  /**
   * Runs an attempt whose slots are reserved: they are free again when it succeeds, and count as
   * failures from their reservation on when it throws.
   */
  judge<R>(attempt: () => Promise<R>): Promise<R>
}

/** A key by window name. */
export type Keys = Readonly<Record<string, string>>

/** With one key for all windows of the class, or a key by window name. */
type Ask = (name: LimitClass, keys: string | Keys) => Charged | Promise<Charged>

export type Limits = {
  /** Charges every window of the class, or none and refuses with `rate_limited`. */
  take: Ask
  /** Refuses as `take` would, for the windows that have a key; charges nothing. */
  peek: Ask
}

/** Windows that count failures alone: each attempt reserves its slot until it has been judged. */
const isOfFailures = (label: string): boolean => label.startsWith('failed')

export function createLimits(table: LimitTable, store: WindowStore): Limits {
  const classes = new Map(
    Object.entries(table).map(([name, windows]) => {
      const rows = Object.entries(windows).map(([label, { quota, windowMs }]) => ({
        label,
        window: `${name}.${label}`,
        quota,
        windowMs,
        isReserved: isOfFailures(label),
        policy: `"${label}";q=${quota};w=${wholeSeconds(windowMs)}`,
      }))
      return [name as LimitClass, { rows, policy: rows.map(({ policy }) => policy).join(', ') }]
    }),
  )

  function ask(verb: 'take' | 'peek', name: LimitClass, keys: string | Keys) {
    const { rows, policy } = classes.get(name) ?? { rows: [], policy: '' }
    const charged = typeof keys === 'string' ? rows : rows.filter(({ label }) => label in keys)
    const decision = store[verb](
      charged.map((row) => {
        return { ...row, key: typeof keys === 'string' ? keys : (keys[row.label] ?? '') }
      }),
    )
    const answer = (made: Decision) => charge(name, policy, charged, made)
    return decision instanceof Promise ? decision.then(answer) : answer(decision)
  }

  return {
    take: (name, keys) => ask('take', name, keys),
    peek: (name, keys) => ask('peek', name, keys),
  }
}

function charge(
  name: LimitClass,
  policy: string,
  charged: readonly { label: string }[],
  { waitMs, usages, settle }: Decision,
): Charged {
  const state = usages.map(({ remaining, resetMs }, index) => {
    return `"${charged[index]?.label}";r=${remaining};t=${wholeSeconds(resetMs)}`
  })
  const headers = (): Record<string, string> =>
    state.length === 0 ? {} : { 'ratelimit-policy': policy, ratelimit: state.join(', ') }
  if (waitMs > 0) {
    const retryAfter = wholeSeconds(waitMs)
    throw new Refusal('rate_limited', { because: name, headers: headers(), retryAfter })
  }
  return {
    headers,
    async judge(attempt) {
      const result = await attempt().catch(async (thrown: unknown) => {
        await settle('counted')
        throw thrown
      })
      await settle('free')
      return result
    },
  }
}

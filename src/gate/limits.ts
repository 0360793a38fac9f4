// The limits in force: which windows a request is counted in, and the header fields that tell a
// client what is left. Counted by class and identity, never by path.
import type { LimitClass, LimitKey, LimitTable, Window } from '../config/config.ts'
import { Refusal } from '../domain/errors.ts'
import {
  type Charge,
  type Decision,
  type Limit,
  type Usage,
  type WindowStore,
  wholeSeconds,
} from './window.ts'

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

/** Windows of a key that is undefined are not charged. */
export type Keys = Readonly<Partial<Record<LimitKey, string | undefined>>>

/** @param keys one key for all windows of the class; else only windows with a key are charged */
type Ask = (name: LimitClass, keys: string | Keys) => Charged | Promise<Charged>

export type Limits = {
  /** Charges every window of the class, or none and refuses with `rate_limited`. */
  take: Ask
  /** Refuses as `take` would, and charges nothing. */
  peek: Ask
  /**
   * Charges a key in every window of two classes, the second one only if the first one admits; a
   * refusal by the first one is thrown. Only where one question costs less than two.
   */
  takeBoth?: (first: [LimitClass, string], second: [LimitClass, string]) => Promise<ChargedBoth>
}

export type ChargedBoth = {
  first: Charged
  /** The charge of the second class; throws its refusal. */
  second(): Charged
  /** Undoes the charge of the second class. */
  giveBack(): Promise<void>
}

type Row = Limit & { label: string; countedUnder: LimitKey | undefined; policy: string }

const toRows = (name: string, windows: Readonly<Record<string, Window>>): Row[] =>
  Object.entries(windows).map(([label, { quota, windowMs, key, counts }]) => ({
    label,
    window: `${name}.${label}`,
    quota,
    windowMs,
    countedUnder: key,
    // Each attempt reserves its slot until its outcome is known.
    isReserved: counts === 'failures',
    policy: `"${label}";q=${quota};w=${wholeSeconds(windowMs)}`,
  }))

export function createLimits(table: LimitTable, store: WindowStore): Limits {
  const classes = Object.fromEntries(
    Object.entries(table).map(([name, windows]) => {
      const rows = toRows(name, windows)
      return [name, { rows, policy: rows.map(({ policy }) => policy).join(', ') }]
    }),
  ) as Record<LimitClass, { rows: Row[]; policy: string }>
  const count = Object.values(classes).flatMap(({ rows }) => rows).length
  const { limitsMax = Infinity } = store
  if (count > limitsMax) throw new Error(`The store tells ${limitsMax} windows apart, not ${count}`)

  const ask =
    (verb: 'take' | 'peek'): Ask =>
    (name, keys) => {
      const { rows, policy } = classes[name]
      const charges: (Charge & { limit: Row })[] = []
      for (const limit of rows) {
        const key = typeof keys === 'string' ? keys : limit.countedUnder && keys[limit.countedUnder]
        if (key !== undefined) charges.push({ limit, key })
      }
      const decision = store[verb](charges)
      const answer = (made: Decision) => toCharged(name, policy, charges, made)
      return decision instanceof Promise ? decision.then(answer) : answer(decision)
    }

  const toCharges = (name: LimitClass, key: string) =>
    classes[name].rows.map((limit) => ({ limit, key }))
  const { takeBoth } = store

  return {
    take: ask('take'),
    peek: ask('peek'),
    ...(takeBoth && {
      async takeBoth([name, key], [other, otherKey]) {
        const charges = toCharges(name, key)
        const others = toCharges(other, otherKey)
        const { first, second, giveBack } = await takeBoth(charges, others)
        return {
          first: toCharged(name, classes[name].policy, charges, first),
          second: () => toCharged(other, classes[other].policy, others, second),
          giveBack,
        }
      },
    }),
  }
}

/** The window that stays full for longest, among those that admit nothing. */
function fullWindow(charges: readonly { limit: Row }[], usages: readonly Usage[]): string {
  let [name, longestMs] = ['', -1]
  for (const [index, { remaining, resetMs }] of usages.entries()) {
    if (remaining > 0 || resetMs <= longestMs) continue
    name = charges[index]?.limit.window ?? ''
    longestMs = resetMs
  }
  return name
}

function toCharged(
  name: LimitClass,
  policy: string,
  charges: readonly { limit: Row }[],
  { waitMs, usages, settle }: Decision,
): Charged {
  const toState = ({ remaining, resetMs }: Usage, index: number) =>
    `"${charges[index]?.limit.label}";r=${remaining};t=${wholeSeconds(resetMs)}`
  const headers = (): Record<string, string> =>
    usages.length === 0
      ? {}
      : { 'ratelimit-policy': policy, ratelimit: usages.map(toState).join(', ') }
  if (waitMs > 0) {
    const retryAfter = wholeSeconds(waitMs)
    const window = fullWindow(charges, usages)
    throw new Refusal('rate_limited', { because: name, window, headers: headers(), retryAfter })
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

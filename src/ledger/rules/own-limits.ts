// What the owner of an account lets leave it. A lower limit holds at once, a higher one later.

/** In minor units; null: no limit. */
export type OwnLimits = { perPayment: bigint | null; perDay: bigint | null }

export const ownLimitColumns = {
  ownPerPayment: 'int8?',
  ownPerDay: 'int8?',
  nextPerPayment: 'int8?',
  nextPerDay: 'int8?',
  nextLimitsAt: 'timestamptz?',
} as const

export type StoredLimits = {
  ownPerPayment: bigint | null
  ownPerDay: bigint | null
  nextPerPayment: bigint | null
  nextPerDay: bigint | null
  nextLimitsAt: Date | null
}

/** Those that hold at that time, in milliseconds since the epoch. */
export const limitsAt = (stored: StoredLimits, at: number): OwnLimits =>
  stored.nextLimitsAt !== null && stored.nextLimitsAt.getTime() <= at
    ? { perPayment: stored.nextPerPayment, perDay: stored.nextPerDay }
    : { perPayment: stored.ownPerPayment, perDay: stored.ownPerDay }

/** Those that wait at that time; undefined: none do. */
export const waitingLimits = (
  { nextPerPayment, nextPerDay, nextLimitsAt }: StoredLimits,
  at: number,
): (OwnLimits & { from: Date }) | undefined =>
  nextLimitsAt === null || nextLimitsAt.getTime() <= at
    ? undefined
    : { perPayment: nextPerPayment, perDay: nextPerDay, from: nextLimitsAt }

/** The lower one, where null is none. */
export const lowerLimit = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || (other !== null && other < one) ? other : one

/** Whether the limit lets more leave than the other one. */
export const isHigher = (limit: bigint | null, other: bigint | null): boolean =>
  other !== null && (limit === null || limit > other)

/** How long a higher limit waits: its owner, told by mail, has that time to undo it. */
export const raiseWaitMs = 12 * 3_600_000

/**
 * What is stored when the owner wants these limits. What is lower holds at once; what is higher
 * waits. What waited before is replaced; the same limits again wait no longer than the first time.
 */
export function changeLimits(stored: StoredLimits, wanted: OwnLimits, at: number): StoredLimits {
  const now = limitsAt(stored, at)
  const isRaise = isHigher(wanted.perPayment, now.perPayment) || isHigher(wanted.perDay, now.perDay)
  const waiting = waitingLimits(stored, at)
  const isSame =
    waiting !== undefined &&
    waiting.perPayment === wanted.perPayment &&
    waiting.perDay === wanted.perDay
  const from = isSame ? waiting.from : new Date(at + raiseWaitMs)
  return {
    ownPerPayment: lowerLimit(wanted.perPayment, now.perPayment),
    ownPerDay: lowerLimit(wanted.perDay, now.perDay),
    nextPerPayment: isRaise ? wanted.perPayment : null,
    nextPerDay: isRaise ? wanted.perDay : null,
    nextLimitsAt: isRaise ? from : null,
  }
}

// Holds: amounts of an account that are reserved. What a movement does with one, whether it may,
// and what becomes of the hold and of its account. Pure but for new identifiers.
import type { RowOf } from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import type { PlainCode } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'

/** For a card payment that is still to come, for a court, or while a payment is disputed. */
export const holdKinds = ['authorization', 'seizure', 'dispute'] as const
export type HoldKind = (typeof holdKinds)[number]

export const holdStatuses = ['active', 'captured', 'released', 'expired'] as const
export type HoldStatus = (typeof holdStatuses)[number]

/** Amounts are in minor units. */
export const holdColumns = {
  id: 'uuid',
  accountId: 'uuid',
  cardId: 'uuid?',
  kind: 'text',
  currency: 'text',
  reference: 'text',
  callerId: 'uuid',
  createdAt: 'timestamptz',
  amount: 'int8',
  captured: 'int8',
  remaining: 'int8',
  status: 'text',
  expiresAt: 'timestamptz?',
  endedAt: 'timestamptz?',
} as const

/** `amount` may be captured in all; `remaining` is what is held now, nothing of one that ended. */
export type Hold = Omit<RowOf<typeof holdColumns>, 'kind' | 'status'> & {
  kind: HoldKind
  status: HoldStatus
}

/** A hold as the ledger moves it. */
export type CountedHold = Hold & {
  /** Of a card payment: what of it counts to the limit of that day. In minor units. */
  counted: bigint
  /** The day of the bank on which that was authorised, `2026-01-31`. Null of any other hold. */
  countedOn: string | null
}

/** What a movement does with a hold. */
export type HoldTerms =
  | {
      step: 'place'
      kind: HoldKind
      cardId: string | null
      /** Null: it stands until it ends otherwise. Undefined: as its kind has it. */
      expiresAt: Date | null | undefined
    }
  /** `amount` is the new one, `add` what comes to the present one. */
  | { step: 'change'; id: string; amount?: bigint; add?: bigint; expiresAt?: Date | null }
  | { step: 'release'; id: string }
  /** A final one gives back what it leaves. */
  | { step: 'capture'; id: string; isFinal: boolean }

/** What decides about a hold in its account, behind the lock. Changed as movements are decided. */
export type HeldAccount = {
  id: string
  kind: string
  currency: string
  status: 'active' | 'frozen' | 'closed'
  balance: bigint
  /** How far below zero the balance may go. */
  overdraftLimit: bigint
  /** What remains of its active holds. */
  held: bigint
  /** No active hold expires before then; null: none does. */
  heldUntil: Date | null
  activeHolds: number
}

/** The part of a movement that a hold is decided by. */
export type HoldMove = {
  hold: HoldTerms
  amount: bigint
  currency: string
  reference: string
  caller: { userId: string; operation?: string }
  /** Present of a card payment. */
  authorization?: object
}

type Place = Extract<HoldTerms, { step: 'place' }>
type Change = Extract<HoldTerms, { step: 'change' }>

/** No balance, no hold and no sum of a day leaves int8, which ends at 9.22e18. */
export const maxBalance = 9_000_000_000_000_000_000n

/** What may leave the account, frozen or not. */
export const freeOf = ({ balance, overdraftLimit, held }: HeldAccount): bigint =>
  balance + overdraftLimit - held

/** An active hold whose time is over is expired, whether or not that is written down yet. */
export const isOver = ({ status, expiresAt }: Hold, at: number): boolean =>
  status !== 'active' || (expiresAt !== null && expiresAt.getTime() <= at)

/** A program has no say in the holds of others, nor in the payments that others have sent. */
export const isOfOther = (
  { caller }: Pick<HoldMove, 'caller'>,
  { callerId }: Pick<Hold, 'callerId'>,
): boolean => caller.operation !== undefined && callerId !== caller.userId

const amountAfter = (hold: Hold, { amount, add = 0n }: Change): bigint =>
  (amount ?? hold.amount) + add

/** Why a hold is not placed, changed or released at that time; undefined: it is. */
export function refuseHold(
  movement: HoldMove,
  { from, hold, at }: { from: HeldAccount; hold: Hold | undefined; at: number },
): PlainCode | undefined {
  const { hold: terms, amount, currency } = movement
  if (terms.step === 'place') {
    if (from.kind !== 'customer' || from.status === 'closed') return 'not_found'
    const refusal = refuseMore(from, terms.kind, amount, currency)
    return refusal ?? (from.activeHolds < holdsMax[terms.kind] ? undefined : 'limit_exceeded')
  }
  if (!hold || hold.accountId !== from.id) return 'not_found'
  if (isOfOther(movement, hold)) return 'forbidden'
  if (isOver(hold, at)) return 'illegal_transition'
  if (terms.step !== 'change') return undefined
  const after = amountAfter(hold, terms)
  // Of one that was captured and raised again and again, its amount counts all that was taken.
  if (after <= hold.captured || after > maxBalance) return 'limit_exceeded'
  return after > hold.amount
    ? refuseMore(from, hold.kind, after - hold.amount, currency)
    : undefined
}

/**
 * Active holds of an account up to which one of the kind is placed. The last hundred are not for
 * programs that take payments by card: a court has room whatever those have placed.
 */
export const holdsMax: Record<HoldKind, number> = {
  authorization: 1000,
  dispute: 1100,
  seizure: 1100,
}

/** No card payment begins on a frozen account. A court, or a dispute, has money held there too. */
function refuseMore(
  from: HeldAccount,
  kind: HoldKind,
  more: bigint,
  currency: string,
): PlainCode | undefined {
  if (from.status === 'frozen' && kind === 'authorization') return 'account_frozen'
  if (from.currency !== currency) return 'currency_mismatch'
  return more > freeOf(from) ? 'insufficient_funds' : undefined
}

/** How long an authorization stands that names no end: what card schemes give a shop. */
const authorizationMs = 7 * dayMs

const expiryOf = ({ kind, expiresAt }: Place, at: number): Date | null => {
  if (expiresAt !== undefined) return expiresAt
  return kind === 'authorization' ? new Date(at + authorizationMs) : null
}

type Moved = {
  from: HeldAccount
  hold: CountedHold | undefined
  at: number
  /** The day of the bank. */
  day: string
}

/**
 * Places, changes or releases a hold in memory. It was not refused. What is authorised counts to
 * the day's limit of its card.
 */
export function moveHold(movement: HoldMove, { from, hold, at, day }: Moved): CountedHold {
  const { hold: terms, amount, reference, caller, authorization } = movement
  if (terms.step === 'place') {
    const placed: CountedHold = {
      id: newId(at),
      accountId: from.id,
      cardId: terms.cardId,
      kind: terms.kind,
      currency: from.currency,
      reference,
      callerId: caller.userId,
      createdAt: new Date(at),
      amount,
      captured: 0n,
      remaining: amount,
      status: 'active',
      expiresAt: expiryOf(terms, at),
      endedAt: null,
      ...(authorization ? { counted: amount, countedOn: day } : { counted: 0n, countedOn: null }),
    }
    return keepIn(from, 0n, placed)
  }
  const before = hold as CountedHold
  if (terms.step === 'change') {
    const after = amountAfter(before, terms)
    const { expiresAt = before.expiresAt } = terms
    const remaining = after - before.captured
    const already = before.countedOn === day ? before.counted : 0n
    const counts = authorization && { counted: already + amount, countedOn: day }
    const changed = { ...before, ...counts, amount: after, remaining, expiresAt }
    return keepIn(from, before.remaining, changed)
  }
  return keepIn(from, before.remaining, toEnded(before, 'released', at))
}

/** Takes a captured amount out of a hold in memory, beside the transfer. It was not refused. */
export function captureHold(
  { hold: terms, amount }: Pick<HoldMove, 'hold' | 'amount'>,
  { from, hold, at }: { from: HeldAccount; hold: CountedHold; at: number },
): CountedHold {
  const left = hold.remaining - amount
  const taken = { ...hold, captured: hold.captured + amount, remaining: left }
  const isLast = left === 0n || (terms.step === 'capture' && terms.isFinal)
  return keepIn(from, hold.remaining, isLast ? toEnded(taken, 'captured', at) : taken)
}

const toEnded = (hold: CountedHold, status: HoldStatus, at: number): CountedHold => ({
  ...hold,
  remaining: 0n,
  status,
  endedAt: new Date(at),
})

/**
 * Counts the hold in its account in place of what it held before. What it gives back counts to no
 * day's limit.
 */
function keepIn(from: HeldAccount, before: bigint, hold: CountedHold): CountedHold {
  from.held += hold.remaining - before
  if (before === 0n) from.activeHolds++
  if (hold.remaining === 0n) from.activeHolds--
  const { expiresAt } = hold
  if (from.held === 0n) from.heldUntil = null
  else if (hold.remaining > 0n && expiresAt && expiresAt < (from.heldUntil ?? lastTime)) {
    from.heldUntil = expiresAt
  }
  const kept = hold.captured + hold.remaining
  return hold.counted > kept ? { ...hold, counted: kept } : hold
}

const lastTime = new Date(8.64e15)

/**
 * What a hold reserves, as the trail keeps it:
 * `dispute of 12.00 EUR until 2026-03-01T00:00:00.000Z`.
 */
export const tellHoldTerms = ({
  kind,
  amount,
  currency,
  expiresAt,
}: Pick<Hold, 'kind' | 'amount' | 'currency' | 'expiresAt'>): string =>
  `${kind} of ${formatAmount(amount, currency as Currency)} ${currency}` +
  (expiresAt === null ? '' : ` until ${expiresAt.toISOString()}`)

/** What is noted of a hold that was changed, to answer the same again. */
export const noteChanged = ({ amount, captured, expiresAt }: Hold): string =>
  JSON.stringify([amount.toString(), captured.toString(), expiresAt])

/**
 * A hold as the answer to its movement showed it first, from the movement and the hold as it is
 * now: one that was released stays so.
 *
 * @param told of {@link noteChanged}
 */
export function asFirstAnswered(movement: HoldMove, hold: Hold, told: string | null): Hold {
  const { hold: terms, amount } = movement
  if (terms.step === 'change' && told !== null) {
    const [units, taken, end] = JSON.parse(told) as [string, string, string | null]
    const [whole, captured, expiresAt] = [BigInt(units), BigInt(taken), end && new Date(end)]
    const then = { amount: whole, captured, remaining: whole - captured }
    return { ...hold, ...then, expiresAt: expiresAt || null, status: 'active', endedAt: null }
  }
  if (terms.step !== 'place') return hold
  const expiresAt = expiryOf(terms, hold.createdAt.getTime())
  const first = { amount, captured: 0n, remaining: amount, expiresAt, endedAt: null }
  return { ...hold, ...first, status: 'active' }
}

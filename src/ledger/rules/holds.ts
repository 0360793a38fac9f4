// Holds: amounts of an account that are reserved. What a movement does with one, whether it may,
// and what becomes of the hold and of its account. Pure.
import { currencyText, type RowOf, wordOf } from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import type { PlainCode } from '../../domain/errors.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import { areDebitsBlocked, type StoredBlocks } from './blocks.ts'

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
  kind: wordOf(holdKinds),
  currency: currencyText,
  reference: 'text',
  callerId: 'uuid',
  createdAt: 'timestamptz',
  amount: 'int8',
  captured: 'int8',
  remaining: 'int8',
  status: wordOf(holdStatuses),
  expiresAt: 'timestamptz?',
  endedAt: 'timestamptz?',
} as const

/** `amount` may be captured in all; `remaining` is what is held now, nothing of one that ended. */
export type Hold = RowOf<typeof holdColumns>

/** A hold as the ledger moves it. */
export type CountedHold = Hold & {
  /** What of a card payment counts to the limit of that day. In minor units. */
  counted: bigint
  /** The day of the bank on which that was authorised, `2026-01-31`. Null of any other hold. */
  countedOn: string | null
}

export type PlaceTerms = {
  step: 'place'
  kind: HoldKind
  cardId: string | null
  /** Null: it stands until it ends otherwise. Undefined: as its kind has it. */
  expiresAt: Date | null | undefined
}
/** `amount` is the new one. */
type ChangeTerms = { step: 'change'; id: string; amount?: bigint; expiresAt?: Date | null }
type ReleaseTerms = { step: 'release'; id: string }
/** A final one gives back what it leaves. */
export type CaptureTerms = { step: 'capture'; id: string; isFinal: boolean }
/** What a movement does with a hold. */
export type HoldTerms = PlaceTerms | ChangeTerms | ReleaseTerms | CaptureTerms

/** What decides about a hold in its account, behind the lock. */
export type HeldAccount = StoredBlocks & {
  id: string
  kind: string
  currency: Currency
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

/** No balance, no hold and no sum of a day leaves int8, which ends at 9.22e18. */
export const maxBalance = 9_000_000_000_000_000_000n

/** What may leave the account, frozen or not. */
export const freeOf = ({ balance, overdraftLimit, held }: HeldAccount): bigint =>
  balance + overdraftLimit - held

/** An active hold whose time is over is expired, whether or not that is written down yet. */
export const isOver = ({ status, expiresAt }: Hold, at: number): boolean =>
  status !== 'active' || (expiresAt !== null && expiresAt.getTime() <= at)

type AskedOfHold = { caller: { userId: string; operation?: string }; currency: Currency }

/** A program has no say in the holds of others, nor in the payments that others have sent. */
export const isOfOther = (
  { caller }: Pick<AskedOfHold, 'caller'>,
  { callerId }: Pick<Hold, 'callerId'>,
): boolean => caller.operation !== undefined && callerId !== caller.userId

/** Why a hold of the kind is not placed; undefined: it is. */
export function refusePlacing(
  kind: HoldKind,
  { amount, currency }: { amount: bigint; currency: Currency },
  from: HeldAccount,
  at: number,
): PlainCode | undefined {
  if (from.kind !== 'customer' || from.status === 'closed') return 'not_found'
  const refusal = refuseMore({ from, at }, kind, amount, currency)
  return refusal ?? (from.activeHolds < holdsMax[kind] ? undefined : 'limit_exceeded')
}

/**
 * Why a hold is not changed or released at that time; undefined: it is.
 *
 * @param more what comes to its amount
 */
export function refuseChange(
  movement: AskedOfHold,
  { from, hold, at }: { from: HeldAccount; hold: Hold | undefined; at: number },
  more: bigint,
): PlainCode | undefined {
  if (!hold || hold.accountId !== from.id) return 'not_found'
  if (isOfOther(movement, hold)) return 'forbidden'
  if (isOver(hold, at)) return 'illegal_transition'
  const after = hold.amount + more
  // The amount counts all that was taken, however often the hold was captured and raised.
  if (after <= hold.captured || after > maxBalance) return 'limit_exceeded'
  return more > 0n ? refuseMore({ from, at }, hold.kind, more, movement.currency) : undefined
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

/**
 * No card payment begins on a frozen account, nor on one whose debits are blocked. A court, or a
 * dispute, has money held there too.
 */
function refuseMore(
  { from, at }: { from: HeldAccount; at: number },
  kind: HoldKind,
  more: bigint,
  currency: Currency,
): PlainCode | undefined {
  if (from.status === 'frozen' && kind === 'authorization') return 'account_frozen'
  if (kind === 'authorization' && areDebitsBlocked(from, at)) return 'debits_blocked'
  if (from.currency !== currency) return 'currency_mismatch'
  return more > freeOf(from) ? 'insufficient_funds' : undefined
}

/** How long an authorization stands that names no end: what card schemes give a shop. */
const authorizationMs = 7 * dayMs

const expiryOf = (
  { kind, expiresAt }: Pick<PlaceTerms, 'kind' | 'expiresAt'>,
  at: number,
): Date | null => {
  if (expiresAt !== undefined) return expiresAt
  return kind === 'authorization' ? new Date(at + authorizationMs) : null
}

/** A hold and its account as a movement leaves them. */
export type Held<A extends HeldAccount> = { hold: CountedHold; from: A }

/** What is authorised counts to the day's limit of its card: `countedOn` is that day. */
type NewHold = Pick<Hold, 'id' | 'cardId' | 'reference' | 'callerId' | 'amount'> &
  Pick<PlaceTerms, 'kind' | 'expiresAt'> & { countedOn: string | null }

export const placeHold = <A extends HeldAccount>(from: A, placed: NewHold, at: number): Held<A> =>
  keepIn(from, 0n, {
    ...placed,
    accountId: from.id,
    currency: from.currency,
    createdAt: new Date(at),
    captured: 0n,
    remaining: placed.amount,
    status: 'active',
    expiresAt: expiryOf(placed, at),
    endedAt: null,
    counted: placed.countedOn === null ? 0n : placed.amount,
  })

export const changeHold = <A extends HeldAccount>(
  { hold, from }: Held<A>,
  { amount = hold.amount, expiresAt = hold.expiresAt }: Omit<ChangeTerms, 'step' | 'id'>,
): Held<A> =>
  keepIn(from, hold.remaining, { ...hold, amount, remaining: amount - hold.captured, expiresAt })

/** Raises the hold of a card payment: what is added counts to that day. */
export const raiseHold = <A extends HeldAccount>(
  { hold, from }: Held<A>,
  more: bigint,
  day: string,
): Held<A> => {
  const counted = more + (hold.countedOn === day ? hold.counted : 0n)
  const raised = { ...hold, counted, countedOn: day }
  return changeHold({ hold: raised, from }, { amount: hold.amount + more })
}

export const releaseHold = <A extends HeldAccount>({ hold, from }: Held<A>, at: number): Held<A> =>
  keepIn(from, hold.remaining, toEnded(hold, 'released', at))

/**
 * Takes a captured amount out of a hold, beside the transfer: of one that has ended, or has less,
 * what there is.
 */
export function captureHold<A extends HeldAccount>(
  { hold, from }: Held<A>,
  { isFinal, amount }: { isFinal: boolean; amount: bigint },
  at: number,
): Held<A> & { unheld: bigint } {
  const unheld = amount > hold.remaining ? amount - hold.remaining : 0n
  const left = hold.remaining - (amount - unheld)
  const taken = { ...hold, captured: hold.captured + amount, remaining: left }
  if (hold.status !== 'active') return { hold: taken, from, unheld: amount }
  const isLast = left === 0n || isFinal
  const after = keepIn(from, hold.remaining, isLast ? toEnded(taken, 'captured', at) : taken)
  return { ...after, unheld }
}

/** A hold as its expiry has left it, where that is due at that time and the row was read before. */
export const asExpired = (hold: CountedHold, at: number): CountedHold =>
  hold.status === 'active' && hold.expiresAt !== null && isOver(hold, at)
    ? {
        ...toEnded(hold, 'expired', hold.expiresAt.getTime()),
        counted: hold.counted > hold.captured ? hold.captured : hold.counted,
      }
    : hold

/** Whether it is in unarranged overdraft. */
export const isLacking = (account: HeldAccount): boolean =>
  account.kind === 'customer' && freeOf(account) < 0n

/** The account with what a movement that no account stops leaves lacking. */
export const withUnarranged = <A extends HeldAccount>(
  from: A,
  since: Date,
): A & { unarranged?: { amount: bigint; since: Date } } => {
  return isLacking(from) ? { ...from, unarranged: { amount: -freeOf(from), since } } : from
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
function keepIn<A extends HeldAccount>(from: A, before: bigint, hold: CountedHold): Held<A> {
  const { remaining, expiresAt, captured, counted } = hold
  const held = from.held + remaining - before
  const isNext = remaining > 0n && expiresAt && expiresAt < (from.heldUntil ?? lastTime)
  const activeHolds = from.activeHolds + (before === 0n ? 1 : 0) - (remaining === 0n ? 1 : 0)
  const heldUntil = held === 0n ? null : isNext ? expiresAt : from.heldUntil
  const kept = captured + remaining
  return {
    from: { ...from, held, activeHolds, heldUntil },
    hold: counted > kept ? { ...hold, counted: kept } : hold,
  }
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
  `${kind} of ${formatAmount(amount, currency)} ${currency}` +
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
export function asFirstAnswered(
  { hold: terms, amount }: { hold: HoldTerms; amount: bigint },
  hold: Hold,
  told: string | null,
): Hold {
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

/** How much counts to that day of what left an account by transfers, or was paid by a card. */
export const spentOn = (of: { spentOn: string | null; spentAmount: bigint }, day: string): bigint =>
  of.spentOn === day ? of.spentAmount : 0n

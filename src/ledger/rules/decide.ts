// Decides whether a movement may take effect, given its accounts under their locks. Pure: without a
// clock or a database. All refusals are in one table, in order of precedence.
import type { Code, PlainCode } from '../../domain/errors.ts'
import {
  freeOf,
  type HeldAccount,
  type Hold,
  isOfOther,
  isOver,
  maxBalance,
  refuseHold,
} from './holds.ts'
import type { BankCode } from './internal-accounts.ts'
import {
  isBack,
  isCapture,
  isOfCard,
  type Kind,
  type LockedTransfer,
  type Movement,
} from './movement.ts'

/** An account as the lock found it, changed by the movements before in the same batch. */
export type Account = HeldAccount & {
  kind: 'customer' | BankCode | 'further'
  ownerId: string | null
  /** How much may leave by transfers on a day of the bank; null: no limit. */
  dailyTransferLimit: bigint | null
  /** The day of the last transfer, and how much left on it. */
  spentOn: string | null
  spentAmount: bigint
}

/** A beneficiary, whose account is locked. */
export type Beneficiary = {
  accountId: string
  status: 'active' | 'deactivated' | 'deleted'
  /** Added after its owner's last login without a second factor: 24 hours after that login. */
  coolsUntil?: Date | null
}

export type Facts = {
  from: Account | undefined
  to: Account | undefined
  /** The transfer that the movement brings back or settles. */
  original:
    | Pick<LockedTransfer, 'kind' | 'status' | 'reversedBy' | 'callerId' | 'claimedBy' | 'isErased'>
    | undefined
  /** The beneficiary that the movement names. */
  beneficiary?: Beneficiary | undefined
  /** The hold that the movement is about. */
  hold?: Hold | undefined
  /** The card payment that the hold is, and what came back of it before. */
  payment?: { refunded: bigint } | undefined
  /** The card that a hold is placed for. */
  card?: { status: string } | undefined
  /** When the movement is posted, milliseconds since the epoch. */
  at: number
  /** The day of the bank that the movement is posted on, `2026-01-31`. */
  day: string
}

type Known = Facts & { from: Account; to: Account }
type Check = (movement: Movement, known: Known) => boolean

const checks: readonly (readonly [refusal: PlainCode, isBroken: Check])[] = [
  ['forbidden', isForeign],
  ['not_found', isWrongSide],
  ['illegal_transition', cannotBeUndone],
  [
    'illegal_transition',
    (movement, { hold, at }) => isCapture(movement) && (!hold || isOver(hold, at)),
  ],
  ['illegal_transition', (movement, facts) => refuseBesideCard(movement, facts) !== undefined],
  ['already_reversed', (_, { original }) => (original?.reversedBy ?? null) !== null],
  ['account_closed', (_, { from, to }) => from.status === 'closed' || to.status === 'closed'],
  ['account_frozen', (_, { from }) => from.status === 'frozen'],
  ['beneficiary_inactive', isInactive],
  ['beneficiary_cooling', isCooling],
  ['currency_mismatch', ({ currency }, { hold }) => (hold?.currency ?? currency) !== currency],
  ['currency_mismatch', ({ currency }, { from }) => from.currency !== currency],
  ['currency_mismatch', ({ currency }, { to }) => to.currency !== currency],
  ['invalid_request', (_, { from, to }) => from.id === to.id],
  ['invalid_request', ({ amount }) => amount <= 0n],
  ['limit_exceeded', isAboveHold],
  ['insufficient_funds', isBelowFloor],
  ['limit_exceeded', isAboveDailyLimit],
  ['limit_exceeded', ({ amount }, { from, to }) => isTooFar(from, -amount) || isTooFar(to, amount)],
]

/** The first refusal of the table, or undefined: then the movement must succeed. */
export function decide(movement: Movement, facts: Facts): PlainCode | undefined {
  const { from, to, original } = facts
  if (!from || !to) return movement.kind === 'transfer' ? 'forbidden' : 'not_found'
  const known = { ...facts, from, to }
  const { hold } = movement
  if (movement.kind === 'hold') {
    if (!hold) return 'not_found'
    const refusal = refuseHold({ ...movement, hold }, { ...known, hold: facts.hold })
    return refusal ?? refuseBesideCard(movement, facts)
  }
  if (movement.kind === 'settlement' || movement.kind === 'sending') {
    if (isForeign(movement, known)) return 'forbidden'
    const isNext =
      original?.status === 'pending' ||
      (original?.status === 'sent' && movement.kind === 'settlement')
    return isNext ? undefined : 'illegal_transition'
  }
  return checks.find(([, isBroken]) => isBroken(movement, known))?.[0]
}

/**
 * Whether the payee's account is the reason of the refusal: it is closed, of another currency,
 * full, or belongs to a person behind the caller.
 */
export const isOfPayee = (code: Code): boolean =>
  ['account_closed', 'currency_mismatch', 'limit_exceeded', 'forbidden'].includes(code)

const isOfOthersHold: Check = (movement, { hold }) =>
  hold !== undefined && isOfOther(movement, hold)
const isSentByOther: Check = (movement, { original }) =>
  isOfOther(movement, { callerId: original?.claimedBy ?? movement.caller.userId })
/** The role or the grant is all that staff need. */
const isOfStaff: Check = () => false

/** By kind, whether what is moved is not the caller's. */
const isOfOthers = {
  transfer({ caller, beneficiaryId }, { from, to, beneficiary }) {
    // A service account pays for the owner of the account; its grant names the account.
    const payerId = caller.operation === undefined ? caller.userId : from.ownerId
    if (payerId === null || from.ownerId !== payerId) return true
    if (beneficiaryId !== undefined) return beneficiary?.accountId !== from.id
    return to.ownerId !== payerId
  },
  // Only the owner cancels. A service account cancels only what it ordered.
  cancellation({ caller }, { to, original }) {
    const ordered = caller.operation === undefined ? to.ownerId : original?.callerId
    return ordered !== caller.userId
  },
  capture: isOfOthersHold,
  card: isOfOthersHold,
  refund: isOfOthersHold,
  return: (movement, known) => known.from.kind !== 'suspense' && isSentByOther(movement, known),
  settlement: isSentByOther,
  sending: isOfStaff,
  deposit: isOfStaff,
  withdrawal: isOfStaff,
  reversal: isOfStaff,
  incoming: isOfStaff,
  fee: isOfStaff,
  interest: isOfStaff,
  correction: isOfStaff,
} as const satisfies Record<Exclude<Movement['kind'], 'hold'>, Check>

/** The gate has checked ownership too; only here it is checked under the locks. */
function isForeign(movement: Movement, known: Known): boolean {
  const { kind, notOf } = movement
  const { from, to } = known
  if (notOf?.some((id) => id === from.ownerId || id === to.ownerId)) return true
  return kind !== 'hold' && isOfOthers[kind](movement, known)
}

const isHoldElsewhere: Check = (_, { from, to, hold }) =>
  hold?.accountId !== from.id || to.kind === 'customer'
const hasCustomersAlone: Check = (_, { from, to }) =>
  from.kind === 'customer' && to.kind === 'customer'
/** The accounts are those of the transfer that is brought back. */
const takesThoseOfOriginal: Check = () => false

/** By kind, whether a side of the movement is none that such a movement has. */
const isWrong = {
  transfer(movement, { to, beneficiary }) {
    const isElsewhere = (movement.counterparty?.iban ?? null) !== null
    return beneficiary?.status === 'deleted' || to.kind !== (isElsewhere ? 'clearing' : 'customer')
  },
  deposit: (_, { to }) => to.kind !== 'customer',
  withdrawal: (_, { from }) => from.kind !== 'customer',
  capture: isHoldElsewhere,
  card: isHoldElsewhere,
  return: (_, { from, to }) => from.kind === 'suspense' && to.kind !== 'clearing',
  refund({ suspenseId }, { from, to, hold, payment }) {
    const isOther = hold?.accountId !== to.id && to.id !== suspenseId
    return from.kind !== 'clearing' || isOther || payment === undefined
  },
  incoming: ({ suspenseId }, { from, to }) =>
    from.kind !== 'clearing' || (to.kind !== 'customer' && to.id !== suspenseId),
  reversal: takesThoseOfOriginal,
  cancellation: takesThoseOfOriginal,
  fee: hasCustomersAlone,
  interest: hasCustomersAlone,
  correction: hasCustomersAlone,
} as const satisfies Record<Kind, Check>

/**
 * An account of the bank is a side of a movement only where its kind says so, and no money goes to
 * a deleted beneficiary.
 */
function isWrongSide(movement: Movement, known: Known): boolean {
  return isWrong[movement.kind as Kind](movement, known)
}

/** It may have been deactivated since the request was admitted. */
function isInactive({ kind, beneficiaryId }: Movement, { beneficiary }: Known): boolean {
  return kind === 'transfer' && beneficiaryId !== undefined && beneficiary?.status !== 'active'
}

/** For a day after a recovery, the owner's accounts pay no beneficiary that was added since. */
function isCooling({ kind }: Movement, { beneficiary, at }: Known): boolean {
  return kind === 'transfer' && at < (beneficiary?.coolsUntil?.getTime() ?? 0)
}

/**
 * Only a completed transfer is reversed. Not reversed are transfers that bring money back, those of
 * a card, which are refunded, and those whose texts were erased. A payment to another bank is
 * cancelled before it is sent, and returned until its money is back. Money from another bank is
 * returned out of suspense, and that return comes back as a payment does.
 */
function cannotBeUndone({ kind }: Movement, { original, from }: Known): boolean {
  if (!isBack(kind)) return false
  if (original === undefined) return true
  const { status } = original
  if (kind === 'reversal') {
    const isOver = isBack(original.kind) || isOfCard(original.kind) || original.isErased
    return status !== 'completed' || isOver
  }
  if (kind === 'cancellation') return status !== 'pending'
  if (from.kind === 'suspense') return original.kind !== 'incoming'
  const isElsewhere = original.kind === 'transfer' || original.kind === 'return'
  const isOpen = status === 'pending' || status === 'sent' || status === 'completed'
  return from.kind !== 'clearing' || !isElsewhere || !isOpen
}

/**
 * Movements of a processor are judged by `declineCard`, other movements for a card here. A card
 * payment is captured and raised by its own routes alone: another capture could be reversed and
 * refunded.
 */
function refuseBesideCard(
  movement: Movement,
  { hold, payment, card }: Facts,
): PlainCode | undefined {
  const { kind, hold: terms, authorization } = movement
  if (authorization || !terms) return undefined
  if (terms.step === 'place') {
    if (terms.kind !== 'authorization' || !card || card.status === 'active') return undefined
    return card.status === 'cancelled' ? 'card_cancelled' : 'illegal_transition'
  }
  if (!hold || !payment) return undefined
  const isRaised = terms.step === 'change' && (terms.amount ?? 0n) > hold.amount
  return kind === 'capture' || isRaised ? 'illegal_transition' : undefined
}

/** More than is held, or a refund of more than was captured and has not come back. */
function isAboveHold(movement: Movement, { hold, payment }: Known): boolean {
  const { kind, amount } = movement
  if (hold === undefined) return false
  if (isCapture(movement)) return amount > hold.remaining
  return kind === 'refund' && amount > hold.captured - (payment?.refunded ?? 0n)
}

/**
 * Accounts of the bank have no floor: their balances are the negative of the customers' money. A
 * captured amount was held before.
 */
function isBelowFloor(movement: Movement, { from }: Known): boolean {
  return from.kind === 'customer' && !isCapture(movement) && movement.amount > freeOf(from)
}

/** Only transfers of the owner count, not what staff withdraw or reverse. */
export function isAboveDailyLimit(
  { kind, amount }: Movement,
  { from, day }: Pick<Known, 'from' | 'day'>,
): boolean {
  if (kind !== 'transfer' || from.dailyTransferLimit === null) return false
  return spentOn(from, day) + amount > from.dailyTransferLimit
}

function isTooFar({ balance }: Account, change: bigint): boolean {
  const after = balance + change
  return after > maxBalance || after < -maxBalance
}

/** How much has left the account by transfers on that day, or counts to the limit of a card. */
export const spentOn = (of: Pick<Account, 'spentOn' | 'spentAmount'>, day: string): bigint =>
  of.spentOn === day ? of.spentAmount : 0n

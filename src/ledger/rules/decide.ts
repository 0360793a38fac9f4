// Decides whether a movement may take effect, given its accounts under their locks. Pure: without a
// clock or a database. All refusals are in one table, in order of precedence.
import type { Code, PlainCode } from '../../domain/errors.ts'
import { areCreditsBlocked, areDebitsBlocked } from './blocks.ts'
import {
  freeOf,
  type HeldAccount,
  type Hold,
  isOfOther,
  isOver,
  maxBalance,
  refuseChange,
  refusePlacing,
  spentOn,
} from './holds.ts'
import type { BankCode } from './internal-accounts.ts'
import type { MemberLimits } from './members.ts'
import { limitsAt, lowerLimit, type StoredLimits } from './own-limits.ts'
import { signaturesNeeded, type StoredSignatures } from './signatures.ts'
import {
  isBack,
  isCaptureKind,
  isForced,
  isOfCard,
  type Kind,
  type LockedTransfer,
  mayGoElsewhere,
  type MoneyMovement,
  type Movement,
  type MovementOf,
  passesBlocks,
  type ReserveMovement,
  type Status,
  type StepMovement,
} from './movement.ts'

/** An account as the lock found it, or as the movements before in the same batch left it. */
export type Account = HeldAccount &
  StoredLimits &
  StoredSignatures & {
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

/** What came back of a card payment, and what may be captured above its hold, in percent. */
export type CardMoney = {
  refunded: bigint
  /** By chargebacks that are open or won. */
  chargedBack: bigint
  /** Chargebacks that were won: none of them is taken back. */
  wonIds: readonly (string | null)[]
  tolerance: number
}

export type Facts = {
  from: Account
  to: Account
  /** The transfer that the movement brings back or settles. */
  original?:
    | Pick<
        LockedTransfer,
        'kind' | 'status' | 'reversedBy' | 'callerId' | 'claimedBy' | 'isErased' | 'toAccountId'
      >
    | undefined
  /** The beneficiary that the movement names. */
  beneficiary?: Beneficiary | undefined
  /** The hold that the movement is about. */
  hold?: Hold | undefined
  /** The card payment that the hold is, and what came back of it before. */
  payment?: CardMoney | undefined
  /** The card that a hold is placed for. */
  card?: { status: string } | undefined
  /** The people that have signed the payment; one if it is no draft. */
  signatures?: number
  /** Those of the member that makes the movement. */
  member?: MemberLimits | undefined
  /** When the movement is posted, milliseconds since the epoch. */
  at: number
  /** The day of the bank that the movement is posted on, `2026-01-31`. */
  day: string
}

/** What each kind asks of its accounts, its caller and of what it is about. */
type Rule<M> = {
  /** The gate has checked ownership too; only here it is checked under the locks. */
  isForeign?(movement: M, facts: Facts): boolean
  /** An account of the bank is a side of a movement only where its kind says so. */
  isWrongSide?(movement: M, facts: Facts): boolean
  /** What it is about is not in the state for that. */
  isTooLate?(movement: M, facts: Facts): boolean
  /** More than is held, or what comes back is more than was captured and has not come back. */
  isAboveHold?(movement: M, facts: Facts): boolean
}

const postingRule: Rule<MoneyMovement> = {
  isWrongSide: (_, { from, to }) => from.kind === 'customer' && to.kind === 'customer',
}

const captureRule: Rule<MovementOf<'capture' | 'card'>> = {
  isForeign: (movement, { hold }) => hold !== undefined && isOfOther(movement, hold),
  isWrongSide: (_, { hold, from, to }) => hold?.accountId !== from.id || to.kind === 'customer',
  isTooLate: (_, { hold, at }) => !hold || isOver(hold, at),
  isAboveHold: ({ amount }, { hold }) => amount > (hold?.remaining ?? 0n),
}

/** Money that comes back of a card payment: in all at most what was captured of it. */
const cardBackRule: Rule<MovementOf<'refund' | 'chargeback'>> = {
  isForeign: (movement, { hold }) => hold !== undefined && isOfOther(movement, hold),
  isWrongSide({ suspenseId }, { hold, payment, from, to }) {
    const isOther = hold?.accountId !== to.id && to.id !== suspenseId
    return from.kind !== 'clearing' || isOther || payment === undefined
  },
  isAboveHold: ({ amount }, { hold, payment }) =>
    amount > (hold?.captured ?? 0n) - (payment?.refunded ?? 0n) - (payment?.chargedBack ?? 0n),
}

const rules: { [K in Kind]: Rule<MovementOf<K>> } = {
  transfer: {
    isForeign({ caller, beneficiaryId, draft }, { from, to, beneficiary }) {
      // A service account pays for the owner of the account; its grant names the account. So does
      // one that signs a draft, which is judged by that.
      const isForOwner = caller.operation !== undefined || draft !== undefined
      const payerId = isForOwner ? from.ownerId : payerOf(caller)
      if (payerId === null || from.ownerId !== payerId) return true
      return beneficiaryId === undefined
        ? to.ownerId !== payerId
        : beneficiary?.accountId !== from.id
    },
    // No money goes to a deleted beneficiary.
    isWrongSide({ counterparty }, { to, beneficiary }) {
      const isElsewhere = (counterparty?.iban ?? null) !== null
      return (
        beneficiary?.status === 'deleted' || to.kind !== (isElsewhere ? 'clearing' : 'customer')
      )
    },
  },
  deposit: { isWrongSide: (_, { to }) => to.kind !== 'customer' },
  withdrawal: { isWrongSide: (_, { from }) => from.kind !== 'customer' },
  incoming: {
    isWrongSide: ({ suspenseId }, { from, to }) =>
      from.kind !== 'clearing' || (to.kind !== 'customer' && to.id !== suspenseId),
  },
  fee: postingRule,
  interest: postingRule,
  correction: postingRule,
  // Neither what brings money back nor a payment by card, which is refunded, nor one whose texts
  // were erased.
  reversal: {
    isTooLate: (_, { original }) =>
      original?.status !== 'completed' ||
      isBack(original.kind) ||
      isOfCard(original.kind) ||
      original.isErased,
  },
  // Only the owner cancels. A service account and a member cancel only what they ordered.
  cancellation: {
    isForeign({ caller }, { to, original }) {
      if (caller.operation === undefined && to.ownerId !== payerOf(caller)) return true
      const isOwner = caller.operation === undefined && caller.memberFor === undefined
      return !isOwner && original?.callerId !== caller.userId
    },
    isTooLate: (_, { original }) => original?.status !== 'pending',
  },
  // A payment to another bank comes back until its money is back. Money from another bank is sent
  // back out of suspense, and that comes back as a payment does.
  return: {
    isForeign: (movement, facts) =>
      facts.from.kind !== 'suspense' && isClaimedByOther(movement, facts),
    isWrongSide: (_, { from, to }) => from.kind === 'suspense' && to.kind !== 'clearing',
    isTooLate(_, { original, from }) {
      if (from.kind === 'suspense') return original?.kind !== 'incoming'
      const isOpen = ['pending', 'sent', 'completed'].includes(original?.status ?? '')
      return from.kind !== 'clearing' || !isOpen || !mayGoElsewhere(original?.kind ?? '')
    },
  },
  // A card payment is captured by its own route alone: another capture could be reversed.
  capture: {
    ...captureRule,
    isTooLate: (_, { hold, payment, at }) => !hold || isOver(hold, at) || payment !== undefined,
  },
  // It may take more by what its authorisation allows, such as a tip.
  card: {
    ...captureRule,
    isAboveHold: ({ amount }, { hold, payment }) =>
      amount > (hold ? hold.remaining + toleranceOf(hold, payment?.tolerance) : 0n),
  },
  clearing: {
    isForeign: (movement, { hold }) => hold !== undefined && isOfOther(movement, hold),
    isWrongSide({ paymentId, cleared, suspenseId }, { hold, payment, from, to }) {
      const isUnknown = paymentId !== undefined && (!payment || hold?.cardId !== cleared.cardId)
      const isNobodys = from.kind !== 'customer' && from.id !== suspenseId
      return isUnknown || isNobodys || to.kind !== 'clearing'
    },
    isAboveHold: ({ amount }, { hold }) => (hold?.captured ?? 0n) + amount > maxBalance,
  },
  refund: cardBackRule,
  chargeback: cardBackRule,
  // It has one end, and is taken back from where its money was booked.
  takeback: {
    isForeign: (movement, { hold }) => hold !== undefined && isOfOther(movement, hold),
    isWrongSide({ suspenseId }, { original, payment, from, to }) {
      const isOther = from.id !== original?.toAccountId && from.id !== suspenseId
      return to.kind !== 'clearing' || isOther || !payment || original?.kind !== 'chargeback'
    },
    isTooLate: ({ originalId }, { payment }) => payment?.wonIds.includes(originalId) === true,
  },
}

/** Whose money a person moves. Whether a member may is judged before: `refuseMember`. */
const payerOf = ({ userId, memberFor }: Movement['caller']): string => memberFor ?? userId

const toleranceOf = ({ amount }: Hold, percent = 0): bigint => (amount * BigInt(percent)) / 100n

type Check = readonly [
  refusal: PlainCode,
  isBroken: (movement: MoneyMovement, facts: Facts, rule: Rule<MoneyMovement>) => boolean,
]

const checks: readonly Check[] = [
  ['forbidden', isForeign],
  ['not_found', (movement, facts, rule) => rule.isWrongSide?.(movement, facts) === true],
  ['illegal_transition', (movement, facts, rule) => rule.isTooLate?.(movement, facts) === true],
  ['already_reversed', (_, { original }) => (original?.reversedBy ?? null) !== null],
  ['account_closed', (_, { from, to }) => from.status === 'closed' || to.status === 'closed'],
  ['account_frozen', ({ kind }, { from }) => from.status === 'frozen' && !isForced(kind)],
  ['debits_blocked', ({ kind }, { from, at }) => !passesBlocks(kind) && areDebitsBlocked(from, at)],
  ['credits_blocked', ({ kind }, { to, at }) => !passesBlocks(kind) && areCreditsBlocked(to, at)],
  // It may have been deactivated since the request was admitted.
  ['beneficiary_inactive', (_, { beneficiary }) => (beneficiary?.status ?? 'active') !== 'active'],
  // For a day after a recovery, the owner's accounts pay no beneficiary that was added since.
  [
    'beneficiary_cooling',
    (_, { beneficiary, at }) => at < (beneficiary?.coolsUntil?.getTime() ?? 0),
  ],
  ['currency_mismatch', ({ currency }, { hold }) => (hold?.currency ?? currency) !== currency],
  ['currency_mismatch', ({ currency }, { from }) => from.currency !== currency],
  ['currency_mismatch', ({ currency }, { to }) => to.currency !== currency],
  ['invalid_request', (_, { from, to }) => from.id === to.id],
  ['invalid_request', ({ amount }) => amount <= 0n],
  ['limit_exceeded', (movement, facts, rule) => rule.isAboveHold?.(movement, facts) === true],
  ['insufficient_funds', isBelowFloor],
  ['limit_exceeded', (movement, facts) => findExceeded(movement, facts) !== undefined],
  ['limit_exceeded', ({ amount }, { from, to }) => isTooFar(from, -amount) || isTooFar(to, amount)],
  // What a forced movement leaves lacking is a sum as well.
  [
    'limit_exceeded',
    ({ kind, amount }, { from }) => isForced(kind) && freeOf(from) - amount < -maxBalance,
  ],
  // Last: a second person is asked for what can be paid.
  ['signature_required', lacksSignature],
]

/** The first refusal of the table, or undefined: then the movement must succeed. */
export function decide(movement: MoneyMovement, facts: Facts): PlainCode | undefined {
  const rule: Rule<MoneyMovement> = rules[movement.kind]
  return checks.find(([, isBroken]) => isBroken(movement, facts, rule))?.[0]
}

/** The same for a step of a transfer to another bank. */
export function decideStep(movement: StepMovement, facts: Facts): PlainCode | undefined {
  const rule = stepRules[movement.kind]
  if (isForeign(movement, facts, rule)) return 'forbidden'
  const isNext = rule.after.some((status) => status === facts.original?.status)
  return isNext ? undefined : 'illegal_transition'
}

/** The statuses that each step is taken from. A program settles none that another has sent. */
const stepRules: Record<StepMovement['kind'], Rule<Movement> & { after: readonly Status[] }> = {
  sending: { after: ['pending'] },
  settlement: { after: ['pending', 'sent'], isForeign: isClaimedByOther },
}

/**
 * The same for a hold that is no payment by card: those are judged by `declineCard`. A card payment
 * is raised by its own route alone.
 */
export function decideHold(movement: ReserveMovement, facts: Facts): PlainCode | undefined {
  const { hold: terms } = movement
  const { from, hold, payment, card } = facts
  if (terms.step === 'place') {
    const refusal = refusePlacing(terms.kind, movement, from, facts.at)
    if (refusal || terms.kind !== 'authorization' || !card || card.status === 'active') {
      return refusal
    }
    return card.status === 'cancelled' ? 'card_cancelled' : 'illegal_transition'
  }
  const amount = terms.step === 'change' ? terms.amount : undefined
  const more = (amount ?? hold?.amount ?? 0n) - (hold?.amount ?? 0n)
  const refusal = refuseChange(movement, { ...facts, hold }, more)
  return refusal ?? (payment && more > 0n ? 'illegal_transition' : undefined)
}

/** A customer is not told which accounts there are. */
export const refuseUnknownSide = ({ kind }: Movement): PlainCode =>
  kind === 'transfer' ? 'forbidden' : 'not_found'

/**
 * Whether the payee's account is the reason of the refusal: it is closed, takes no credits, is of
 * another currency or full, or belongs to a person behind the caller.
 */
export const isOfPayee = (code: Code): boolean =>
  [
    'account_closed',
    'credits_blocked',
    'currency_mismatch',
    'limit_exceeded',
    'forbidden',
  ].includes(code)

function isForeign<M extends Movement>(movement: M, facts: Facts, rule: Rule<M>): boolean {
  const { from, to } = facts
  return (
    movement.notOf?.some((id) => id === from.ownerId || id === to.ownerId) === true ||
    rule.isForeign?.(movement, facts) === true
  )
}

function isClaimedByOther(movement: Movement, { original }: Facts): boolean {
  return isOfOther(movement, { callerId: original?.claimedBy ?? movement.caller.userId })
}

/**
 * Accounts of the bank have no floor: their balances are the negative of the customers' money. A
 * captured amount was held before, as far as its hold has it.
 */
function isBelowFloor({ kind, amount }: MoneyMovement, { from, hold }: Facts): boolean {
  if (from.kind !== 'customer' || isForced(kind)) return false
  const more = amount - (isCaptureKind(kind) ? (hold?.remaining ?? 0n) : 0n)
  return more > 0n && more > freeOf(from)
}

export type Exceeded = { name: 'perPayment' | 'dailyTransfers'; limit: bigint; used: bigint }

/**
 * The limit that a transfer is above. Of those of the bank, of the owner and of the member the
 * lowest one holds. Only transfers of the owner and of members count, not what staff withdraw or
 * reverse.
 */
export function findExceeded(
  { kind, amount }: MoneyMovement,
  { from, day, at, member }: Pick<Facts, 'from' | 'day' | 'at' | 'member'>,
): Exceeded | undefined {
  if (kind !== 'transfer') return undefined
  const own = limitsAt(from, at)
  const perPayment = lowerLimit(own.perPayment, member?.perPayment ?? null)
  if (perPayment !== null && amount > perPayment) {
    return { name: 'perPayment', limit: perPayment, used: 0n }
  }
  const limit = lowerLimit(from.dailyTransferLimit, own.perDay)
  return (
    findExceededDay(amount, { limit, used: spentOn(from, day) }) ??
    (member?.day && findExceededDay(amount, member.day))
  )
}

/** Money of the same customer as well: another account may ask for one signature alone. */
function lacksSignature(
  { kind, amount }: MoneyMovement,
  { from, at, signatures = 1 }: Facts,
): boolean {
  return kind === 'transfer' && signatures < signaturesNeeded(from, amount, at)
}

/** The same of a sum of the day alone. */
export const findExceededDay = (
  amount: bigint,
  { limit, used }: { limit: bigint | null; used: bigint },
): Exceeded | undefined =>
  limit === null || used + amount <= limit ? undefined : { name: 'dailyTransfers', limit, used }

function isTooFar({ balance }: Account, change: bigint): boolean {
  const after = balance + change
  return after > maxBalance || after < -maxBalance
}

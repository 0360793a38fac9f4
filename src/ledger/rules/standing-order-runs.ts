// Runs of standing orders: whether one is tried, and what becomes of its order.
import { type RowOf, wordOf } from '../../database/statements/statement.ts'
import type { Code, PlainCode } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { addDays, dueAfter, rhythms } from '../../domain/rhythm.ts'

/**
 * The run of a standing order that an order of the ledger makes: the terms that were read, and the
 * due day.
 */
export type OrderRun = {
  orderId: string
  dueOn: string
  version: number
  /** Why it cannot be paid: the payee, or the payee's account, is gone for good. */
  refusal?: PlainCode
}

/** So many late runs in a row pause the order, with a mail. */
export const lateRunsMax = 31

export const standingColumns = {
  id: 'uuid',
  status: 'text',
  version: 'int4',
  retryDays: 'int2',
  rhythm: wordOf(rhythms),
  lateCount: 'int4',
  amount: 'int8',
} as const
export const standingOrderColumns = {
  ...standingColumns,
  firstOn: 'text',
  lastOn: 'text?',
  nextOn: 'text?',
  ownerId: 'uuid',
  isProgram: 'bool',
  programEndsAt: 'timestamptz?',
  isAllowed: 'bool',
  outcome: 'text?',
} as const

/** Behind the lock of its account, which every writer of it has. */
export type StandingOrder = RowOf<typeof standingOrderColumns>

/**
 * Why a run is not tried. `illegal_transition`: the order is not due with the terms that were read;
 * the day gets no outcome. Any other code is the outcome of the day.
 */
export function refuseRun(
  { dueOn, version, refusal }: OrderRun,
  order: StandingOrder | undefined,
  { now, day }: { now: number; day: string },
): PlainCode | undefined {
  const isDue = order?.status === 'active' && order.nextOn === dueOn && dueOn <= day
  if (!isDue || order.version !== version) return 'illegal_transition'
  const { isAllowed, programEndsAt, outcome } = order
  if (!isAllowed || (programEndsAt !== null && now >= programEndsAt.getTime())) return 'forbidden'
  // It has waited for money until its last day was over.
  return outcome === 'waiting' && isOver(order, day) ? 'insufficient_funds' : refusal
}

const isOver = ({ nextOn, retryDays }: StandingOrder, day: string): boolean =>
  day > addDays(nextOn as string, retryDays)

/** What is written of a run that was tried. */
export type RunOutcome = {
  orderId: string
  dueOn: string
  at: Date
  outcome: 'made' | 'refused' | 'waiting'
  transferId: string | null
  /** The amount of the transfer: what the order says behind the lock. */
  amount: bigint | null
  refusal: Code | null
  status: string
  pausedBecause: 'missed' | null
  nextOn: string | null
  triedOn: string | null
  lateCount: number
  /** The mails that tell of a refusal and of a pause: the last late day may bring both. */
  refusedMailId: string | null
  pausedMailId: string | null
}

type Tried = {
  /** Milliseconds since the epoch. */
  at: number
  day: string
  /** The transfer, or why there is none. */
  result: { transferId: string } | { refusal: Code }
}

/** The row of the run, and the order as it leaves it, which judges a later run of the batch. */
export function toOutcome(
  before: StandingOrder,
  { at, day, result }: Tried,
): { row: RunOutcome; order: StandingOrder } {
  const dueOn = before.nextOn as string
  const refusal = 'refusal' in result ? result.refusal : null
  const about = {
    orderId: before.id,
    dueOn,
    at: new Date(at),
    transferId: 'transferId' in result ? result.transferId : null,
    amount: refusal === null ? before.amount : null,
    refusal,
  }
  // A day is late if its first attempt was late. Waiting for money does not make it late.
  const isFirst = before.outcome !== 'waiting'
  const lateCount = isFirst ? (dueOn < day ? before.lateCount + 1 : 0) : before.lateCount
  if (refusal === 'insufficient_funds' && before.retryDays > 0 && !isOver(before, day)) {
    const { status } = before
    const told = { pausedBecause: null, refusedMailId: null, pausedMailId: null }
    const kept = { outcome: 'waiting', status, nextOn: dueOn, triedOn: day, lateCount } as const
    const order = { ...before, outcome: 'waiting', lateCount }
    return { row: { ...about, ...kept, ...told }, order }
  }
  const nextOn = dueAfter(before, dueOn) ?? null
  const isMissed = lateCount >= lateRunsMax && nextOn !== null && nextOn <= day
  const left = {
    status: nextOn === null ? 'ended' : isMissed ? 'paused' : before.status,
    nextOn,
    lateCount: isMissed ? 0 : lateCount,
  }
  const row: RunOutcome = {
    ...about,
    ...left,
    outcome: refusal === null ? 'made' : 'refused',
    pausedBecause: isMissed ? 'missed' : null,
    triedOn: null,
    refusedMailId: refusal === null ? null : newId(at),
    pausedMailId: isMissed ? newId(at) : null,
  }
  return { row, order: { ...before, ...left, outcome: null } }
}

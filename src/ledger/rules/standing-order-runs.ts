// Runs of standing orders: whether one is tried, and what becomes of its order.
import {
  type Calendar,
  type HolidayRule,
  holidayRules,
} from '../../domain/calendar/business-days.ts'
import { type RowOf, wordOf } from '../../database/statements/statement.ts'
import type { Code, PlainCode } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { addDays, dueAfter, rhythms } from '../../domain/calendar/rhythm.ts'

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
  onHoliday: wordOf(holidayRules),
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

/** The day of the bank on which a run is tried, and the calendar that it is judged by: today's. */
type RunDay = { day: string; calendar: Calendar }

/**
 * A due day and its rule, as the calendar of this moment has them. What was planned by another
 * calendar counts for nothing: a day that this one has moved to the past is paid at once.
 */
const payDayOf = ({ nextOn, onHoliday }: StandingOrder, { calendar }: RunDay): string =>
  calendar.payDay(nextOn as string, onHoliday)

/** Its day of payment, or its due day where that is later: from then on it is late. */
function lastDayInTime(order: StandingOrder, when: RunDay): string {
  const [payDay, dueOn] = [payDayOf(order, when), order.nextOn as string]
  return payDay > dueOn ? payDay : dueOn
}

/**
 * Why a run is not tried. `illegal_transition`: the order is not due with the terms that were read;
 * the day gets no outcome. Any other code is the outcome of the day.
 */
export function refuseRun(
  { dueOn, version, refusal }: OrderRun,
  order: StandingOrder | undefined,
  { now, ...when }: RunDay & { now: number },
): PlainCode | undefined {
  const isDue =
    order?.status === 'active' &&
    order.nextOn === dueOn &&
    dueOn <= when.calendar.dueUntil(when.day, order.onHoliday)
  if (!isDue || order.version !== version) return 'illegal_transition'
  const { isAllowed, programEndsAt, outcome } = order
  if (!isAllowed || (programEndsAt !== null && now >= programEndsAt.getTime())) return 'forbidden'
  // It has waited for money until its last day was over.
  return outcome === 'waiting' && isOver(order, when) ? 'insufficient_funds' : refusal
}

/** The days of retry follow the last day in time. */
const isOver = (order: StandingOrder, when: RunDay): boolean =>
  when.day > addDays(lastDayInTime(order, when), order.retryDays)

/** What is written of a run that was tried. */
export type RunOutcome = {
  orderId: string
  dueOn: string
  onHoliday: HolidayRule
  /** Where the rule has moved the due day to; null: it has not. */
  movedTo: string | null
  at: Date
  outcome: 'made' | 'refused' | 'waiting'
  transferId: string | null
  /** The amount of the transfer: what the order says behind the lock. */
  amount: bigint | null
  refusal: Code | null
  status: string
  pausedBecause: 'missed' | 'member' | null
  nextOn: string | null
  triedOn: string | null
  lateCount: number
  /** The mails that tell of a refusal and of a pause: the last late day may bring both. */
  refusedMailId: string | null
  pausedMailId: string | null
}

type Tried = RunDay & {
  /** Milliseconds since the epoch. */
  at: number
  /** The transfer, or why there is none. */
  result: { transferId: string } | { refusal: Code }
  /** Its maker acts on the account no more: the order is paused. */
  isOfMember?: boolean
}

/** The row of the run, and the order as it leaves it, which judges a later run of the batch. */
export function toOutcome(
  before: StandingOrder,
  { at, result, isOfMember = false, ...when }: Tried,
): { row: RunOutcome; order: StandingOrder } {
  const { day } = when
  const dueOn = before.nextOn as string
  const payDay = payDayOf(before, when)
  const refusal = 'refusal' in result ? result.refusal : null
  const about = {
    orderId: before.id,
    dueOn,
    onHoliday: before.onHoliday,
    movedTo: payDay === dueOn ? null : payDay,
    at: new Date(at),
    transferId: 'transferId' in result ? result.transferId : null,
    amount: refusal === null ? before.amount : null,
    refusal,
  }
  // A day is late if its first attempt was late. Waiting for money does not make it late.
  const isFirst = before.outcome !== 'waiting'
  const isLate = lastDayInTime(before, when) < day
  const lateCount = isFirst ? (isLate ? before.lateCount + 1 : 0) : before.lateCount
  if (refusal === 'insufficient_funds' && before.retryDays > 0 && !isOver(before, when)) {
    const { status } = before
    const told = { pausedBecause: null, refusedMailId: null, pausedMailId: null }
    const kept = { outcome: 'waiting', status, nextOn: dueOn, triedOn: day, lateCount } as const
    const order = { ...before, outcome: 'waiting', lateCount }
    return { row: { ...about, ...kept, ...told }, order }
  }
  const nextOn = dueAfter(before, dueOn) ?? null
  const isMissed =
    lateCount >= lateRunsMax &&
    nextOn !== null &&
    nextOn <= when.calendar.dueUntil(day, before.onHoliday)
  const pausedBecause =
    nextOn === null
      ? null
      : isOfMember
        ? ('member' as const)
        : isMissed
          ? ('missed' as const)
          : null
  const left = {
    status: nextOn === null ? 'ended' : pausedBecause ? 'paused' : before.status,
    nextOn,
    lateCount: isMissed ? 0 : lateCount,
  }
  const row: RunOutcome = {
    ...about,
    ...left,
    outcome: refusal === null ? 'made' : 'refused',
    pausedBecause,
    triedOn: null,
    refusedMailId: refusal === null ? null : newId(at),
    pausedMailId: pausedBecause === 'missed' ? newId(at) : null,
  }
  return { row, order: { ...before, ...left, outcome: null } }
}

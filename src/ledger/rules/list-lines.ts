// Lines of payment lists: whether one is paid, and what becomes of it.
import { type RowOf } from '../../database/statements/statement.ts'
import type { Code, PlainCode } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'

/** The line of a payment list that a movement pays. Both numbers are its name for ever. */
export type ListLine = {
  listId: string
  place: number
  /** Why it cannot be paid: the payee, or the payee's account, is gone for good. */
  refusal?: PlainCode
}

export const toLineName = ({ listId, place }: Pick<ListLine, 'listId' | 'place'>): string =>
  `${listId} ${place}`

export const standingLineColumns = {
  listId: 'uuid',
  place: 'int4',
  amount: 'int8',
  outcome: 'text?',
  status: 'text',
  executeOn: 'text?',
  isProgram: 'bool?',
  programEndsAt: 'timestamptz?',
  isAllowed: 'bool?',
} as const

/** Behind the lock of its account, which every writer of it has. */
export type StandingLine = RowOf<typeof standingLineColumns>

/**
 * Why a line is not tried. `illegal_transition`: it has an outcome, or its list is not ordered or
 * not due; the line gets no outcome. Any other code is its outcome.
 */
export function refuseLine(
  { refusal }: ListLine,
  line: StandingLine | undefined,
  { now, day }: { now: number; day: string },
): PlainCode | undefined {
  const isDue = line?.status === 'ordered' && (line.executeOn === null || line.executeOn <= day)
  if (!isDue || line.outcome !== null) return 'illegal_transition'
  const { isAllowed, programEndsAt } = line
  if (isAllowed !== true || (programEndsAt !== null && now >= programEndsAt.getTime())) {
    return 'forbidden'
  }
  return refusal
}

/** What is written of a line that was tried. */
export type LineOutcome = {
  listId: string
  place: number
  at: Date
  outcome: 'made' | 'refused'
  transferId: string | null
  refusal: Code | null
  /** The mail that tells of refused lines, if this is the last line of its list. */
  mailId: string
}

export function toLineOutcome(
  { listId, place }: StandingLine,
  at: number,
  result: { transferId: string } | { refusal: Code },
): LineOutcome {
  const isMade = 'transferId' in result
  return {
    listId,
    place,
    at: new Date(at),
    outcome: isMade ? 'made' : 'refused',
    transferId: isMade ? result.transferId : null,
    refusal: isMade ? null : result.refusal,
    mailId: newId(at),
  }
}

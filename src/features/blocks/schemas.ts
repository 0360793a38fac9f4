// Schemas of blocks. What of one is told depends on who reads it.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { AnyTime } from '../../domain/date-range.ts'
import { AccountId, BlockId } from '../../domain/ids.ts'
import { closed, named, NoteText, nullable, oneOf, Time } from '../../domain/schema.ts'
import type { Caller } from '../../gate/roles.ts'
import { blockCauses, causeClasses, classOf } from '../../ledger/rules/blocks.ts'
import { Actor } from '../accounts/schemas.ts'
import { ExternalId } from '../rail/schemas.ts'
import type { BlockRow } from './sql.ts'

const debits = Type.Boolean({
  description:
    'Stops what leaves the account at its customer’s will: transfers, payments, withdrawals, ' +
    'runs of orders, new card payments and new holds for them.',
})
const credits = Type.Boolean({
  description:
    'Stops what arrives: transfers, deposits, money from other banks, card refunds, chargebacks.',
})
const cause = oneOf(blockCauses, { title: 'BlockCause' })

export const NewBlock = closed({
  debits,
  credits,
  cause,
  note: NoteText,
  until: Type.Optional(AnyTime),
  externalId: Type.Optional(ExternalId),
})

export const blockStatuses = ['active', 'ended', 'lifted'] as const

export const Block = named('Block', {
  id: BlockId,
  accountId: AccountId,
  debits,
  credits,
  status: oneOf(blockStatuses, {
    description: 'Ended: its time is over. Only an active one stops anything.',
  }),
  causeClass: oneOf(causeClasses, { title: 'BlockCauseClass' }),
  cause: Type.Optional(cause),
  note: Type.Optional(nullable(NoteText)),
  until: nullable(Time),
  setAt: Time,
  setBy: Type.Optional(Actor),
  liftedAt: nullable(Time),
  liftedBy: Type.Optional(nullable(Actor)),
})

type Reader = Pick<Caller, 'roles'>

/** A service account has no role. */
export const isProgram = ({ roles }: Reader): boolean => roles.length === 0

/** Administrators are told all, and programs: they see what they have set. */
const isToldAll = (reader: Reader): boolean => isProgram(reader) || reader.roles.includes('admin')

const shownTime = (at: Date | null): string | null => at && rfc3339(at.getTime())

const statusOf = (
  { liftedAt, until }: Pick<BlockRow, 'liftedAt' | 'until'>,
  now: number,
): (typeof blockStatuses)[number] => {
  if (liftedAt !== null) return 'lifted'
  return until !== null && until.getTime() <= now ? 'ended' : 'active'
}

/** @param reader absent: told what every reader is */
export const toBlock = (row: BlockRow, now: number, reader?: Reader): Static<typeof Block> => ({
  id: row.id,
  accountId: row.accountId,
  debits: row.debits,
  credits: row.credits,
  status: statusOf(row, now),
  causeClass: classOf(row.cause),
  until: shownTime(row.until),
  setAt: rfc3339(row.setAt.getTime()),
  liftedAt: shownTime(row.liftedAt),
  ...(reader &&
    isToldAll(reader) && {
      cause: row.cause,
      note: row.note,
      setBy: { id: row.setBy, name: row.setByName },
      liftedBy: row.liftedBy === null ? null : { id: row.liftedBy, name: row.liftedByName },
    }),
})

// The verification of blocks: what an account is stopped by is the sum of its blocks, and who set
// and lifted each, when and on what terms is what the trail says.
import {
  bareColumns,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { blockCauses, type StoredBlocks, tellBlock } from '../rules/blocks.ts'
import type { HasEventsOf } from './verify-trail.ts'

type Sums = StoredBlocks & { debitsByBlocks: Date | null; creditsByBlocks: Date | null }

/** What is wrong with the sum that an account has; undefined: nothing. */
export function findFlawOfSum(sums: Sums): string | undefined {
  const { debitsBlockedUntil, debitsByBlocks, creditsBlockedUntil, creditsByBlocks } = sums
  if (debitsBlockedUntil?.getTime() !== debitsByBlocks?.getTime()) {
    return tellFlaw('debits', debitsBlockedUntil, debitsByBlocks)
  }
  if (creditsBlockedUntil?.getTime() !== creditsByBlocks?.getTime()) {
    return tellFlaw('credits', creditsBlockedUntil, creditsByBlocks)
  }
  return undefined
}

const tellFlaw = (side: string, stored: Date | null, byBlocks: Date | null): string =>
  `its ${side} are blocked until ${tellTime(stored)}, its blocks say ${tellTime(byBlocks)}`

const tellTime = (at: Date | null): string => at?.toISOString() ?? 'never'

const block = {
  id: 'uuid',
  debits: 'bool',
  credits: 'bool',
  cause: wordOf(blockCauses),
  until: 'timestamptz?',
  setAt: 'timestamptz',
  liftedAt: 'timestamptz?',
  liftedBy: 'uuid?',
} as const

/**
 * Blocks, each with what was told in the request that set it, of which an approval is a part, and
 * with whether its lift was recorded.
 */
export const readBlockPage = statement(
  'verify_read_block_page',
  ['uuid', 'int8'],
  { ...block, told: 'text[]', isLiftRecorded: 'bool' },
  sql`select ${select(block, 'b')}, array(
       select d.detail from audit_events e
       join audit_events d on d.request_id = e.request_id and d.detail is not null
       where e.target = b.account_id and e.action = 'blockAccount' and e.outcome = 'success'
         and e.actor_id = b.set_by
         and e.at between b.set_at - interval '15 minutes' and b.set_at + interval '1 minute'
     ) as told,
     exists (
       select from audit_events
       where target = b.id and action = 'unblockAccount' and outcome = 'success'
         and actor_id = b.lifted_by
         and at between b.lifted_at - interval '15 minutes' and b.lifted_at + interval '1 minute'
     ) as "isLiftRecorded"
   from (
     select ${bareColumns(block)}, account_id, set_by
     from account_blocks where id > $1 order by id limit $2
   ) b
   order by b.id`,
)

/** What is wrong with a block; undefined: nothing. */
export function findBlockFlaw(
  row: RowOf<typeof readBlockPage.gives>,
  hasEventsOf: HasEventsOf,
): string | undefined {
  const { id, setAt, liftedAt, liftedBy, told, isLiftRecorded } = row
  if ((liftedAt === null) !== (liftedBy === null)) return `The lift of block ${id} is not whole`
  if (hasEventsOf(setAt) && !told.includes(tellBlock(row))) {
    return `Block ${id} is not that of the trail`
  }
  return liftedAt !== null && hasEventsOf(liftedAt) && !isLiftRecorded
    ? `The lift of block ${id} is not that of the trail`
    : undefined
}

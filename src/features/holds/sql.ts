// Statements of holds as they are listed. The ledger writes them.
import {
  type Db,
  fragment,
  pageBefore,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { type Hold, holdColumns, type HoldStatus } from '../../ledger/rules/holds.ts'
import { readHolds } from '../../ledger/rows/holds.ts'
import { type Transfer, transferColumns } from '../../ledger/rules/movement.ts'
import { transfersOf } from '../movements/sql.ts'

/** Refuses with `not_found`. */
export async function holdById(db: Db, id: string): Promise<Hold> {
  const [hold] = await readHolds(db, [id])
  return hold ?? refuse('not_found')
}

const listHolds = statement(
  'holds_list',
  ['uuid', 'text?', 'uuid?', 'int4'],
  holdColumns,
  sql`select ${select(holdColumns)} from holds
   where account_id = $1 and ($2::text is null or status = $2) and ${pageBefore(3)}`,
)
/** Holds of an account, ended ones included, newest first. */
export const holdsByAccount = (
  db: Db,
  accountId: string,
  status: HoldStatus | undefined,
  after: string | undefined,
  count: number,
) => db.run(listHolds, [accountId, status ?? null, after ?? null, count]) as Promise<Hold[]>

const listCaptures = statement(
  'holds_list_captures',
  ['uuid', 'uuid?', 'int4'],
  transferColumns,
  sql`${transfersOf(fragment`
     select transfer_id from hold_captures
     where hold_id = $1 and ${pageBefore(2, 'transfer_id')}`)}`,
)
/** The transfers that captured a hold, newest first. */
export const capturesOf = (db: Db, holdId: string, after: string | undefined, count: number) =>
  db.run(listCaptures, [holdId, after ?? null, count]) as Promise<Transfer[]>

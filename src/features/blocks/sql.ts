// Data of blocks. One is set and lifted; it is never changed else, and never deleted.
import { insertInto, updateIn } from '../../database/statements/rows.ts'
import {
  type Db,
  fragment,
  one,
  pageBefore,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { blockCauses, blockColumns } from '../../ledger/rules/blocks.ts'

const terms = {
  id: 'uuid',
  accountId: 'uuid',
  debits: 'bool',
  credits: 'bool',
  cause: wordOf(blockCauses),
  until: 'timestamptz?',
  setAt: 'timestamptz',
  setBy: 'uuid',
} as const
const block = { ...terms, note: 'text?', liftedAt: 'timestamptz?', liftedBy: 'uuid?' } as const
const shown = { ...block, setByName: 'text?', liftedByName: 'text?' } as const
/** The note is null once it was erased with the holder. */
export type BlockRow = RowOf<typeof shown>

const selectBlock = fragment`select ${select(block, 'b')},
     coalesce(s.given_name || ' ' || s.family_name, sp.name) as "setByName",
     coalesce(l.given_name || ' ' || l.family_name, lp.name) as "liftedByName"
   from account_blocks b
   left join users s on s.id = b.set_by
   left join service_accounts sp on sp.id = b.set_by
   left join users l on l.id = b.lifted_by
   left join service_accounts lp on lp.id = b.lifted_by`

const readBlock = statement('blocks_read', ['uuid'], shown, sql`${selectBlock} where b.id = $1`)
export const blockById = (db: Db, id: string) => one(db, readBlock, [id])

const listBlocks = statement(
  'blocks_list',
  ['uuid', 'uuid?', 'int4', 'uuid?'],
  shown,
  sql`${selectBlock}
   where b.account_id = $1 and ($4::uuid is null or b.set_by = $4) and ${pageBefore(2, 'b.id')}`,
)
type AskedBlocks = { accountId: string; setBy?: string | undefined }
/** The blocks of an account, newest first, also those that were lifted or have ended. */
export const blocksOf = (
  db: Db,
  { accountId, setBy }: AskedBlocks,
  after: string | undefined,
  count: number,
) => db.run(listBlocks, [accountId, after ?? null, count, setBy ?? null])

const listUnlifted = statement(
  'blocks_list_unlifted',
  ['uuid'],
  terms,
  sql`select ${select(terms)} from account_blocks where account_id = $1 and lifted_at is null`,
)
/** What is not lifted of an account, ended or not: the sum of them is stored in the account. */
export const unliftedBlocks = (tx: Db, accountId: string) => tx.run(listUnlifted, [accountId])

const told = (type: string, at: string): string =>
  `with told as (
     insert into events (type, at, ids) values ('${type}', ${at}, array[:accountId::uuid])
   )`

/** Lock the account first, and write its sum behind it. */
export const addBlock = insertInto(
  'blocks_insert',
  'account_blocks',
  { ...terms, note: 'text?' },
  { first: told('account.blocked', ':setAt') },
)

/** Lock the account first, and write its sum behind it. */
export const writeLift = updateIn(
  'blocks_lift',
  'account_blocks',
  { id: 'uuid', liftedAt: 'timestamptz', liftedBy: 'uuid' },
  { first: told('account.unblocked', ':liftedAt'), more: { accountId: 'uuid' } },
)

export const writeSum = updateIn('blocks_write_sum', 'accounts', { id: 'uuid', ...blockColumns })

// The archives of the bank, and the heads from which the chains in the database go on.
import { firstId } from '../../domain/ids.ts'
import {
  type Db,
  one,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'

export const archiveStates = ['removing', 'removed', 'restoring'] as const

const archive = {
  id: 'int4',
  until: 'timestamptz',
  name: 'text',
  entries: 'int8',
  transfers: 'int8',
  kept: 'int8',
  state: wordOf(archiveStates),
  madeAt: 'timestamptz',
} as const

const readNewest = statement(
  'archive_read_newest',
  [],
  { ...archive, digest: 'text' },
  sql`select ${select(archive)}, encode(digest, 'hex') as digest
   from archives order by id desc limit 1`,
)
/** The newest archive; undefined: there is none. */
export const newestArchive = (db: Db) => one(db, readNewest, [])
export type Archive = NonNullable<Awaited<ReturnType<typeof newestArchive>>>

const readByDigest = statement(
  'archive_read_by_digest',
  ['text'],
  { id: 'int4' },
  `select id from archives where digest = decode($1, 'hex')`,
)
export const archiveOf = (db: Db, digest: string) => one(db, readByDigest, [digest])

/** Lets the rest of this transaction write archives and remove rows of the books, if it may. */
export const allowArchive = statement(
  'archive_allow',
  [],
  { is: 'text' },
  `select set_config('strongroom.archive', 'on', true) as is`,
)

const add = statement(
  'archive_add',
  ['int4', 'timestamptz', 'text', 'text', 'int8', 'int8', 'int8', 'timestamptz'],
  `insert into archives (id, until, name, digest, entries, transfers, kept, brought_back, state,
     made_at)
   values ($1, $2, $3, decode($4, 'hex'), $5, $6, $7, 0, 'removing', $8)`,
)
export const addArchive = (tx: Db, row: Omit<Archive, 'state' | 'kept'>) =>
  tx.run(add, [row.id, row.until, row.name, row.digest, row.entries, row.transfers, 0n, row.madeAt])

/** While a transaction has it, the state of an archive stays. */
export const lockState = statement(
  'archive_lock_state',
  ['int4', 'text'],
  { id: 'int4' },
  'select id from archives where id = $1 and state = $2 for share',
)

export const endRemoval = statement(
  'archive_end_removal',
  ['int4', 'int8', 'int8'],
  `update archives set state = 'removed', kept = $2, brought_back = $3 where id = $1`,
)

/** Pages behind `$1` of `$2` rows: the last key, and how many of its rows count. */
const counted = { last: 'uuid', count: 'int8' } as const
const countTermsPage = statement(
  'archive_count_terms_page',
  ['uuid', 'int8'],
  counted,
  `with page as materialized (
     select transfer_id from archived_terms where transfer_id > $1 order by transfer_id limit $2
   )
   select transfer_id as last, (select count(*) from page) as count
   from page order by transfer_id desc limit 1`,
)
const countBacksPage = statement(
  'archive_count_backs_page',
  ['uuid', 'int8'],
  counted,
  `with page as materialized (
     select transfer_id from brought_back where transfer_id > $1 order by transfer_id limit $2
   )
   select transfer_id as last, (
     select count(*) from page p
     where not exists (select from transfers t where t.id = p.transfer_id)
   ) as count
   from page order by transfer_id desc limit 1`,
)

/** One statement is not to take longer than a transaction may. */
const countedPerPage = 10_000n

async function countPages(db: Db, readPage: typeof countTermsPage): Promise<bigint> {
  let sum = 0n
  // Ends with a page without rows.
  for (let last = firstId; ;) {
    const page = await one(db, readPage, [last, countedPerPage])
    if (!page) return sum
    sum += page.count
    last = page.last
  }
}

/** What archives have left: rows of `archived_terms`, and of `brought_back` without a transfer. */
export const countLeft = async (db: Db): Promise<{ kept: bigint; broughtBack: bigint }> => ({
  kept: await countPages(db, countTermsPage),
  broughtBack: await countPages(db, countBacksPage),
})

export const beginRestore = statement(
  'archive_begin_restore',
  ['int4'],
  `update archives set state = 'restoring' where id = $1`,
)

export const endRestore = statement(
  'archive_end_restore',
  ['int4'],
  'delete from archives where id = $1',
)

// What is in an archive comes back into the database, piece by piece, from JSON arrays of rows.
import {
  type Db,
  fragment,
  type Fragment,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import type { TextRow } from './lines.ts'
import { namingTables, texts } from './rows-sql.ts'

/** A row that is there stays. */
const restoring = (name: string, table: Fragment, isNew: Fragment) =>
  statement(
    name,
    ['text'],
    { count: 'int8' },
    sql`select restore_rows('${table}', $1::text::jsonb, '${isNew}') as count`,
  )

/** One that had stayed may be erased by now. */
const hasTexts = (id: Fragment): Fragment =>
  fragment`exists (select from transfers t where t.id = ${id} and t.salt is not null)`

const tables = {
  transfers: restoring(
    'archive_restore_transfers',
    fragment`transfers`,
    fragment`not exists (select from transfers t where t.id = r.id)`,
  ),
  details: restoring(
    'archive_restore_details',
    fragment`transfer_details`,
    fragment`${hasTexts(fragment`r.transfer_id`)}
       and not exists (select from transfer_details d where d.transfer_id = r.transfer_id)`,
  ),
  // One that is there is foreign: the key refuses it.
  entries: restoring('archive_restore_entries', fragment`entries`, fragment`true`),
  // An odd one is made of a text.
  search: restoring(
    'archive_restore_search',
    fragment`payment_terms`,
    fragment`(r.term & 1 = 0 or ${hasTexts(fragment`r.id`)})
       and not exists (select from payment_terms p where p.term = r.term and p.id = r.id)`,
  ),
} as const

export const restoreRows = async (
  tx: Db,
  table: keyof typeof tables,
  rows: readonly TextRow[],
): Promise<void> => {
  if (rows.length > 0) await tx.run(tables[table], [JSON.stringify(rows)])
}

/** Those of transfers that are in the database, as lines of an archive have them. */
export const readPresent = statement(
  'archive_read_present',
  ['uuid[]'],
  { line: 'text' },
  sql`select jsonb_build_object(
     'transfer', ${texts(fragment`t`)}, 'details', ${texts(fragment`d`)}
   )::text as line
   from transfers t left join transfer_details d on d.transfer_id = t.id
   where t.id = any($1) order by t.id`,
)

const naming = (table: Fragment, column = fragment`transfer_id`): Fragment =>
  fragment`select '${table}' as "table", ${column} as id
     from ${table} where ${column} = any(array(select id from absent))`

/** A transfer that has left, as the head of its sender tells, and is in the database. */
export const findUnkept = statement(
  'archive_find_unkept',
  ['uuid[]'],
  { id: 'uuid' },
  `select t.id from transfers t
   join archived_heads h on h.account_id = t.from_account_id and t.from_seq <= h.seq
   where t.id = any($1)
     and not exists (select from archived_terms k where k.transfer_id = t.id)
   order by t.id limit 1`,
)

/** A row of another table that names one of transfers that are not in the database. */
export const findNaming = statement(
  'archive_find_naming',
  ['uuid[]'],
  { table: 'text', id: 'uuid' },
  sql`with absent as materialized (
     select a.id from unnest($1::uuid[]) as a (id)
     where not exists (select from transfers t where t.id = a.id)
   )
   select x."table", x.id from (
     ${[...namingTables, fragment`transfer_details`].reduce(
       (before, table) => fragment`${before}
     union all
     ${naming(table)}`,
       naming(fragment`payment_terms`, fragment`id`),
     )}
   ) x limit 1`,
)

/** An entry of one of the accounts up to its head, where an archive has all of them. */
export const findArchivedPlace = statement(
  'archive_find_place',
  ['uuid[]'],
  { accountId: 'uuid', seq: 'int8' },
  `select h.account_id as "accountId", e.seq
   from archived_heads h cross join lateral (
     select seq from entries where account_id = h.account_id and seq <= h.seq
     order by seq limit 1
   ) e
   where h.account_id = any($1) limit 1`,
)

/** Erasures of texts since the identifier `$1`; those of a person with the person's accounts. */
export const readErasures = statement(
  'archive_read_erasures',
  ['uuid'],
  { id: 'uuid', target: 'uuid?', detail: 'text?', accountIds: 'uuid[]' },
  `select x.id, x.target, x.detail,
     array(select a.id from accounts a where a.owner_id = x.target) as "accountIds"
   from audit_events x
   where x.action = 'erase' and x.outcome = 'success' and x.id >= $1 order by x.id`,
)

/** Those of transfers whose texts are erased. */
export const readErased = statement(
  'archive_read_erased',
  ['uuid[]'],
  { id: 'uuid' },
  'select id from transfers where id = any($1) and salt is null',
)

/**
 * A page of what is kept of transfers, behind `$1`: what an earlier archive has of them stays, and
 * what none has any more goes.
 */
export const endKept = statement(
  'archive_end_kept',
  ['uuid', 'int8'],
  { last: 'uuid' },
  `with page as materialized (
     select k.transfer_id, k.from_seq <= h.seq as is_archived,
       coalesce(k.sent_seq <= o.seq, false) as is_sent,
       coalesce(k.settled_seq <= o.seq, false) as is_settled
     from (
       select transfer_id, from_account_id, to_account_id, from_seq, sent_seq, settled_seq
       from archived_terms where transfer_id > $1 order by transfer_id limit $2
     ) k
     left join archived_heads h on h.account_id = k.from_account_id
     left join archived_heads o on o.account_id = k.to_account_id
   ), ended as (
     delete from archived_terms k using page p
     where k.transfer_id = p.transfer_id and p.is_archived is not true
   ), updated as (
     update archived_terms k
     set sent_seq = case when p.is_sent then k.sent_seq end,
       sent_links = case when p.is_sent then k.sent_links end,
       settled_seq = case when p.is_settled then k.settled_seq end,
       settled_links = case when p.is_settled then k.settled_links end
     from page p
     where k.transfer_id = p.transfer_id and p.is_archived
       and (k.sent_seq is not null, k.settled_seq is not null) <> (p.is_sent, p.is_settled)
   )
   select transfer_id as last from page order by transfer_id desc limit 1`,
)

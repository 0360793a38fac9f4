// What is in an archive leaves the database, piece by piece. The owner of the tables alone may run
// these, behind `allowArchive`.
import { rowArrays } from '../../database/statements/arrays.ts'
import { type Db, sql, statement } from '../../database/statements/statement.ts'

export type ArchivedEntry = { accountId: string; seq: bigint; hash: string }

const entries = rowArrays<ArchivedEntry>('x', {
  accountId: ['uuid', ({ accountId }) => accountId],
  seq: ['int8', ({ seq }) => seq],
  hash: ['bytea', ({ hash }) => Buffer.from(hash, 'hex')],
})
const removeRows = statement(
  'archive_remove_entries',
  entries.takes,
  { count: 'int8' },
  sql`with removed as (
     delete from entries e using ${entries.unnest}
     where e.account_id = x.account_id and e.seq = x.seq and e.hash = x.hash
     returning 1
   )
   select count(*) as count from removed`,
)
/** How many of them were there, and are not any more. */
export const removeEntries = async (tx: Db, rows: readonly ArchivedEntry[]): Promise<bigint> =>
  (await tx.run(removeRows, entries.values(rows)))[0]?.count ?? 0n

export type ArchivedHead = {
  accountId: string
  seq: bigint
  hash: string
  balance: bigint
  markCount: bigint
  at: Date
}

const heads = rowArrays<ArchivedHead>('x', {
  accountId: ['uuid', ({ accountId }) => accountId],
  seq: ['int8', ({ seq }) => seq],
  hash: ['bytea', ({ hash }) => Buffer.from(hash, 'hex')],
  balance: ['int8', ({ balance }) => balance],
  markCount: ['int8', ({ markCount }) => markCount],
  at: ['timestamptz', ({ at }) => at],
})
const writeRows = statement(
  'archive_write_heads',
  heads.takes,
  sql`insert into archived_heads (account_id, seq, hash, balance_after, mark_count, at)
   select account_id, seq, hash, balance, mark_count, at from ${heads.unnest}
   on conflict (account_id) do update set seq = excluded.seq, hash = excluded.hash,
     balance_after = excluded.balance_after, mark_count = excluded.mark_count, at = excluded.at`,
)
export const writeHeads = (tx: Db, rows: readonly ArchivedHead[]) =>
  tx.run(writeRows, heads.values(rows))

export const removeHeads = statement(
  'archive_remove_heads',
  ['uuid[]'],
  'delete from archived_heads where account_id = any($1)',
)

const headColumns = {
  accountId: 'uuid',
  seq: 'int8',
  hash: 'text',
  balance: 'int8',
  markCount: 'int8',
  at: 'timestamptz',
} as const
const readRows = statement(
  'archive_read_heads',
  ['uuid[]'],
  headColumns,
  `select account_id as "accountId", seq, encode(hash, 'hex') as hash, balance_after as balance,
     mark_count as "markCount", at
   from archived_heads where account_id = any($1)`,
)
/** The archived heads of accounts that have one. */
export const readHeads = async (
  db: Db,
  accountIds: readonly string[],
): Promise<Map<string, ArchivedHead>> =>
  new Map((await db.run(readRows, [[...accountIds]])).map((row) => [row.accountId, row]))

export type KeptTerms = {
  transferId: string
  fromAccountId: string
  toAccountId: string
  fromSeq: bigint
  toSeq: bigint
  /** This, and the links, hexadecimal. */
  terms: string
  links: string | null
  sentSeq: bigint | null
  sentLinks: string | null
  settledSeq: bigint | null
  settledLinks: string | null
}

const bytesOf = (hex: string | null): Buffer | null =>
  hex === null ? null : Buffer.from(hex, 'hex')

const terms = rowArrays<KeptTerms>('x', {
  transferId: ['uuid', ({ transferId }) => transferId],
  fromAccountId: ['uuid', ({ fromAccountId }) => fromAccountId],
  toAccountId: ['uuid', ({ toAccountId }) => toAccountId],
  fromSeq: ['int8', ({ fromSeq }) => fromSeq],
  toSeq: ['int8', ({ toSeq }) => toSeq],
  terms: ['bytea', ({ terms: digest }) => Buffer.from(digest, 'hex')],
  links: ['bytea', ({ links }) => bytesOf(links)],
  sentSeq: ['int8', ({ sentSeq }) => sentSeq],
  sentLinks: ['bytea', ({ sentLinks }) => bytesOf(sentLinks)],
  settledSeq: ['int8', ({ settledSeq }) => settledSeq],
  settledLinks: ['bytea', ({ settledLinks }) => bytesOf(settledLinks)],
})
const writeTermRows = statement(
  'archive_write_terms',
  terms.takes,
  sql`insert into archived_terms (
     transfer_id, from_account_id, to_account_id, from_seq, to_seq, terms, links, sent_seq,
     sent_links, settled_seq, settled_links
   )
   select transfer_id, from_account_id, to_account_id, from_seq, to_seq, terms, links, sent_seq,
     sent_links, settled_seq, settled_links
   from ${terms.unnest}
   where exists (select from transfers t where t.id = x.transfer_id)
   on conflict (transfer_id) do update
     set sent_seq = excluded.sent_seq, sent_links = excluded.sent_links,
       settled_seq = excluded.settled_seq, settled_links = excluded.settled_links`,
)
/** They are written of transfers that are here, before an entry of these leaves. */
export const writeTerms = (tx: Db, rows: readonly KeptTerms[]) =>
  tx.run(writeTermRows, terms.values(rows))

/** With what was in the database for them alone. What tells that they came back stays. */
const removeTransferRows = statement(
  'archive_remove_transfers',
  ['uuid[]'],
  { id: 'uuid' },
  'delete from transfers where id = any($1) returning id',
)
const removeDetails = statement(
  'archive_remove_details',
  ['uuid[]'],
  'delete from transfer_details where transfer_id = any($1)',
)
const removeSearch = statement(
  'archive_remove_search',
  ['uuid[]'],
  'delete from payment_terms where id = any($1)',
)
const removeTerms = statement(
  'archive_remove_terms',
  ['uuid[]'],
  'delete from archived_terms where transfer_id = any($1)',
)
export async function removeTransfers(tx: Db, ids: string[]): Promise<string[]> {
  const removed = (await tx.run(removeTransferRows, [ids])).map(({ id }) => id)
  for (const each of [removeDetails, removeSearch, removeTerms]) await tx.run(each, [removed])
  return removed
}

// A proof of what is new since the heads of an earlier one. Each chain begins at its head there:
// that entry is hashed again, so its balance is that of the file. Of older rows only those are read
// that are open, were changed since, or are named by new ones.
import { type Db, statement } from '../../database/statements/statement.ts'
import { firstId, idAt } from '../../domain/ids.ts'
import type { Head } from './heads.ts'
import { type ChainState, emptyChain, fail } from './verify-chain.ts'

/** What is older is not read, but for what new rows change or name. */
export type Since = {
  /** The first identifier of a time. */
  id: string
  /** That time, in milliseconds since the epoch. */
  idMs: number
  /** For rows that have ended, or were made, at a time of their own. */
  at: Date
}

/** Everything is read. */
export const sinceEver: Since = { id: firstId, idMs: 0, at: new Date('0001-01-01T00:00:00Z') }

/** A transaction may be dated so long before its COMMIT. */
const aheadMs = 60_000
/** What has an end of its own time, such as a hold that expires, may be written down so late. */
const lateMs = 86_400_000

/** @param from when the run began that wrote the heads: what was committed before is in them */
export const sinceRun = (from: number): Since => ({
  id: idAt(from - aheadMs),
  idMs: from - aheadMs,
  at: new Date(from - lateMs),
})

/** The entries before those at the places, and whether the entry there is a mark. */
const readBases = statement(
  'verify_read_bases',
  ['uuid[]', 'int8[]'],
  {
    accountId: 'uuid',
    seq: 'int8',
    balance: 'int8',
    hash: 'text',
    at: 'timestamptz',
    isMark: 'bool',
    archivedMarks: 'int8?',
  },
  `select b.account_id as "accountId", b.seq, b.balance_after as balance,
     encode(b.hash, 'hex') as hash, b.created_at as at,
     e.kind in ('sending', 'settlement') as "isMark", null::int8 as "archivedMarks"
   from unnest($1::uuid[], $2::int8[]) as p (account_id, seq)
   join entries b on b.account_id = p.account_id and b.seq = p.seq - 1
   join entries e on e.account_id = p.account_id and e.seq = p.seq
   union all
   -- Behind an archive, or at its end: there is no entry before it.
   select g.account_id, g.seq, g.balance_after, encode(g.hash, 'hex'), g.at, false, g.mark_count
   from unnest($1::uuid[], $2::int8[]) as p (account_id, seq)
   join archived_heads g on g.account_id = p.account_id and g.seq in (p.seq - 1, p.seq)`,
)

/**
 * The states of chains before their heads, so that each head is proven again: its hash holds the
 * one before, and its balance. A chain whose entries there are missing is proven from the first on.
 */
export async function readStatesBefore(
  db: Db,
  heads: readonly Head[],
): Promise<Map<string, ChainState>> {
  const marks = new Map(heads.map(({ accountId, markCount = 0n }) => [accountId, markCount]))
  const rows = await db.run(readBases, [
    heads.map(({ accountId }) => accountId),
    heads.map(({ seq }) => seq),
  ])
  return new Map(
    rows.map(({ accountId, isMark, archivedMarks, ...state }) => {
      const markCount = archivedMarks ?? (marks.get(accountId) ?? 0n) - (isMark ? 1n : 0n)
      return [accountId, { ...emptyChain, ...state, markCount }]
    }),
  )
}

/** An import may take hours from the identifiers of its accounts to its COMMIT. */
const readImported = statement(
  'verify_read_imported',
  ['uuid[]'],
  { id: 'uuid' },
  `select id from imported where kind = 'account' and id = any($1)`,
)

/** An account that is older than the heads has one there. */
export async function requireNew(db: Db, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return
  const imported = new Set((await db.run(readImported, [[...accountIds]])).map(({ id }) => id))
  const missing = accountIds.find((id) => !imported.has(id))
  if (missing !== undefined) fail(`Account ${missing}: it is older than the heads, and has none`)
}

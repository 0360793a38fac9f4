// Statements of the entries of accounts, as their owners and staff see them.
import type { Database } from '../../database/connections/connect.ts'
import { isCutOff } from '../../database/connections/failure.ts'
import {
  bareColumns,
  currencyText,
  type Db,
  fragment,
  one,
  type RowOf,
  sql,
  statement,
  type ValuesOf,
} from '../../database/statements/statement.ts'
import { refuseWhatLeft, requireInBooks } from '../../gate/archived.ts'
import { firstSeq, searchByHalving } from '../../ledger/proof/halving.ts'
import { textColumns } from '../../ledger/rules/movement.ts'
import {
  selectLine,
  selectTexts,
  storedEntryColumns,
  transactionColumns,
} from '../movements/entry-columns.ts'
import { notesIn } from './note-sql.ts'

/** `low`, where it is `high`, is the first entry of account `$1` at or after the time `$2`. */
export const searchFirstEntry = fragment`with recursive ${searchByHalving(
  fragment`select a.id, ${firstSeq}, a.last_seq + 1 from accounts a where a.id = $1`,
  fragment`e.created_at < $2`,
)}`

const findSeq = statement(
  'ledger_find_seq',
  ['uuid', 'timestamptz'],
  { seq: 'int8', archivedAt: 'timestamptz?' },
  sql`${searchFirstEntry}
   select low as seq, (select at from archived_heads where account_id = $1) as "archivedAt"
   from halving where low = high`,
)
/**
 * The first entry of an account at or after that time.
 *
 * @param needed refuses with `archived` where this time is in an archive
 */
export async function seqAt(
  db: Db,
  accountId: string,
  time: number,
  needed = time,
): Promise<bigint> {
  const found = await one(db, findSeq, [accountId, new Date(time)])
  await requireInBooks(db, needed, found?.archivedAt)
  return found?.seq ?? 1n
}

const readFirstSeq = statement(
  'ledger_read_first_seq',
  ['uuid'],
  { seq: 'int8' },
  sql`select ${firstSeq} as seq from accounts a where a.id = $1`,
)
/** The first entry of an account that is in no archive. */
export const firstSeqOf = async (db: Db, accountId: string): Promise<bigint> =>
  (await one(db, readFirstSeq, [accountId]))?.seq ?? 1n

/** Refuses with `archived` where archives have all that is before an entry. */
export async function requireAnyInBooks(db: Db, accountId: string, seq: bigint): Promise<void> {
  if (seq > 1n && seq === (await firstSeqOf(db, accountId))) await refuseWhatLeft(db, accountId)
}

/**
 * The sequence numbers from `$2` to before `$3` of account `$1`, as a list: PostgreSQL estimates a
 * range as a share of the account, and would plan each page of a long history anew.
 */
const inRange = fragment`account_id = $1
       and seq = any(array(select generate_series($2::int8, $3::int8 - 1)))`

/**
 * Pages without a filter, each all entries of a range. A page is named by its account and range,
 * as {@link toPage} writes it: pages of one turn of the event loop are one statement.
 */
const readPages = statement(
  'ledger_read_pages',
  ['text[]'],
  { id: 'text', ...transactionColumns },
  sql`select p.id, ${selectLine}
   from unnest($1::text[]) with ordinality as p (id, position)
   cross join lateral (
     select ${storedEntryColumns} from entries
     where account_id = split_part(p.id, ' ', 1)::uuid and seq = any(array(
       select generate_series(split_part(p.id, ' ', 2)::int8, split_part(p.id, ' ', 3)::int8 - 1)))
     order by seq desc
   ) e
   order by p.position, e.seq desc`,
)
/** Most pages and rows of one statement. Others wait for it, about two milliseconds. */
const pagesMax = 16
const pageRowsMax = 1616
const toPage = (accountId: string, first: bigint, before: bigint): string =>
  `${accountId} ${first} ${before}`

/**
 * The entries of that range that are of kind `$4`, with amounts (without sign) from `$5` to `$6`,
 * and in the direction `$7`: true for in, false for out.
 */
const inFilter = fragment`${inRange}
       and ($4::text is null or kind = $4) and abs(amount) between $5 and $6
       and ($7::bool is null or (amount > 0) = $7)`

const filterTypes = ['uuid', 'int8', 'int8', 'text?', 'int8', 'int8', 'bool?'] as const

/** A page, newest first. */
const listFiltered = statement(
  'ledger_list_filtered_entries',
  [...filterTypes, 'int8'],
  transactionColumns,
  sql`select ${selectLine}
   from (select ${storedEntryColumns} from entries where ${inFilter} order by seq desc limit $8) e
   order by e.seq desc`,
)

/** The columns that a search compares. */
const listTexts = statement(
  'ledger_list_texts',
  filterTypes,
  { seq: 'int8', amount: 'int8', ...textColumns },
  sql`select e.seq, e.amount, ${selectTexts}
   from (select ${storedEntryColumns} from entries where ${inFilter} order by seq desc) e
   order by e.seq desc`,
)

const listBySeq = statement(
  'ledger_list_entries_by_seq',
  ['uuid', 'int8[]'],
  transactionColumns,
  sql`select ${selectLine}
   from (select ${storedEntryColumns} from entries where account_id = $1 and seq = any($2)) e
   order by e.seq desc`,
)

type Line = RowOf<typeof transactionColumns> & { note?: string | undefined }

/** An entry as a search sees it. */
type SearchedEntry = RowOf<typeof listTexts.gives> & { note?: string | undefined }

/** Whether an entry is listed. Undefined: the request stops before this entry. */
export type Matcher = (entry: SearchedEntry) => boolean | undefined

/** For pages without a filter `lookupMany`, for all others `run`. */
export type HistoryDb = Db & Pick<Database, 'lookupMany'>

/** Which entries of an account are listed. Amounts are in minor units, without sign. */
export type EntryFilter = {
  accountId: string
  /** Sequence numbers: from `first` to before `before`. */
  first: bigint
  before: bigint
  kind?: string | undefined
  min?: bigint | undefined
  max?: bigint | undefined
  /** Only what came in, or only what went out. */
  isCredit?: boolean | undefined
  matches?: Matcher | undefined
  /** `matches` is told the notes of the owner, and the lines have them. */
  isNoted?: boolean
}

/** The most entries that one statement reads. */
const entriesMax = 10_000n
/** The most entries of one statement that reads texts, which are folded here. */
const textsMax = 2000n
/**
 * The most entries that one request reads. With a text: 20 ms of the database and 50 ms here
 * (`foldedMax`) at most.
 */
export const entriesReadMax = 20_000n

/** Above every amount. */
const int8Max = 2n ** 63n - 1n

/** Whether some of the entries are left out. */
export const isFiltered = ({
  kind,
  min,
  max,
  isCredit,
  matches,
}: Omit<EntryFilter, 'first' | 'before'>): boolean =>
  [kind, min, max, isCredit, matches].some((part) => part !== undefined)

/**
 * A page of an account's history, newest first. Without a filter one statement reads it. With one,
 * the first statement reads twice as many entries as the page has, and each further one ten times
 * as many, so the cost does not depend on PostgreSQL's plan. It stops after {@link entriesReadMax}
 * entries, or when `matches` says so.
 *
 * @returns the rows; `next` is the `before` to go on with if it stopped
 */
export async function listEntries(
  db: HistoryDb,
  filter: EntryFilter,
  count: number,
): Promise<{ rows: Line[]; next: bigint | undefined }> {
  const { accountId, first, before, kind, min, max, isCredit, matches, isNoted } = filter
  if (!isFiltered(filter)) {
    const start = before - BigInt(count) > first ? before - BigInt(count) : first
    const page = toPage(accountId, start, before)
    const pages = Math.min(pagesMax, Math.ceil(pageRowsMax / count))
    const rows = await db.lookupMany(readPages, page, pages).catch((thrown: unknown) => {
      if (!isCutOff(thrown)) throw thrown
      return db.run(readPages, [[page]])
    })
    return { rows, next: undefined }
  }
  const rest = [kind ?? null, min ?? 0n, max ?? int8Max, isCredit ?? null] as const
  const stop = before - entriesReadMax > first ? before - entriesReadMax : first
  const widthMax = matches === undefined ? entriesMax : textsMax
  const rows: Line[] = []
  let width = BigInt(count) * 2n
  let end = before
  while (end > stop && rows.length < count) {
    if (width > widthMax) width = widthMax
    const start = end - width > stop ? end - width : stop
    const range = [accountId, start, end, ...rest] as const
    const missing = count - rows.length
    if (matches === undefined) {
      rows.push(...(await db.run(listFiltered, [...range, BigInt(missing)])))
    } else {
      const notes = isNoted ? await notesIn(db, { accountId, first: start, before: end }) : noNotes
      const found = await listMatching(db, range, missing, { matches, notes })
      rows.push(...found.rows)
      if (found.next !== undefined) return { rows, next: found.next }
    }
    end = start
    width *= 10n
  }
  return { rows, next: end > first ? end : undefined }
}

const noNotes: ReadonlyMap<bigint, string> = new Map()

async function listMatching(
  db: Db,
  range: Readonly<ValuesOf<typeof filterTypes>>,
  count: number,
  { matches, notes }: { matches: Matcher; notes: ReadonlyMap<bigint, string> },
): Promise<{ rows: Line[]; next: bigint | undefined }> {
  const found: bigint[] = []
  let next: bigint | undefined
  for (const entry of await db.run(listTexts, [...range])) {
    const isFound = matches({ ...entry, note: notes.get(entry.seq) })
    if (isFound === undefined) next = entry.seq + 1n
    if (isFound) found.push(entry.seq)
    if (next !== undefined || found.length === count) break
  }
  const rows = found.length === 0 ? [] : await db.run(listBySeq, [range[0], found])
  return { rows: rows.map((row) => ({ ...row, note: notes.get(row.seq) })), next }
}

/** One entry of an account, by its transfer. */
export const readEntry = statement(
  'ledger_read_entry',
  ['uuid', 'uuid'],
  transactionColumns,
  sql`select ${selectLine}
   from transfers t
   join entries e
     on e.account_id = $1
       and e.seq = case when t.from_account_id = $1 then t.from_seq else t.to_seq end
   where t.id = $2 and $1 in (t.from_account_id, t.to_account_id)`,
)

/**
 * A page of the entries of all open accounts of `$1`, newest first, from behind the entry `$3` of
 * account `$2` on, if one is given. Of each account at most a page is read.
 */
export const listOwnEntries = statement(
  'ledger_list_own_entries',
  ['uuid', 'uuid?', 'int8?', 'int8'],
  { accountId: 'uuid', ...transactionColumns, currency: currencyText },
  sql`with recursive place as (
     select created_at, account_id, seq from entries where account_id = $2 and seq = $3
   ), ${searchByHalving(
     fragment`select a.id, case when $2::uuid is null then a.last_seq + 1 else ${firstSeq} end,
       a.last_seq + 1, a.currency
     from accounts a where a.owner_id = $1 and a.status <> 'closed'`,
     fragment`(e.created_at, e.account_id, e.seq)
       < (select created_at, account_id, seq from place)`,
     'currency',
   )}
   select e.account_id as "accountId", ${selectLine}, e.currency
   from (
     select ${bareColumns({ accountId: 'uuid', ...transactionColumns }, 'newest')}, h.currency
     from halving h cross join lateral (
       select ${storedEntryColumns} from entries where account_id = h.account_id and seq < h.low
       order by seq desc limit $4
     ) newest
     where h.low = h.high
     order by newest.created_at desc, newest.account_id desc, newest.seq desc limit $4
   ) e
   order by e.created_at desc, e.account_id desc, e.seq desc`,
)

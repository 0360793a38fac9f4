// Statements of the entries of accounts, as their owners and staff see them.
import {
  bare,
  type Db,
  fragment,
  one,
  type RowOf,
  select,
  sql,
  statement,
  type ValuesOf,
} from '../../database/statement.ts'
import { foldText } from '../../domain/folding.ts'

const findSeq = statement(
  'ledger_find_seq',
  ['uuid', 'timestamptz'],
  { seq: 'int8' },
  `with recursive halving (low, high) as (
     select 1::int8, last_seq + 1 from accounts where id = $1
     union all
     select case when e.created_at < $2 then h.middle + 1 else h.low end,
            case when e.created_at < $2 then h.high else h.middle end
     from (select low, high, (low + high) / 2 as middle from halving where low < high) h
     join entries e on e.account_id = $1 and e.seq = h.middle
   )
   select low as seq from halving where low = high`,
)
/**
 * The first entry of an account at or after that time. Times in an account never go back, so a
 * binary search finds it in some twenty look-ups of the primary key: no index by time is kept.
 */
export const seqAt = async (db: Db, accountId: string, time: number): Promise<bigint> =>
  (await one(db, findSeq, [accountId, new Date(time)]))?.seq ?? 1n

const line = {
  seq: 'int8',
  transferId: 'uuid',
  amount: 'int8',
  balanceAfter: 'int8',
  kind: 'text',
  createdAt: 'timestamptz',
} as const
const entry = { accountId: 'uuid', ...line } as const
const terms = { currency: 'text', reference: 'text' } as const
const counterparty = { counterpartyName: 'text?', counterpartyIban: 'text?' } as const

export const entryColumns = { ...entry, ...terms, ...counterparty, otherKind: 'text' } as const

/** Without what the account says already: to decode a column costs as much as to show it. */
export const transactionColumns = { ...line, reference: 'text', ...counterparty } as const

/** The columns of a subquery `e`; see {@link selectEntry}. */
export const bareEntry = bare(entry)

const selectCounterparty = fragment`shown.name as "counterpartyName",
   shown.iban as "counterpartyIban"`

/** The result columns of entries `e`; see {@link joinOther}. */
export const selectEntry = fragment`${select(entry, 'e')}, ${select(terms, 't')},
   ${selectCounterparty}, o.kind as "otherKind"`
const selectTransaction = fragment`${select(line, 'e')}, t.reference, ${selectCounterparty}`

/**
 * Joins entries `e` and their transfers `t` with the account on the other side, and with the
 * counterparty as the account may see it. The payer sees a payee that is a beneficiary under the
 * name that the payer gave, also when the money comes back: an IBAN does not tell who holds it.
 * After an erasure the payer sees nothing of it. The payee sees the holder of the payer's account.
 */
export const joinOther = fragment`join accounts o
     on o.id = case when t.from_account_id = e.account_id then t.to_account_id
                    else t.from_account_id end
   left join users u on u.id = o.owner_id
   cross join lateral (
     select (e.amount > 0) = (e.kind in ('reversal', 'return')) as is_payer,
            u.given_name || ' ' || u.family_name as holder
   ) side
   cross join lateral (
     select case when not is_payer then holder
                 when t.salt is not null then coalesce(t.counterparty_name, holder) end as name,
            case when not is_payer then o.iban
                 when t.salt is not null then coalesce(t.counterparty_iban, o.iban) end as iban
   ) shown`

/**
 * The entries of account `$1` with sequence numbers from `$2` to before `$3`, of the kind `$4`, and
 * with amounts without sign from `$5` to `$6`. The numbers are a list: PostgreSQL takes
 * a range for a share of the account, and plans each page of a long history anew.
 */
const filterEntries = fragment`from entries
     where account_id = $1 and seq = any(array(select generate_series($2::int8, $3::int8 - 1)))
       and ($4::text is null or kind = $4)
       and abs(amount) between $5 and $6 and kind <> 'settlement'`

const filterTypes = ['uuid', 'int8', 'int8', 'text?', 'int8', 'int8'] as const
type Filter = Readonly<ValuesOf<typeof filterTypes>>

/** A page, newest first. The other tables are joined for the page alone. */
const listFiltered = statement(
  'ledger_list_entries',
  [...filterTypes, 'int8'],
  transactionColumns,
  sql`select ${selectTransaction}
   from (select ${bareEntry} ${filterEntries} order by seq desc limit $7) e
   join transfers t on t.id = e.transfer_id
   ${joinOther}
   order by e.seq desc`,
)

/** The texts of the entries as they are shown, which {@link foldText} judges. */
const listTexts = statement(
  'ledger_list_texts',
  filterTypes,
  { seq: 'int8', reference: 'text', name: 'text?' },
  sql`select e.seq, t.reference, shown.name
   from (select ${bareEntry} ${filterEntries} order by seq desc) e
   join transfers t on t.id = e.transfer_id
   ${joinOther}
   order by e.seq desc`,
)

const listBySeq = statement(
  'ledger_list_entries_by_seq',
  ['uuid', 'int8[]'],
  transactionColumns,
  sql`select ${selectTransaction}
   from (select ${bareEntry} from entries where account_id = $1 and seq = any($2)) e
   join transfers t on t.id = e.transfer_id
   ${joinOther}
   order by e.seq desc`,
)

/** The newest entries, `count` at most, whose reference or counterparty holds the folded text. */
async function listWithText(db: Db, filter: Filter, count: number, folded: string) {
  const texts = await db.run(listTexts, [...filter])
  const holds = (text: string | null) => text !== null && foldText(text).includes(folded)
  const found = texts.filter(({ reference, name }) => holds(reference) || holds(name))
  if (found.length === 0) return []
  return db.run(listBySeq, [filter[0], found.slice(0, count).map(({ seq }) => seq)])
}

/** A statement reads at most this many entries. */
const entriesMax = 10_000n
/** Of texts, which are folded here: 1000 entries take about 2 ms of the main thread. */
const textsMax = 2000n

/** Above every amount. */
export const int8Max = 2n ** 63n - 1n

/**
 * A page of an account's history, newest first: of the entries whose reference or counterparty
 * contains the text, if one is given. The first statement reads the page, or twice as many entries
 * if they are filtered, and each further one ten times as many: what it costs does not hang on how
 * PostgreSQL plans it.
 */
export async function listEntries(
  db: Db,
  [accountId, first, before, ...others]: Filter,
  count: number,
  text?: string,
) {
  const found: RowOf<typeof transactionColumns>[] = []
  const [kind, min, max] = others
  const folded = text === undefined ? undefined : foldText(text)
  const widthMax = folded === undefined ? entriesMax : textsMax
  const isFiltered = text !== undefined || kind !== null || min > 0n || max < int8Max
  let width = BigInt(count) * (isFiltered ? 2n : 1n)
  for (let end = before; end > first && found.length < count;) {
    if (width > widthMax) width = widthMax
    const start = end - width > first ? end - width : first
    const filter = [accountId, start, end, ...others] as const
    const missing = count - found.length
    found.push(
      ...(folded === undefined
        ? await db.run(listFiltered, [...filter, BigInt(missing)])
        : await listWithText(db, filter, missing, folded)),
    )
    end = start
    width *= 10n
  }
  return found
}

/** One entry of an account, by its transfer. */
export const readEntry = statement(
  'ledger_read_entry',
  ['uuid', 'uuid'],
  transactionColumns,
  sql`select ${selectTransaction}
   from transfers t
   join entries e
     on e.account_id = $1
       and e.seq = case when t.from_account_id = $1 then t.from_seq else t.to_seq end
   ${joinOther}
   where t.id = $2 and $1 in (t.from_account_id, t.to_account_id)`,
)

/**
 * A page of the entries of all open accounts of `$1`, newest first, from behind the entry `$3` of
 * account `$2` on, if one is given: its place in each other account is found by a binary search as
 * in `ledger_find_seq`. Of each account at most a page is read.
 */
export const listOwnEntries = statement(
  'ledger_list_own_entries',
  ['uuid', 'uuid?', 'int8?', 'int8'],
  entryColumns,
  sql`with recursive place as (
     select created_at, account_id, seq from entries where account_id = $2 and seq = $3
   ), halving (account_id, low, high) as (
     select id, case when $2::uuid is null then last_seq + 1 else 1 end, last_seq + 1
     from accounts where owner_id = $1 and status <> 'closed'
     union all
     select e.account_id, case when is_behind then e.seq + 1 else h.low end,
            case when is_behind then h.high else e.seq end
     from (select account_id, low, high, (low + high) / 2 as middle
           from halving where low < high) h
     join entries e on e.account_id = h.account_id and e.seq = h.middle
     cross join lateral (
       select (e.created_at, e.account_id, e.seq) < (p.created_at, p.account_id, p.seq) as is_behind
       from place p
     ) compared
   )
   select ${selectEntry}
   from (
     select ${bare(entry, 'newest')}
     from halving h cross join lateral (
       select ${bareEntry} from entries where account_id = h.account_id and seq < h.low
       order by seq desc limit $4
     ) newest
     where h.low = h.high
     order by newest.created_at desc, newest.account_id desc, newest.seq desc limit $4
   ) e
   join transfers t on t.id = e.transfer_id
   ${joinOther}
   order by e.created_at desc, e.account_id desc, e.seq desc`,
)

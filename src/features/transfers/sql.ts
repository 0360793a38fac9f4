// Statements of transfers as they are listed, and of the history of an account.
import { type Db, fragment, one, select, sql, statement } from '../../database/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { lastId } from '../../domain/ids.ts'
import type { Currency } from '../../domain/money.ts'
import { type Transfer, transferColumns } from '../../ledger/order.ts'
import { readTransfers, selectTransfer } from '../../ledger/sql.ts'

/** Refuses with `not_found`. */
export async function transferById(db: Db, id: string): Promise<Transfer> {
  const [transfer] = await readTransfers(db, [id])
  return transfer ?? refuse('not_found')
}

const listAll = statement(
  'ledger_list_transfers',
  ['uuid', 'int8'],
  transferColumns,
  sql`select ${selectTransfer}
   from (select id from transfers where id < $1 order by id desc limit $2) page
   join transfers t on t.id = page.id
   left join transfers r on r.reversal_of = t.id
   order by t.id desc`,
)

/**
 * A page is in the accounts with the newest transfers, as many of them as it is long: of each other
 * account one entry of the index is read.
 */
const listFrom = statement(
  'ledger_list_transfers_from',
  ['uuid[]', 'uuid', 'int8'],
  transferColumns,
  sql`select ${selectTransfer}
   from (
     select page.id from (
       select source.id from unnest($1::uuid[]) as source (id) cross join lateral (
         select id from transfers where from_account_id = source.id and id < $2
         order by id desc limit 1
       ) newest
       order by newest.id desc limit $3
     ) source cross join lateral (
       select id from transfers where from_account_id = source.id and id < $2
       order by id desc limit $3
     ) page
     order by page.id desc limit $3
   ) page
   join transfers t on t.id = page.id
   left join transfers r on r.reversal_of = t.id
   order by t.id desc`,
)

/** Transfers out of these accounts, or all of the bank's, newest first. */
export const listTransfers = (
  db: Db,
  sources: string[] | undefined,
  after: string | undefined,
  count: number,
) => {
  const page = [after ?? lastId, BigInt(count)] as const
  const rows = sources ? db.run(listFrom, [sources, ...page]) : db.run(listAll, [...page])
  return rows as Promise<Transfer[]>
}

const readOwnAccounts = statement(
  'ledger_read_own_accounts',
  ['uuid'],
  { id: 'uuid' },
  `select id from accounts where owner_id = $1 and status <> 'closed'`,
)
export const ownAccountIds = async (db: Db, ownerId: string): Promise<string[]> =>
  (await db.run(readOwnAccounts, [ownerId])).map(({ id }) => id)

const readCurrency = statement(
  'ledger_read_customers_account',
  ['uuid'],
  { currency: 'text' },
  `select currency from accounts where id = $1 and kind = 'customer'`,
)
/** Refuses with `not_found`, also for the bank's own accounts: they are never shown. */
export async function currencyOfCustomer(db: Db, accountId: string): Promise<Currency> {
  const account = (await one(db, readCurrency, [accountId])) ?? refuse('not_found')
  return account.currency as Currency
}

const readTarget = statement(
  'beneficiaries_read_target',
  ['uuid'],
  { name: 'text', iban: 'text', targetId: 'uuid?' },
  `select b.name, b.iban, a.id as "targetId"
   from beneficiaries b left join accounts a on a.iban = b.iban
   where b.id = $1 and b.status <> 'deleted'`,
)
/** Where money for it goes: to an account of this bank, in any state, or to the IBAN elsewhere. */
export const beneficiaryTarget = (db: Db, id: string) => one(db, readTarget, [id])

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

const entry = {
  seq: 'int8',
  transferId: 'uuid',
  amount: 'int8',
  balanceAfter: 'int8',
  kind: 'text',
  createdAt: 'timestamptz',
} as const
const texts = { reference: 'text', counterpartyName: 'text?', counterpartyIban: 'text?' } as const
const owner = { givenName: 'text?', familyName: 'text?' } as const

export const entryColumns = {
  ...entry,
  ...texts,
  ...owner,
  isErased: 'bool',
  otherKind: 'text',
  otherIban: 'text?',
} as const

/** The result columns of entries `e`; see {@link joinOther}. */
export const selectEntry = fragment`${select(entry, 'e')}, ${select(texts, 't')},
   ${select(owner, 'u')}, t.salt is null as "isErased", o.kind as "otherKind",
   o.iban as "otherIban"`

/** Joins transfers `t` with the account on the other side of account `$1`, and with its owner. */
export const joinOther = fragment`join accounts o
     on o.id = case when t.from_account_id = $1 then t.to_account_id else t.from_account_id end
   left join users u on u.id = o.owner_id`

/**
 * A page of an account's history, newest first: sequence numbers from `$2` to before `$3`, amounts
 * without sign from `$5` to `$6`. The other tables are joined for the page alone.
 */
export const listEntries = statement(
  'ledger_list_entries',
  ['uuid', 'int8', 'int8', 'text?', 'int8', 'int8', 'int8'],
  entryColumns,
  sql`select ${selectEntry}
   from (
     select seq, transfer_id, amount, balance_after, kind, created_at from entries
     where account_id = $1 and seq >= $2 and seq < $3 and ($4::text is null or kind = $4)
       and abs(amount) between $5 and $6 and kind <> 'settlement'
     order by seq desc limit $7
   ) e
   join transfers t on t.id = e.transfer_id
   ${joinOther}
   order by e.seq desc`,
)

/** One entry of an account, by its transfer. */
export const readEntry = statement(
  'ledger_read_entry',
  ['uuid', 'uuid'],
  entryColumns,
  sql`select ${selectEntry}
   from transfers t
   join entries e
     on e.account_id = $1
       and e.seq = case when t.from_account_id = $1 then t.from_seq else t.to_seq end
   ${joinOther}
   where t.id = $2 and $1 in (t.from_account_id, t.to_account_id)`,
)

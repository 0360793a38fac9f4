// Statements of transfers as they are listed, and of the accounts they concern.
import type { Lookups } from '../../database/connections/lookup.ts'
import {
  currencyText,
  type Db,
  fragment,
  one,
  pageBefore,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { lastId } from '../../domain/ids.ts'
import { type Transfer, transferColumns } from '../../ledger/rules/movement.ts'
import { readTransfers, selectTransfer } from '../../ledger/rows/transfers.ts'

/** Refuses with `not_found`. */
export async function transferById(db: Db, id: string): Promise<Transfer> {
  const [transfer] = await readTransfers(db, [id])
  return transfer ?? refuse('not_found')
}

/** The transfers of a page of identifiers, newest first. */
export const joinPage = fragment`join transfers t on t.id = page.id
   left join transfers r on r.reversal_of = t.id
   order by t.id desc`

const listAll = statement(
  'ledger_list_transfers',
  ['uuid', 'int4'],
  transferColumns,
  sql`select ${selectTransfer}
   from (select id from transfers where ${pageBefore(1)}) page
   ${joinPage}`,
)

/**
 * The page lies within the accounts with the newest transfers, at most as many accounts as it has
 * items: of each other account one index entry is read.
 */
const listFrom = statement(
  'ledger_list_transfers_from',
  ['uuid[]', 'uuid', 'int4'],
  transferColumns,
  sql`select ${selectTransfer}
   from (
     select page.id from (
       select source.id from unnest($1::uuid[]) as source (id) cross join lateral (
         select id from transfers where from_account_id = source.id and id < $2
         order by id desc limit 1
       ) newest
       order by newest.id desc limit $3::int4
     ) source cross join lateral (
       select id from transfers where from_account_id = source.id and ${pageBefore(2)}
     ) page
     order by page.id desc limit $3::int4
   ) page
   ${joinPage}`,
)

/** Pending transfers are few: these statements read only the index of them. */
const listPending = statement(
  'ledger_list_pending_transfers',
  ['uuid', 'int4'],
  transferColumns,
  sql`select ${selectTransfer}
   from (
     select id from transfers where status = 'pending' and ${pageBefore(1)}
   ) page
   ${joinPage}`,
)

const listPendingFrom = statement(
  'ledger_list_pending_transfers_from',
  ['uuid[]', 'uuid', 'int4'],
  transferColumns,
  sql`select ${selectTransfer}
   from (
     select id from transfers
     where status = 'pending' and from_account_id = any($1) and ${pageBefore(2)}
   ) page
   ${joinPage}`,
)

type ListTransfers = (
  db: Db,
  sources: string[] | undefined,
  after: string | undefined,
  count: number,
) => Promise<Transfer[]>

const listBy =
  (of: typeof listFrom, all: typeof listAll): ListTransfers =>
  (db, sources, after, count) => {
    const page = [after ?? lastId, count] as const
    const rows = sources ? db.run(of, [sources, ...page]) : db.run(all, [...page])
    return rows as Promise<Transfer[]>
  }

/** Transfers out of these accounts, or all of the bank's, newest first. */
export const listTransfers = listBy(listFrom, listAll)

/** The same for those that are pending. */
export const listPendingTransfers = listBy(listPendingFrom, listPending)

const readOwnAccounts = statement(
  'ledger_read_own_accounts',
  ['uuid'],
  { id: 'uuid' },
  `select id from accounts where owner_id = $1 and status <> 'closed'`,
)
export const ownAccountIds = async (db: Db, ownerId: string): Promise<string[]> =>
  (await db.run(readOwnAccounts, [ownerId])).map(({ id }) => id)

/** The accounts that may be shown: the bank's own are not. */
export const readCustomersAccount = statement(
  'ledger_read_customers_account',
  ['uuid[]'],
  { id: 'uuid', ownerId: 'uuid', isGone: 'bool', currency: currencyText, lastSeq: 'int8' },
  `select id, owner_id as "ownerId", status = 'closed' as "isGone", currency,
     last_seq as "lastSeq"
   from accounts where id = any($1) and kind = 'customer'`,
)
/** Refuses with `not_found`, also for the bank's own accounts: they are never shown. */
export async function customersAccount(db: Pick<Lookups, 'lookup'>, accountId: string) {
  const [account = refuse('not_found')] = await db.lookup(readCustomersAccount, accountId)
  return { currency: account.currency, ownerId: account.ownerId }
}

const readTarget = statement(
  'beneficiaries_read_target',
  ['uuid'],
  { name: 'text', iban: 'text', targetId: 'uuid?' },
  `select b.name, b.iban, a.id as "targetId"
   from beneficiaries b left join accounts a on a.iban = b.iban
   where b.id = $1 and b.status <> 'deleted'`,
)
/** The target of its payments: an account of this bank, in any state, or the IBAN elsewhere. */
export const beneficiaryTarget = (db: Db, id: string) => one(db, readTarget, [id])

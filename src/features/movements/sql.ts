// Statements of transfers as they are listed, and of the accounts they concern.
import type { Lookups } from '../../database/connections/lookup.ts'
import {
  currencyText,
  type Db,
  Fragment,
  fragment,
  one,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { refuseMissing } from '../../gate/archived.ts'
import { lastId } from '../../domain/ids.ts'
import { type Transfer, transferColumns } from '../../ledger/rules/movement.ts'
import { readTransfers, selectTransfer } from '../../ledger/rows/transfers.ts'

/** Refuses with `not_found`, or with `archived`. */
export async function transferById(db: Db, id: string): Promise<Transfer> {
  const [transfer] = await readTransfers(db, [id])
  return transfer ?? refuseMissing(db, id)
}

/**
 * The transfers of a page of identifiers, newest first. PostgreSQL takes an array for few, so it
 * looks each of them up, and keeps one plan for all pages: to plan a page anew takes longer than to
 * read it, since a plan has the transfers of each year.
 */
export const transfersOf = (page: Fragment): Fragment => fragment`select ${selectTransfer}
   from transfers t left join brought_back r on r.transfer_id = t.id
   where t.id = any(array(${page}))
   order by t.id desc`

/** One more than a page has (`MAX_PAGE`): the first of the next one. */
const pageMax = 1001

/**
 * The identifiers of a page of transfers that meet the condition and are older than the parameter
 * `from`, as many as the next one says. PostgreSQL takes a page of unknown length for a tenth of
 * what it is of: by the constant that is little.
 */
export const pageOfTransfers = (where: Fragment, from: number): Fragment => fragment`
     select id from (
       select id from transfers
       where ${where} and ${new Fragment(`id < coalesce($${from}::uuid, '${lastId}')`)}
       order by id desc limit ${new Fragment(`${pageMax}`)}
     ) newest order by id desc limit ${new Fragment(`$${from + 1}::int4`)}`

/** More would be left out. */
export function requirePage(count: number): number {
  if (count > pageMax) throw new RangeError(`${count} transfers are more than a page`)
  return count
}

const listAll = statement(
  'ledger_list_transfers',
  ['uuid', 'int4'],
  transferColumns,
  sql`${transfersOf(pageOfTransfers(fragment`true`, 1))}`,
)

/**
 * The page lies within the accounts with the newest transfers, at most as many accounts as it has
 * items: of each other account one index entry is read.
 */
const listFrom = statement(
  'ledger_list_transfers_from',
  ['uuid[]', 'uuid', 'int4'],
  transferColumns,
  sql`${transfersOf(fragment`
     select page.id from (
       select source.id from unnest($1::uuid[]) as source (id) cross join lateral (
         select id from transfers where from_account_id = source.id and id < $2
         order by id desc limit 1
       ) newest
       order by newest.id desc limit $3::int4
     ) source cross join lateral (${pageOfTransfers(fragment`from_account_id = source.id`, 2)}) page
     order by page.id desc limit $3::int4`)}`,
)

/** Pending transfers are few: these statements read only the index of them. */
const listPending = statement(
  'ledger_list_pending_transfers',
  ['uuid', 'int4'],
  transferColumns,
  sql`${transfersOf(pageOfTransfers(fragment`status = 'pending'`, 1))}`,
)

const listPendingFrom = statement(
  'ledger_list_pending_transfers_from',
  ['uuid[]', 'uuid', 'int4'],
  transferColumns,
  sql`${transfersOf(
    pageOfTransfers(fragment`status = 'pending' and from_account_id = any($1)`, 2),
  )}`,
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
    const page = [after ?? lastId, requirePage(count)] as const
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

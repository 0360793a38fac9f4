// Data of customers' accounts. The ledger has the bank's own accounts.
import { signatureColumns } from '../../ledger/rules/signatures.ts'
import { insertInto } from '../../database/statements/rows.ts'
import { violates } from '../../database/connections/failure.ts'
import { updateIn } from '../../database/statements/rows.ts'
import {
  conditions,
  currencyText,
  type Db,
  fragment,
  listOf,
  one,
  pageBefore,
  type RowOf,
  select,
  snakeCase,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { externalIdOf, isNumberedBy } from '../../ledger/rows/made-resources.ts'
import { foldName } from '../../domain/folding.ts'
import { blockColumns } from '../../ledger/rules/blocks.ts'

export const statuses = ['active', 'frozen', 'closed'] as const

/**
 * What an account is shown with, without its settings. A constraint of the table requires the owner
 * and the IBAN of a customer's account.
 */
const shown = {
  id: 'uuid',
  ownerId: 'uuid',
  iban: 'text',
  currency: currencyText,
  name: 'text?',
  status: wordOf(statuses),
  balance: 'int8',
  overdraftLimit: 'int8',
  held: 'int8',
  unarrangedSince: 'timestamptz?',
  ...blockColumns,
  createdAt: 'timestamptz',
} as const
export type ShownRow = RowOf<typeof shown>

const phone = { registeredPhone: 'text?' } as const
const account = {
  ...shown,
  ...phone,
  dailyTransferLimit: 'int8?',
  alertsEnabled: 'bool',
} as const
export type AccountRow = RowOf<typeof account>

const numbered = { ...account, externalId: 'text?' } as const
export type NumberedRow = RowOf<typeof numbered>
const selectNumbered = fragment`${select(account)}, ${externalIdOf(fragment`accounts.id`)}`

/** As it is shown to staff, in any state. */
export const readNumbered = statement(
  'accounts_read_numbered',
  ['uuid[]'],
  { ...numbered, isGone: 'bool' },
  sql`select ${selectNumbered}, status = 'closed' as "isGone" from accounts
   where id = any($1) and kind = 'customer'`,
)

/** The account in any state, closed included. */
export const readAccount = statement(
  'accounts_read',
  ['uuid[]'],
  { ...account, isGone: 'bool' },
  sql`select ${select(account)}, status = 'closed' as "isGone" from accounts
   where id = any($1) and kind = 'customer'`,
)

export const accountById = (db: Db, id: string) => one(db, readAccount, [[id]])

const holder = {
  givenName: 'text',
  familyName: 'text',
  email: 'text',
  phone: 'text?',
  address: 'text?',
} as const
// Details show no setting but the phone: a column that is not shown costs as much as one that is.
const detailed = { ...shown, ...phone }
const details = { ...detailed, ...holder }
export type DetailsRow = RowOf<typeof details>

/** The account and its holder, in any state, closed included. */
export const readDetails = statement(
  'accounts_read_details',
  ['uuid[]'],
  { ...details, isGone: 'bool' },
  sql`select ${select(detailed, 'a')}, ${select(holder, 'u')}, a.status = 'closed' as "isGone"
   from accounts a join users u on u.id = a.owner_id
   where a.id = any($1) and a.kind = 'customer'`,
)

/** Refuses with `not_found` an account that does not exist or is closed. */
export const requireOpen = <A extends { status: string }>(row: A | undefined): A =>
  row === undefined || row.status === 'closed' ? refuse('not_found') : row

/** A customer's open accounts. */
export const accountsByOwner = listOf(
  'accounts_list_own',
  account,
  fragment`select ${select(account)} from accounts where owner_id = $1 and status <> 'closed'`,
)

const acted = { ...account, ownerName: 'text?', rights: 'text?' } as const
const listActed = statement(
  'accounts_list_acted',
  ['uuid', 'uuid?', 'int4', 'timestamptz'],
  acted,
  sql`select ${select(account, 'a')},
     case when m.id is not null then o.given_name || ' ' || o.family_name end as "ownerName",
     m.rights
   from accounts a
   join users o on o.id = a.owner_id
   left join standing_members m on m.account_id = a.id and m.person_id = $1
   where a.id in (
       select id from accounts where owner_id = $1
       union all
       select account_id from standing_members
       where person_id = $1 and (until is null or until > $4))
     and a.status <> 'closed' and ($2::uuid is null or a.id < $2)
   order by a.id desc limit $3::int4`,
)
/** The same, and the open accounts of others that the customer may act on at that time. */
export const accountsActedOn = (
  db: Db,
  ownerId: string,
  { after, count, at }: { after: string | undefined; count: number; at: number },
) => db.run(listActed, [ownerId, after ?? null, count, new Date(at)])

const findPending = statement(
  'accounts_find_pending',
  ['uuid'],
  { id: 'uuid' },
  `select id from transfers where from_account_id = $1 and status in ('pending', 'sent') limit 1`,
)
/** Whether a transfer out of the account may still be returned. */
export const hasPending = async (tx: Db, accountId: string): Promise<boolean> =>
  (await tx.run(findPending, [accountId])).length > 0

/** The filters of the search, in the order of the parameters. */
const filters = {
  iban: ['text', 'iban = $1'],
  owner: ['uuid', 'owner_id = $2'],
  holder: ['text', 'owner_id = any(array(select people_named($3)))'],
  statuses: ['text[]', 'status = any($4)'],
  externalId: ['text', isNumberedBy(fragment`$5`, fragment`$9`)],
  overdrawn: ['bool', '$6 and unarranged > 0'],
} as const

/** One statement for each leading filter, so that each has the plan of its index. */
const searchBy = (lead: 'iban' | 'owner' | 'holder' | 'externalId' | 'overdrawn' | 'time') =>
  statement(
    `accounts_search_by_${snakeCase(lead)}`,
    ['text?', 'uuid?', 'text?', 'text[]', 'text?', 'bool?', 'uuid?', 'int4', 'uuid?'],
    numbered,
    [
      sql`select ${selectNumbered} from accounts where kind = 'customer' and`,
      ...conditions(filters, lead),
      pageBefore(7).text,
    ].join(' '),
  )
const searches = {
  iban: searchBy('iban'),
  owner: searchBy('owner'),
  holder: searchBy('holder'),
  externalId: searchBy('externalId'),
  overdrawn: searchBy('overdrawn'),
  time: searchBy('time'),
}

export type AccountFilter = {
  iban?: string | undefined
  ownerId?: string | undefined
  /** The holder's full name from the beginning of one of its words, folded. */
  holder?: string | undefined
  externalId?: string | undefined
  /** Whose number `externalId` is; undefined: anybody's. */
  numberedBy?: string | undefined
  /** Only those in unarranged overdraft. */
  isOverdrawn?: boolean
  statuses: readonly string[]
}
function chooseLead(filter: AccountFilter): keyof typeof searches {
  const { iban, ownerId, holder, externalId, isOverdrawn } = filter
  if (externalId !== undefined) return 'externalId'
  if (iban !== undefined) return 'iban'
  if (ownerId !== undefined) return 'owner'
  if (holder !== undefined) return 'holder'
  return isOverdrawn ? 'overdrawn' : 'time'
}

/** The customers' accounts that match, newest first. */
export const accounts = (db: Db, filter: AccountFilter, after: string | undefined, count: number) =>
  db.run(searches[chooseLead(filter)], [
    filter.iban ?? null,
    filter.ownerId ?? null,
    filter.holder === undefined ? null : foldName(filter.holder),
    [...filter.statuses],
    filter.externalId ?? null,
    filter.isOverdrawn || null,
    after ?? null,
    count,
    filter.numberedBy ?? null,
  ])

const lockOwnerRow = statement(
  'accounts_lock_owner',
  ['uuid'],
  { id: 'uuid' },
  `select id from users
   where id = $1 and status = 'active' and 'customer' = any(roles) for no key update`,
)
/** Locks an active customer, so that accounts are opened one at a time. Undefined for others. */
export const lockOwner = (tx: Db, id: string) => one(tx, lockOwnerRow, [id])

const opened = {
  id: 'uuid',
  ownerId: 'uuid',
  iban: 'text',
  currency: currencyText,
  name: 'text?',
  createdAt: 'timestamptz',
} as const
export type NewAccount = RowOf<typeof opened>
/**
 * Lock the owner first. Undefined when the owner has `openMax` open accounts. Fails on
 * `accounts_iban_key` when the IBAN is taken.
 */
export const addAccount = insertInto('accounts_insert', 'accounts', opened, {
  gives: account,
  more: { openMax: 'int4' },
  where: `(
     select count(*) from accounts where owner_id = :ownerId and status <> 'closed'
   ) < :openMax::int4`,
})

const writeStatus = statement(
  'accounts_write_status',
  ['uuid', 'text'],
  account,
  sql`update accounts set status = $2
   where id = $1 and kind = 'customer' and status <> 'closed'
   returning ${select(account)}`,
)
/** Freezes or unfreezes, from either state. Undefined when it is closed or does not exist. */
export const setStatus = (db: Db, id: string, status: 'active' | 'frozen') =>
  one(db, writeStatus, [id, status])

const writeName = statement(
  'accounts_write_name',
  ['uuid', 'text?'],
  account,
  sql`update accounts set name = $2
   where id = $1 and kind = 'customer' and status <> 'closed'
   returning ${select(account)}`,
)
/** Undefined when it is closed or does not exist. */
export const setName = (db: Db, id: string, name: string | null) => one(db, writeName, [id, name])

const locked = { ...account, heldUntil: 'timestamptz?', ...signatureColumns } as const
/** No hold of it expires before `heldUntil`; null: none does. */
export type LockedRow = RowOf<typeof locked>

const lockRow = statement(
  'accounts_lock',
  ['uuid'],
  locked,
  sql`select ${select(locked)}
   from accounts where id = $1 and kind = 'customer' for no key update`,
)
/** Locks the account against transfers and other changes until the transaction ends. */
export const lockAccount = (tx: Db, id: string) => one(tx, lockRow, [id])

/** Refuses with `not_found` (missing or closed) or `account_frozen`. */
export function requireActive(found: LockedRow | undefined): LockedRow {
  const row = requireOpen(found)
  return row.status === 'frozen' ? refuse('account_frozen') : row
}

/** Locks the account. Refuses as {@link requireActive} does. */
export const lockActiveAccount = async (tx: Db, id: string): Promise<LockedRow> =>
  requireActive(await lockAccount(tx, id))

const endMembers = statement(
  'accounts_end_members',
  ['uuid', 'timestamptz', 'text'],
  { id: 'uuid', personId: 'uuid?', acceptedAt: 'timestamptz?', ownerId: 'uuid' },
  `update account_members m set ended_at = $2, ended_by = $3 from accounts a
   where m.account_id = $1 and a.id = m.account_id and m.ended_at is null
   returning m.id, m.person_id as "personId", m.accepted_at as "acceptedAt",
     a.owner_id as "ownerId"`,
)
/** Behind the lock of the account: ends all that act on it, and takes back invitations. */
export const endMembersOf = (
  tx: Db,
  accountId: string,
  { at, by }: { at: number; by: 'owner' | 'staff' },
) => tx.run(endMembers, [accountId, new Date(at), by])

const closeAccount = statement(
  'accounts_close',
  ['uuid'],
  `update accounts set status = 'closed', name = null, registered_phone = null where id = $1`,
)
/** Keeps the row, which the ledger needs, without personal data. */
export const writeClosed = (tx: Db, id: string) => tx.run(closeAccount, [id])

const updateSettings = updateIn('accounts_write_settings', 'accounts', {
  id: 'uuid',
  ...phone,
  dailyTransferLimit: 'int8?',
  overdraftLimit: 'int8',
  alertsEnabled: 'bool',
})
/** Refuses with `limit_exceeded` an overdraft limit below what is used and held of it. */
export async function writeSettings(tx: Db, row: AccountRow): Promise<void> {
  try {
    await updateSettings(tx, row)
  } catch (thrown) {
    if (violates(thrown, 'accounts_floor')) refuse('limit_exceeded', { because: thrown })
    throw thrown
  }
}

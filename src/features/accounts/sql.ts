// Data of accounts. Only those of customers: the bank's own side of the books is the ledger's.
import { violates } from '../../database/failure.ts'
import type { Database } from '../../database/connect.ts'
import { conditions, type Db, one, type RowOf, statement } from '../../database/statement.ts'
import { refuse } from '../../domain/errors.ts'

// Owner and IBAN are there on each of a customer's accounts: constraints of the table say so.
const account = {
  id: 'uuid',
  owner_id: 'uuid',
  iban: 'text',
  currency: 'text',
  name: 'text?',
  status: 'text',
  balance: 'int8',
  overdraft_limit: 'int8',
  created_at: 'timestamptz',
} as const
export type AccountRow = RowOf<typeof account>

const readAccounts = statement(
  'accounts_read',
  ['uuid[]'],
  account,
  `select id, owner_id, iban, currency, name, status, balance, overdraft_limit, created_at
   from accounts where id = any($1) and kind = 'customer'`,
)
/** The account in any state, also closed. */
export const accountById = async (db: Database, id: string) =>
  (await db.lookup(readAccounts, id))[0]

const details = {
  ...account,
  registered_phone: 'text?',
  given_name: 'text',
  family_name: 'text',
  email: 'text',
  phone: 'text?',
  address: 'text?',
} as const
export type DetailsRow = RowOf<typeof details>

const readDetails = statement(
  'accounts_read_details',
  ['uuid[]'],
  details,
  `select a.id, a.owner_id, a.iban, a.currency, a.name, a.status, a.balance, a.overdraft_limit,
          a.created_at, a.registered_phone, u.given_name, u.family_name, u.email, u.phone,
          u.address
   from accounts a join users u on u.id = a.owner_id
   where a.id = any($1) and a.kind = 'customer'`,
)
/** The account and its holder, in any state, also closed. */
export const detailsById = async (db: Database, id: string) => (await db.lookup(readDetails, id))[0]

const settings = {
  id: 'uuid',
  currency: 'text',
  status: 'text',
  registered_phone: 'text?',
  daily_transfer_limit: 'int8?',
  overdraft_limit: 'int8',
  alerts_enabled: 'bool',
} as const
export type SettingsRow = RowOf<typeof settings>

const readSettings = statement(
  'accounts_read_settings',
  ['uuid[]'],
  settings,
  `select id, currency, status, registered_phone, daily_transfer_limit, overdraft_limit,
          alerts_enabled
   from accounts where id = any($1) and kind = 'customer'`,
)
export const settingsById = async (db: Database, id: string) =>
  (await db.lookup(readSettings, id))[0]

const listOwn = statement(
  'accounts_list_own',
  ['uuid', 'uuid?', 'int4'],
  account,
  `select id, owner_id, iban, currency, name, status, balance, overdraft_limit, created_at
   from accounts
   where owner_id = $1 and status <> 'closed' and ($2::uuid is null or id < $2)
   order by id desc limit $3::int4`,
)
/** A customer's accounts that are not closed, newest first. */
export const accountsByOwner = (
  db: Db,
  ownerId: string,
  after: string | undefined,
  count: number,
) => db.run(listOwn, [ownerId, after ?? null, count])

const findPending = statement(
  'accounts_find_pending',
  ['uuid'],
  { id: 'uuid' },
  "select id from transfers where from_account_id = $1 and status = 'pending' limit 1",
)
/** Whether money is on its way out that may still come back. */
export const hasPending = async (tx: Db, accountId: string): Promise<boolean> =>
  (await tx.run(findPending, [accountId])).length > 0

/** What accounts are searched by, in the order of the parameters. */
const filters = {
  iban: ['text', 'iban = $1'],
  owner: ['uuid', 'owner_id = $2'],
  holder: ['text', 'owner_id = any(array(select people_named($3)))'],
  statuses: ['text[]', 'status = any($4)'],
} as const

/** As in the list of people, the leading filter stands in the statement by itself. */
const searchBy = (lead: 'iban' | 'owner' | 'holder' | 'time') =>
  statement(
    `accounts_search_by_${lead}`,
    ['text?', 'uuid?', 'text?', 'text[]', 'uuid?', 'int4'],
    account,
    [
      'select id, owner_id, iban, currency, name, status, balance, overdraft_limit, created_at',
      `from accounts where kind = 'customer' and`,
      ...conditions(filters, lead),
      `id < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
       order by id desc limit $6::int4`,
    ].join(' '),
  )
const searches = {
  iban: searchBy('iban'),
  owner: searchBy('owner'),
  holder: searchBy('holder'),
  time: searchBy('time'),
}

export type AccountFilter = {
  iban?: string | undefined
  ownerId?: string | undefined
  /** The holder's full name from the beginning of one of its words on, in any case. */
  holder?: string | undefined
  statuses: readonly string[]
}
function chooseLead({ iban, ownerId, holder }: AccountFilter): keyof typeof searches {
  if (iban !== undefined) return 'iban'
  if (ownerId !== undefined) return 'owner'
  return holder === undefined ? 'time' : 'holder'
}

/** All customers' accounts that fit, newest first. */
export const accounts = (db: Db, filter: AccountFilter, after: string | undefined, count: number) =>
  db.run(searches[chooseLead(filter)], [
    filter.iban ?? null,
    filter.ownerId ?? null,
    filter.holder ?? null,
    [...filter.statuses],
    after ?? null,
    count,
  ])

const lockOwner = statement(
  'accounts_lock_owner',
  ['uuid'],
  { id: 'uuid' },
  `select id from users
   where id = $1 and status = 'active' and 'customer' = any(roles) for no key update`,
)
/** Holds the owner, so that his accounts are opened one at a time. Only an active customer. */
export const lockedOwner = (tx: Db, id: string) => one(tx, lockOwner, [id])

const insertAccount = statement(
  'accounts_insert',
  ['uuid', 'uuid', 'text', 'text', 'text?', 'timestamptz', 'int4'],
  account,
  `insert into accounts (id, owner_id, iban, currency, name, created_at)
   select $1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::timestamptz
   where (select count(*) from accounts where owner_id = $2 and status <> 'closed') < $7::int4
   returning id, owner_id, iban, currency, name, status, balance, overdraft_limit, created_at`,
)
export type NewAccount = {
  id: string
  ownerId: string
  iban: string
  currency: string
  name: string | null
  now: number
}
/**
 * To be called while the owner is held. Undefined when that would make more than `openMax` open
 * accounts. Fails when the IBAN is taken.
 */
export const addAccount = (
  tx: Db,
  { id, ownerId, iban, currency, name, now }: NewAccount,
  openMax: number,
) => one(tx, insertAccount, [id, ownerId, iban, currency, name, new Date(now), openMax])

const writeStatus = statement(
  'accounts_write_status',
  ['uuid', 'text'],
  account,
  `update accounts set status = $2
   where id = $1 and kind = 'customer' and status <> 'closed'
   returning id, owner_id, iban, currency, name, status, balance, overdraft_limit, created_at`,
)
/** Freezes or thaws, whichever it was before. Undefined when it is closed or not there. */
export const setStatus = (db: Db, id: string, status: 'active' | 'frozen') =>
  one(db, writeStatus, [id, status])

const lockAccount = statement(
  'accounts_lock',
  ['uuid'],
  { ...settings, balance: 'int8' },
  `select id, currency, status, registered_phone, daily_transfer_limit, overdraft_limit,
          alerts_enabled, balance
   from accounts where id = $1 and kind = 'customer' for no key update`,
)
/** Holds the account against transfers, freezing and other changes until the transaction ends. */
export const lockedAccount = (tx: Db, id: string) => one(tx, lockAccount, [id])

const closeAccount = statement(
  'accounts_close',
  ['uuid'],
  {},
  `update accounts set status = 'closed', name = null, registered_phone = null where id = $1`,
)
/** What is left is the tombstone the books need: no text anybody wrote, no telephone number. */
export const writeClosed = (tx: Db, id: string) => tx.run(closeAccount, [id])

const updateSettings = statement(
  'accounts_write_settings',
  ['uuid', 'text?', 'int8?', 'int8', 'bool'],
  {},
  `update accounts
   set registered_phone = $2, daily_transfer_limit = $3, overdraft_limit = $4, alerts_enabled = $5
   where id = $1`,
)
/** Refuses with `limit_exceeded` an overdraft limit below what is overdrawn already. */
export async function writeSettings(tx: Db, row: SettingsRow): Promise<void> {
  try {
    await tx.run(updateSettings, [
      row.id,
      row.registered_phone,
      row.daily_transfer_limit,
      row.overdraft_limit,
      row.alerts_enabled,
    ])
  } catch (thrown) {
    if (violates(thrown, 'accounts_floor')) refuse('limit_exceeded', { because: thrown })
    throw thrown
  }
}

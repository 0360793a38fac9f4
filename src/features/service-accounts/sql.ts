// Data of service accounts and their keys. The gate reads both by a statement of its own.
import { insertInto, updateIn } from '../../database/statements/rows.ts'
import {
  type Db,
  fragment,
  one,
  pageBefore,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'

export const statuses = ['active', 'disabled'] as const
export type Status = (typeof statuses)[number]

const terms = {
  id: 'uuid',
  name: 'text',
  status: wordOf(statuses),
  readsAll: 'bool',
  customerId: 'uuid?',
  payFrom: 'uuid[]',
  operations: 'text[]',
  addresses: 'text[]',
  expiresAt: 'timestamptz?',
  administrators: 'uuid[]',
} as const
const columns = { ...terms, createdAt: 'timestamptz' } as const

const account = { ...columns, keys: 'jsonb' } as const
export type ServiceAccountRow = RowOf<typeof account>
/** What is written of one. */
export type ServiceAccountTerms = RowOf<typeof terms>

/** With its live keys, the oldest first. */
const accountWithKeys = fragment`${select(columns, 's')}, (
     select coalesce(jsonb_agg(jsonb_build_object(
       'id', k.id, 'createdAt', k.created_at, 'lastUsedAt', k.last_used_at) order by k.id), '[]')
     from service_keys k where k.service_account_id = s.id and k.revoked_at is null
   ) as keys
   from service_accounts s`

const readAccount = statement(
  'service_accounts_read',
  ['uuid'],
  account,
  sql`select ${accountWithKeys} where s.id = $1`,
)
export const serviceAccountById = (db: Db, id: string) => one(db, readAccount, [id])

const listAccounts = statement(
  'service_accounts_list',
  ['uuid?', 'int4'],
  account,
  sql`select ${accountWithKeys} where ${pageBefore(1, 's.id')}`,
)
/** Newest first. */
export const serviceAccounts = (db: Db, after: string | undefined, count: number) =>
  db.run(listAccounts, [after ?? null, count])

const lockAccount = statement(
  'service_accounts_lock',
  ['uuid'],
  columns,
  sql`select ${select(columns)} from service_accounts where id = $1 for update`,
)
/** One change at a time: keys are issued under this lock too. */
export const lockServiceAccount = (tx: Db, id: string) => one(tx, lockAccount, [id])

const insertAccount = insertInto('service_accounts_insert', 'service_accounts', columns)
export const addServiceAccount = (tx: Db, terms: ServiceAccountTerms, now: number) =>
  insertAccount(tx, { ...terms, createdAt: new Date(now) })
/** Lock it first. */
export const writeServiceAccount = updateIn('service_accounts_write', 'service_accounts', terms)

const findCustomer = statement(
  'service_accounts_find_customer',
  ['uuid'],
  { id: 'uuid' },
  `select id from users where id = $1 and status = 'active' and 'customer' = any(roles)`,
)
export const isCustomer = async (tx: Db, id: string): Promise<boolean> =>
  (await one(tx, findCustomer, [id])) !== undefined

const findOpen = statement(
  'service_accounts_find_open',
  ['uuid[]'],
  { id: 'uuid' },
  `select id from accounts where id = any($1) and kind = 'customer' and status <> 'closed'`,
)
/** Whether all of them are open accounts of customers. */
export const areOpen = async (tx: Db, ids: readonly string[]): Promise<boolean> =>
  (await tx.run(findOpen, [[...ids]])).length === ids.length

const insertKey = statement(
  'service_keys_insert',
  ['uuid', 'uuid', 'bytea', 'timestamptz', 'uuid'],
  { id: 'uuid' },
  `insert into service_keys (id, service_account_id, key_hash, place, created_at, issued_by)
   select $1, $2, $3, free.place, $4, $5
   from (values (1), (2)) as free (place)
   where not exists (
     select from service_keys k
     where k.service_account_id = $2 and k.revoked_at is null and k.place = free.place
   )
   order by free.place limit 1
   returning id`,
)
/** Lock its account first. False when it has as many live keys as there may be. */
export const addKey = async (
  tx: Db,
  key: { id: string; accountId: string; hash: Buffer; now: number; issuedBy: string },
): Promise<boolean> => {
  const values = [key.id, key.accountId, key.hash, new Date(key.now), key.issuedBy] as const
  return (await one(tx, insertKey, [...values])) !== undefined
}

const findIssued = statement(
  'service_keys_issued_by',
  ['uuid', 'int4'],
  { id: 'uuid', accountId: 'uuid', count: 'int4' },
  `select id, service_account_id as "accountId", (count(*) over ())::int as count
   from service_keys where issued_by = $1 and revoked_at is null order by id limit $2::int4`,
)
/**
 * The keys that an administrator was shown and that are not revoked, the oldest first, each with
 * the number of all of them. A service account that is disabled may be enabled again, so its keys
 * are among them.
 */
export const keysIssuedBy = (tx: Db, userId: string, countMax: number) =>
  tx.run(findIssued, [userId, countMax])

const endKey = statement(
  'service_keys_revoke',
  ['uuid', 'uuid', 'timestamptz'],
  { id: 'uuid' },
  `update service_keys set revoked_at = $3
   where id = $2 and service_account_id = $1 and revoked_at is null
   returning id`,
)
/** False when that account has no such live key. */
export const revokeKey = async (
  tx: Db,
  accountId: string,
  keyId: string,
  now: number,
): Promise<boolean> => (await one(tx, endKey, [accountId, keyId, new Date(now)])) !== undefined

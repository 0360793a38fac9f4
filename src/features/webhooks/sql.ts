// Data of webhooks: their endpoints, with the keys that sign for them.
import { insertInto, updateIn } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  pageBefore,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'

export const statuses = ['active', 'disabled'] as const

const columns = {
  id: 'uuid',
  url: 'text',
  description: 'text',
  types: 'text[]',
  status: wordOf(statuses),
  disabledBecause: 'text?',
  hmacKey: 'bytea',
  seed: 'bytea',
  previousHmacKey: 'bytea?',
  previousSeed: 'bytea?',
  previousEndsAt: 'timestamptz?',
  afterNumber: 'int8',
  failingSince: 'timestamptz?',
  createdAt: 'timestamptz',
} as const
export type WebhookRow = RowOf<typeof columns>

const readWebhook = statement(
  'webhooks_read',
  ['uuid'],
  columns,
  sql`select ${select(columns)} from webhooks where id = $1`,
)
export const webhookById = (db: Db, id: string) => one(db, readWebhook, [id])

const listWebhooks = statement(
  'webhooks_list',
  ['uuid?', 'int4'],
  columns,
  sql`select ${select(columns)} from webhooks where ${pageBefore(1)}`,
)
/** Newest first. */
export const webhooks = (db: Db, after: string | undefined, count: number) =>
  db.run(listWebhooks, [after ?? null, count])

const lockWebhook = statement(
  'webhooks_lock',
  ['uuid'],
  columns,
  sql`select ${select(columns)} from webhooks where id = $1 for update`,
)
export const lockedWebhook = (tx: Db, id: string) => one(tx, lockWebhook, [id])

const lockCount = statement(
  'webhooks_lock_count',
  [],
  { lockCount: 'int8' },
  `with locked as materialized (select pg_advisory_xact_lock(hashtext('webhooks')))
   select count(*) as "lockCount" from locked`,
)
const countAll = statement(
  'webhooks_count',
  [],
  { count: 'int8' },
  'select count(*) as count from webhooks',
)
/** How many there are. None is added beside it before the transaction ends. */
export async function countWebhooks(tx: Db): Promise<bigint> {
  // A statement sees what was committed before it began, and the wait is part of it.
  await tx.run(lockCount, [])
  return (await one(tx, countAll, []))?.count ?? 0n
}

export const addWebhook = insertInto('webhooks_insert', 'webhooks', columns)
/** Lock it first. */
export const writeWebhook = updateIn('webhooks_update', 'webhooks', columns)

const deleteWebhook = statement(
  'webhooks_delete',
  ['uuid'],
  { id: 'uuid' },
  'delete from webhooks where id = $1 returning id',
)
/** False when there is none. */
export const removeWebhook = async (tx: Db, id: string): Promise<boolean> =>
  (await one(tx, deleteWebhook, [id])) !== undefined

const startFailing = statement(
  'webhooks_start_failing',
  ['uuid', 'text', 'timestamptz'],
  `update webhooks set failing_since = $3
   where id = $1 and url = $2 and failing_since is null`,
)
/** An attempt, and the URL that was tried: the webhook may have another one by now. */
type Tried = { webhookId: string; url: string }

/** The first failure after a success. */
export const noteFailing = (tx: Db, { webhookId, url }: Tried, now: number) =>
  tx.run(startFailing, [webhookId, url, new Date(now)])

const endFailing = statement(
  'webhooks_end_failing',
  ['uuid', 'text'],
  `update webhooks set failing_since = null
   where id = $1 and url = $2 and failing_since is not null`,
)
export const noteSuccess = (tx: Db, { webhookId, url }: Tried) =>
  tx.run(endFailing, [webhookId, url])

const disableOne = statement(
  'webhooks_disable',
  ['uuid', 'text', 'text', 'timestamptz'],
  { id: 'uuid' },
  `update webhooks set status = 'disabled', disabled_because = $3
   where id = $1 and url = $2 and status = 'active' and ($3 = 'gone' or failing_since <= $4)
   returning id`,
)
/**
 * Disables it as gone, or as failing if it has failed since that time at the latest. False when it
 * was not active, has succeeded since, or has another URL by now.
 */
export const disableWebhook = async (
  tx: Db,
  { webhookId, url }: Tried,
  because: 'gone' | 'failing',
  failingSince: number,
): Promise<boolean> =>
  (await one(tx, disableOne, [webhookId, url, because, new Date(failingSince)])) !== undefined

// Data of the deliveries of webhooks.
import {
  type Db,
  fragment,
  listOf,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import { idAt } from '../../domain/ids.ts'
import { type PurgeBatch, purging } from '../../database/background/purge.ts'

/** Deliveries of one webhook that are due; no more are made of its events until they are sent. */
const dueMax = 1000

const isBehind = fragment`exists (
     select from unnest(w.types) as t (type)
     where exists (select from events e where e.type = t.type and e.last_number > w.after_number)
   )`
/** `$1` is now. */
const dueOfWebhook = fragment`select from webhook_deliveries d
       where d.webhook_id = w.id and d.done_at is null and d.due_at <= $1`

/** Whether the worker finds any. One by one: those of all webhooks are many while one is down. */
export const areWebhooksDue = fragment`exists (
     select from webhooks w where w.status = 'active' and ${isBehind}
   ) or exists (
     select from webhooks w cross join lateral (${dueOfWebhook} order by d.due_at limit 1) due
     where w.status = 'active'
   )`

const findBehind = statement(
  'webhooks_find_behind',
  ['timestamptz', 'int4'],
  { id: 'uuid' },
  sql`select w.id from webhooks w
   where w.status = 'active' and ${isBehind} and (
     select count(*) from (${dueOfWebhook} limit $2::int4) due
   ) < $2`,
)
/** Active webhooks with events for which no delivery is made. */
export const webhooksBehind = async (db: Db, now: number): Promise<readonly string[]> =>
  (await db.run(findBehind, [new Date(now), dueMax])).map(({ id }) => id)

const lockCursor = statement(
  'webhooks_lock_cursor',
  ['uuid'],
  { afterNumber: 'int8', types: 'text[]' },
  `select after_number as "afterNumber", types from webhooks
   where id = $1 and status = 'active' for no key update skip locked`,
)
/** Undefined while another instance makes its deliveries. */
export const lockedCursor = (tx: Db, id: string) => one(tx, lockCursor, [id])

const moveCursor = statement(
  'webhooks_move_cursor',
  ['uuid', 'int8'],
  'update webhooks set after_number = $2 where id = $1',
)
export const writeCursor = (tx: Db, id: string, number: bigint) => tx.run(moveCursor, [id, number])

const columns = {
  id: 'uuid',
  webhookId: 'uuid',
  number: 'int8?',
  type: 'text',
  at: 'timestamptz',
  resourceId: 'uuid?',
  accountIds: 'uuid[]',
  attempts: 'int4',
  dueAt: 'timestamptz',
  lastStatus: 'int4?',
  failure: 'text?',
  doneAt: 'timestamptz?',
} as const
export type DeliveryRow = RowOf<typeof columns>

const insertDeliveries = statement(
  'webhook_deliveries_insert',
  ['uuid', 'timestamptz', 'jsonb'],
  columns,
  sql`insert into webhook_deliveries
     (id, webhook_id, number, type, at, resource_id, account_ids, due_at)
   select e.id, $1, e.number, e.type, e.at, e."resourceId", e."accountIds", $2
   from jsonb_to_recordset($3) as e (
     id uuid, number bigint, type text, at timestamptz, "resourceId" uuid, "accountIds" uuid[])
   returning ${select(columns)}`,
)
/** What a delivery tells. Its number is null for a test. */
export type DeliveryContent = {
  id: string
  number: bigint | null
  type: string
  at: Date
  resourceId: string | null
  accountIds: readonly unknown[]
}
/** Deliveries to that webhook, due now. */
export const addDeliveries = (
  tx: Db,
  webhookId: string,
  told: readonly DeliveryContent[],
  now: number,
) => {
  const rows = told.map(({ number, ...row }) => ({ ...row, number: number && `${number}` }))
  return tx.run(insertDeliveries, [webhookId, new Date(now), JSON.stringify(rows)])
}

/** A delivery that was taken, with what it is sent and signed by. */
const due = {
  ...columns,
  url: 'text',
  hmacKey: 'bytea',
  seed: 'bytea',
  previousHmacKey: 'bytea?',
  previousSeed: 'bytea?',
  previousEndsAt: 'timestamptz?',
} as const
export type DueDelivery = RowOf<typeof due>

const ofWebhook = {
  url: 'text',
  hmacKey: 'bytea',
  seed: 'bytea',
  previousHmacKey: 'bytea?',
  previousSeed: 'bytea?',
  previousEndsAt: 'timestamptz?',
} as const

const takeDue = statement(
  'webhook_deliveries_take_due',
  ['timestamptz', 'timestamptz', 'uuid[]', 'int4'],
  due,
  sql`with taken as materialized (
     select d.id, w.id as webhook_id from webhooks w
     cross join lateral (
       select id from webhook_deliveries
       where webhook_id = w.id and done_at is null and due_at <= $1
       order by due_at limit $4::int4 - cardinality(array_positions($3::uuid[], w.id))
       for update skip locked
     ) d
     where w.status = 'active'
   )
   update webhook_deliveries d set due_at = $2, attempts = attempts + 1
   from taken join webhooks w on w.id = taken.webhook_id
   where d.id = taken.id
   returning ${select(columns, 'd')}, ${select(ofWebhook, 'w')}`,
)
/**
 * Takes deliveries that are due. No other instance takes them until `leaseEnd`.
 *
 * @param sending the webhooks that are being sent to, once for each delivery
 * @param perWebhookMax deliveries to one webhook at a time
 */
export const takeDueDeliveries = (
  tx: Db,
  now: number,
  leaseEnd: number,
  sending: readonly string[],
  perWebhookMax: number,
) => tx.run(takeDue, [new Date(now), new Date(leaseEnd), [...sending], perWebhookMax])

/** How an attempt ended; without `dueAt` there is no other. */
export type Attempt = {
  status: number | null
  failure: string | null
  dueAt: number | undefined
  now: number
}

const noteResult = statement(
  'webhook_deliveries_note',
  ['uuid', 'int4', 'int4?', 'text?', 'timestamptz?', 'timestamptz', 'timestamptz'],
  { id: 'uuid' },
  `update webhook_deliveries set last_status = $3, failure = $4,
     due_at = coalesce($5, due_at),
     done_at = case when $5::timestamptz is null then $6::timestamptz end
   where id = $1 and attempts = $2 and due_at = $7 and done_at is null returning id`,
)
/**
 * False when the lease ran out and another instance has it, or it was resent meanwhile. A resent
 * delivery counts its attempts from zero: its next attempt has the same count, and another lease.
 */
export const noteAttempt = async (
  tx: Db,
  { id, attempts, dueAt: leaseEnd }: Pick<DeliveryRow, 'id' | 'attempts' | 'dueAt'>,
  { status, failure, dueAt, now }: Attempt,
): Promise<boolean> => {
  const next = dueAt === undefined ? null : new Date(dueAt)
  const values = [id, attempts, status, failure, next, new Date(now), leaseEnd] as const
  return (await one(tx, noteResult, [...values])) !== undefined
}

/** The deliveries to one webhook. */
export const deliveries = listOf(
  'webhook_deliveries_list',
  columns,
  fragment`select ${select(columns)} from webhook_deliveries where webhook_id = $1`,
)

const resend = statement(
  'webhook_deliveries_resend',
  ['uuid', 'uuid', 'timestamptz'],
  columns,
  sql`update webhook_deliveries set attempts = 0, due_at = $3, done_at = null
   where webhook_id = $1 and id = $2
   returning ${select(columns)}`,
)
/** Makes a delivery due, with all its attempts. Undefined when there is none. */
export const resendDelivery = (tx: Db, webhookId: string, id: string, now: number) =>
  one(tx, resend, [webhookId, id, new Date(now)])

const keptMs = 30 * dayMs

const purgeOld = purging('webhook_deliveries_purge', 'webhook_deliveries', {
  by: 'uuid',
  past: 'id < $1 order by id',
  size: 500n,
})
/** Removes deliveries thirty days after their event was taken up. */
export const purgeWebhooks: PurgeBatch = (db, now) => purgeOld(db, idAt(now - keptMs))

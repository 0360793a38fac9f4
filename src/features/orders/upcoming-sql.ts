// Data of what standing orders come to next, and of those that wait for their owner.
import {
  type Db,
  fragment,
  type RowOf,
  sql,
  statement,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import { orderColumns, orderJoins, outcomes, shownOrder } from './sql.ts'

const listActive = statement(
  'orders_list_active',
  ['uuid'],
  shownOrder,
  sql`select ${orderColumns} from ${orderJoins}
   where o.account_id = $1 and o.status = 'active' order by o.id`,
)
export const activeOrders = (db: Db, accountId: string) => db.run(listActive, [accountId])

/** For so long a refused day is told. */
const refusedDays = 14

const ofOwner = fragment`from accounts a cross join lateral (`
const openOf = fragment`a.owner_id = $1 and a.status <> 'closed'`

const listActiveOfOwner = statement(
  'orders_list_active_of_owner',
  ['uuid', 'text', 'int4'],
  { ...shownOrder, balance: 'int8', overdraftLimit: 'int8', held: 'int8' },
  sql`select ${orderColumns}, a.balance, a.overdraft_limit as "overdraftLimit", a.held
   from ${orderJoins}
   where o.id in (
     select o.id ${ofOwner}
       select id, next_on from standing_orders
       where account_id = a.id and status = 'active' and next_on <= $2::text::date
     ) o where ${openOf} order by o.next_on, o.id limit $3::int4
   ) order by o.id`,
)
/** Active orders on all open accounts of a person that are due until a day, with their accounts. */
export const activeOrdersOfOwner = (db: Db, ownerId: string, until: string, count: number) =>
  db.run(listActiveOfOwner, [ownerId, until, count])

const troubled = {
  ...shownOrder,
  outcome: wordOrNullOf(outcomes),
  dueOn: 'text?',
  refusal: 'text?',
} as const
export type TroubledOrderRow = RowOf<typeof troubled>

/** An order of one day ends by its refusal, others by their owner or their last day. */
const listTroubled = statement(
  'orders_list_troubled',
  ['uuid', 'timestamptz', 'int4'],
  troubled,
  sql`select ${orderColumns}, r.outcome, r.due_on::text as "dueOn", r.refusal
   from ${orderJoins} left join lateral (
     select outcome, due_on, refusal, at from standing_order_runs
     where order_id = o.id order by due_on desc limit 1
   ) r on true
   where o.id in (
     select o.id ${ofOwner}
       select id from standing_orders where account_id = a.id and status <> 'ended'
       union all
       select id from standing_orders
       where account_id = a.id and status = 'ended' and rhythm = 'once'
         and first_on > $2::timestamptz::date - 10
     ) o where ${openOf}
   ) and (o.status = 'paused' or r.outcome = 'waiting' or (r.outcome = 'refused' and r.at > $2
     and not exists (
       select from standing_order_changes c where c.order_id = o.id and c.at > r.at)))
   order by o.id desc limit $3::int4`,
)
/**
 * Orders that wait for their owner: paused ones, those that wait for money, and those whose last
 * day was refused lately without a change since.
 */
export const troubledOrders = (db: Db, ownerId: string, now: number, count: number) =>
  db.run(listTroubled, [ownerId, new Date(now - refusedDays * dayMs), count])

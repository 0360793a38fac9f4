// Data of the trail of standing orders: the terms of an order from each change on, and by whom.
import {
  type Db,
  fragment,
  type Fragment,
  one,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import type { Context } from '../../http/route.ts'
import { orderColumns, orderJoins, shownOrder, type ShownOrderRow } from './sql.ts'

const keepTerms = statement(
  'orders_keep_terms',
  ['uuid', 'timestamptz', 'uuid?', 'uuid?', 'uuid?'],
  { version: 'int4' },
  `insert into standing_order_changes (order_id, version, at, request_id, caller_id, session_id,
     terms, reference, payee_name, payee_iban)
   select id, version, $2, $3, $4, $5, terms, reference, payee_name, payee_iban
   from standing_order_terms where id = $1
   returning version`,
)

/** By whom an order is changed; without a caller by the bank on its own. */
export type OrderChanger = Pick<Context, 'now'> & Partial<Pick<Context, 'caller' | 'requestId'>>

/**
 * Keeps the terms that an order has from now on, in the transaction of its change, behind it. The
 * audit event of the request shows them. Returns the version of these terms.
 */
export async function keepChange(
  tx: Db,
  orderId: string,
  { caller, now, requestId }: OrderChanger,
): Promise<number> {
  const by = [requestId ?? null, caller?.userId ?? null, caller?.sessionId ?? null] as const
  const kept = await one(tx, keepTerms, [orderId, new Date(now), ...by])
  return kept?.version ?? 0
}

/** Which orders are listed. */
export type OrderFilter = {
  ownerId?: string | undefined
  /** A person, a service account, a session or a key that made or changed the order. */
  orderedBy?: string | undefined
  statuses: readonly string[]
  /** Also those of closed accounts, which are gone for their holders. */
  withClosed: boolean
}

const takes = ['uuid?', 'uuid?', 'text[]', 'uuid?', 'int4', 'bool'] as const
const before = fragment`coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`
const ofAccount = fragment`($1::uuid is null or a.owner_id = $1)
     and ($6 or a.status <> 'closed')`
const changedBy = fragment`($2::uuid is null or exists (
     select from standing_order_changes c
     where c.order_id = o.id and $2 in (c.caller_id, c.session_id)))`

/** The orders whose identifiers `page` selects, with their payees and last changes. */
const listBy = (lead: string, page: Fragment) =>
  statement(
    `orders_search_by_${lead}`,
    takes,
    shownOrder,
    sql`select ${orderColumns} from ${orderJoins}
     where o.id in (${page}) order by o.id desc limit $5::int4`,
  )

/** In the order of the index, so that a page reads no more of a program's many orders. */
const changesBy = (column: Fragment) => fragment`(
     select distinct c.order_id as id from standing_order_changes c
     join standing_orders o on o.id = c.order_id join accounts a on a.id = o.account_id
     where ${column} = $2 and c.order_id < ${before} and o.status = any($3) and ${ofAccount}
     order by c.order_id desc limit $5::int4)`

const searches = {
  owner: listBy(
    'owner',
    fragment`select o.id from accounts a cross join lateral (
       select o.id from standing_orders o
       where o.account_id = a.id and o.id < ${before} and o.status = any($3) and ${changedBy}
       order by o.id desc limit $5::int4
     ) o where a.owner_id = $1 and ($6 or a.status <> 'closed')`,
  ),
  maker: listBy(
    'maker',
    fragment`select id from ${changesBy(fragment`c.caller_id`)} one
     union select id from ${changesBy(fragment`c.session_id`)} other`,
  ),
  time: listBy(
    'time',
    fragment`select o.id from standing_orders o join accounts a on a.id = o.account_id
     where o.id < ${before} and o.status = any($3) and ${ofAccount} and ${changedBy}
     order by o.id desc limit $5::int4`,
  ),
}

function chooseLead({ ownerId, orderedBy }: OrderFilter): keyof typeof searches {
  if (ownerId !== undefined) return 'owner'
  return orderedBy === undefined ? 'time' : 'maker'
}

/** The orders that match, newest first. */
export const findOrders = (
  db: Db,
  filter: OrderFilter,
  after: string | undefined,
  count: number,
): Promise<ShownOrderRow[]> =>
  db.run(searches[chooseLead(filter)], [
    filter.ownerId ?? null,
    filter.orderedBy ?? null,
    [...filter.statuses],
    after ?? null,
    count,
    filter.withClosed,
  ])

/** More than a page shows are not counted: a program may have made any number. */
export const openOrdersMax = 1000

const countOpen = statement(
  'orders_count_open_of_caller',
  ['uuid', 'int4'],
  { count: 'int4' },
  `select count(*)::int4 as count from (
     select distinct c.order_id from standing_order_changes c
     join standing_orders o on o.id = c.order_id
     where c.caller_id = $1 and o.status <> 'ended' limit $2::int4
   ) made`,
)
/** How many orders that a person or a program made or changed still pay. */
export const countOpenOrders = async (db: Db, callerId: string): Promise<number> =>
  (await one(db, countOpen, [callerId, openOrdersMax]))?.count ?? 0

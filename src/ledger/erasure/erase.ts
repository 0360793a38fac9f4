// Erases the texts of transfers and of their entries (reference, name and IBAN of the counterparty)
// and their salt.
// Without the salt their commitment tells nothing. The chain stays whole. The details of a transfer
// go with its texts, by a trigger. So do the texts of holds that have ended, and the merchants of
// card payments, which no chain has.
import type { Database } from '../../database/connections/connect.ts'
import { type Db, fragment, one, sql, statement } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { firstId, idAt } from '../../domain/ids.ts'
import { eraseDraftTexts, eraseDraftTextsOf } from './draft-texts.ts'
import { eraseListNumbersOf, eraseListTexts, eraseListTextsOf } from './list-texts.ts'
import { eraseOrderTexts } from './order-texts.ts'
import { erasePage } from './transfer-texts.ts'

const rowsPerPage = 500n

/**
 * The bounds of identifiers are exclusive. Transfers without texts are listed too: to pass over
 * them in the database would take longer than a statement may, once enough are erased.
 */
const listBefore = statement(
  'erase_list_before',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { id: 'uuid', isKept: 'bool' },
  `select id, created_at >= $3 or salt is null or status in ('pending', 'sent') as "isKept"
   from transfers
   where id > $1 and id < $2 order by id limit $4`,
)

const countPending = statement(
  'erase_count_pending',
  ['timestamptz'],
  { count: 'int8' },
  `select count(*) from transfers where status in ('pending', 'sent') and created_at < $1`,
)

/** Names that people had before that time only. */
const eraseFormerNames = statement(
  'erase_former_names',
  ['timestamptz'],
  'delete from holder_names where until < $1',
)

/**
 * A page of standing orders from before that time: those all of whose days and changes were before
 * it, with their terms in the trail, and of all orders the terms that were replaced before it.
 */
const eraseOrders = statement(
  'erase_orders',
  ['uuid', 'uuid', 'timestamptz', 'int8', 'uuid'],
  { last: 'uuid' },
  `with page as materialized (
     select o.id, o.status = 'ended'
       and not exists (
         select from standing_order_runs r where r.order_id = o.id and r.at >= $3)
       and not exists (
         select from standing_order_changes c where c.order_id = o.id and c.at >= $3) as is_over
     from (
       select id, status from standing_orders where id > $1 and id < $2 order by id limit $4
     ) o
   ), erased as (
     update standing_orders o set reference = '' from page p
     where o.id = p.id and p.is_over and o.reference <> ''
   ), of_trail as (
     update standing_order_changes c
     set reference = null, payee_name = null, payee_iban = null, erasure_id = $5
     from page p
     where c.order_id = p.id and c.erasure_id is null and (p.is_over or exists (
       select from standing_order_changes later
       where later.order_id = c.order_id and later.version > c.version and later.at < $3))
   )
   select id as last from page order by id desc limit 1`,
)

/** A page of the standing orders of a closed account: their terms in the trail. */
const eraseOrderTrail = statement(
  'erase_order_trail',
  ['uuid', 'uuid', 'int8', 'uuid'],
  { last: 'uuid' },
  `with page as materialized (
     select id from standing_orders where account_id = $2 and id > $1 and status = 'ended'
     order by id limit $3
   ), of_trail as (
     update standing_order_changes c
     set reference = null, payee_name = null, payee_iban = null, erasure_id = $4
     from page p where c.order_id = p.id and c.erasure_id is null
   )
   select id as last from page order by id desc limit 1`,
)

/** The end of a statement that erases the texts of holds named `page`, of those that are due. */
const holdTexts = fragment`erased as (
     update holds h set reference = '' from page p where h.id = p.id and p.is_due
   )
   select id as last from page order by id desc limit 1`

/** A page of holds from before that time: those that have ended lose their text. */
const eraseHoldTexts = statement(
  'erase_hold_texts',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id, ended_at < $3 and reference <> '' as is_due from holds
     where id > $1 and id < $2 order by id limit $4
   ), ${holdTexts}`,
)

const eraseHoldTextsOfAccount = statement(
  'erase_hold_texts_of_account',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id, ended_at is not null and reference <> '' as is_due from holds
     where account_id = $2 and id > $1 order by id limit $3
   ), ${holdTexts}`,
)

/** The end of a statement that erases the merchants and disputes of what is named `page`. */
const merchants = fragment`erased as (
     update card_authorizations a
     set merchant_name = null, merchant_category = null, merchant_country = null
     from page where a.id = page.id and a.merchant_name is not null
   ), of_disputes as (
     -- Neither of one that waits, nor of one whose chargeback is open.
     update card_disputes d set text = null, closed_reason = null
     from page where d.payment_id = page.id and (d.closed_at is not null
       or exists (select from chargeback_ends where chargeback_id = d.chargeback_id))
   )
   select id as last from page order by id desc limit 1`

/** A page of what processors asked for cards before that time: it loses its merchant. */
const eraseMerchants = statement(
  'erase_merchants',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id from card_authorizations where id > $1 and id < $2 order by id limit $3
   ), ${merchants}`,
)

const eraseMerchantsOfAccount = statement(
  'erase_merchants_of_account',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id from card_authorizations where account_id = $2 and id > $1 order by id limit $3
   ), ${merchants}`,
)

/** Erases page by page, each in a transaction and behind the last identifier of the one before. */
async function inPages(
  db: Database,
  erase: (tx: Db, after: string) => Promise<{ last: string }[]>,
): Promise<void> {
  let after: string | undefined = firstId
  while (after !== undefined) {
    const from: string = after
    const [page] = await transaction(db, (tx) => erase(tx, from))
    after = page?.last
  }
}

/**
 * Erases the texts of all transfers from before that time, those of standing orders and holds that
 * ended before it, and former names of people. Transfers on their way to another bank keep theirs:
 * they were neither settled nor returned yet.
 *
 * @param erasureId the audit event that is the record of it
 */
export async function eraseBefore(
  db: Database,
  before: number,
  erasureId: string,
): Promise<{ erased: number; pending: bigint }> {
  const [end, time] = [idAt(before), new Date(before)]
  const erased = await erasePages(db, erasureId, (last?: { id: string; isKept: boolean }) =>
    db.run(listBefore, [last?.id ?? firstId, end, time, rowsPerPage]),
  )
  await inPages(db, (tx, after) => tx.run(eraseHoldTexts, [after, end, time, rowsPerPage]))
  await inPages(db, (tx, after) => tx.run(eraseMerchants, [after, end, rowsPerPage]))
  await inPages(db, (tx, after) => tx.run(eraseOrders, [after, end, time, rowsPerPage, erasureId]))
  await inPages(db, (tx, after) => eraseListTexts(tx, after, { end, time }))
  await inPages(db, (tx, after) => eraseDraftTexts(tx, after, { end, time, size: rowsPerPage }))
  await transaction(db, (tx) => tx.run(eraseFormerNames, [time]))
  const pending = await one(db, countPending, [time])
  return { erased, pending: pending?.count ?? 0n }
}

const listOfAccount = statement(
  'erase_list_of_account',
  ['uuid', 'int8', 'int8'],
  { seq: 'int8', id: 'uuid' },
  `select seq, transfer_id as id
   from entries where account_id = $1 and seq > $2 order by seq limit $3`,
)

/** Transfers of an account that stay while its entries are in an archive. */
const listKeptOfAccount = statement(
  'erase_list_kept_of_account',
  ['uuid', 'uuid', 'int8'],
  { id: 'uuid' },
  `select transfer_id as id from (
     (select transfer_id from archived_terms where from_account_id = $1 and transfer_id > $2
      order by transfer_id limit $3)
     union all
     (select transfer_id from archived_terms where to_account_id = $1 and transfer_id > $2
      order by transfer_id limit $3)
   ) kept
   order by transfer_id limit $3`,
)

/**
 * Erases the texts of all transfers from and to an account, of what brought them back, and of its
 * holds and standing orders that have ended. Those of standing orders only if it is closed.
 */
export async function eraseOfAccount(
  db: Database,
  accountId: string,
  erasureId: string,
): Promise<number> {
  await inPages(db, (tx, after) => tx.run(eraseHoldTextsOfAccount, [after, accountId, rowsPerPage]))
  await inPages(db, (tx, after) => tx.run(eraseMerchantsOfAccount, [after, accountId, rowsPerPage]))
  while (await transaction(db, (tx) => eraseOrderTexts(tx, accountId)));
  await inPages(db, (tx, after) =>
    tx.run(eraseOrderTrail, [after, accountId, rowsPerPage, erasureId]),
  )
  await inPages(db, (tx, after) => eraseListTextsOf(tx, after, accountId))
  await inPages(db, (tx, after) => eraseDraftTextsOf(tx, after, accountId, rowsPerPage))
  await transaction(db, (tx) => eraseListNumbersOf(tx, accountId))
  const backsOf = async (tx: Db, ids: string[]) =>
    (await tx.run(listBacks, [ids])).map(({ id }) => id)
  const kept = await erasePages(
    db,
    erasureId,
    (last?: { id: string }) =>
      db.run(listKeptOfAccount, [accountId, last?.id ?? firstId, rowsPerPage]),
    backsOf,
  )
  const others = await erasePages(
    db,
    erasureId,
    (last?: { seq: bigint; id: string }) =>
      db.run(listOfAccount, [accountId, last?.seq ?? 0n, rowsPerPage]),
    backsOf,
  )
  return kept + others
}

/**
 * What came back of transfers: a return or a refund repeats the texts of its payment, and lies in
 * suspense when the account was closed by then.
 */
const listBacks = statement(
  'erase_list_backs',
  ['uuid[]'],
  { id: 'uuid' },
  `select by_transfer_id as id from brought_back where transfer_id = any($1)
   union
   select back.id from hold_captures c cross join lateral (
     select transfer_id as id from card_refunds where payment_id = c.hold_id
     union all
     select unnest(array[b.transfer_id, e.transfer_id]) from card_chargebacks b
     left join chargeback_ends e on e.chargeback_id = b.transfer_id
     where b.payment_id = c.hold_id
   ) back
   where c.transfer_id = any($1) and back.id is not null`,
)

/** Behind it, a batch that repeats their texts has committed, or finds them erased. */
const lockPage = statement(
  'erase_lock',
  ['uuid[]'],
  { id: 'uuid' },
  'select id from transfers where id = any($1) order by id for no key update',
)

/**
 * @param list gives the transfers after the last one of the page before
 * @param listMore gives others that go with them
 */
async function erasePages<Row extends { id: string; isKept?: boolean }>(
  db: Database,
  erasureId: string,
  list: (last?: Row) => Promise<Row[]>,
  listMore?: (tx: Db, ids: string[]) => Promise<string[]>,
): Promise<number> {
  let erased = 0
  for (let page = await list(); page.length > 0; page = await list(page.at(-1))) {
    const ids = page.flatMap(({ id, isKept }) => (isKept === true ? [] : id))
    if (ids.length === 0) continue
    erased += await transaction(db, async (tx) => {
      const more = (await listMore?.(tx, ids)) ?? []
      // All in one order, as the indexing of payments locks them.
      await tx.run(lockPage, [[...ids, ...more]])
      // Behind the locks: what a batch has added meanwhile is newer than all of them.
      const added = ((await listMore?.(tx, ids)) ?? []).filter((id) => !more.includes(id))
      if (added.length > 0) await tx.run(lockPage, [added])
      return erasePage(tx, [...ids, ...more, ...added], erasureId)
    })
  }
  return erased
}

// Statements of the feed of events. Triggers and the ledger write the events themselves.
import {
  type Db,
  fragment,
  one,
  type RowOf,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'

/** Every type of event, by the resource that it is about. */
const words = {
  account: [
    'opened',
    'frozen',
    'unfrozen',
    'blocked',
    'unblocked',
    'overdrawn',
    'covered',
    'closed',
  ],
  beneficiary: ['added', 'deactivated', 'reactivated', 'deleted'],
  card: ['issued', 'frozen', 'unfrozen', 'cancelled'],
  'card.payment': ['authorized', 'declined', 'captured', 'released', 'refunded', 'suspended'],
  draft: ['made', 'paid', 'cancelled', 'expired', 'void'],
  chargeback: ['made', 'won', 'lost', 'withdrawn'],
  dispute: ['opened', 'closed'],
  hold: ['created', 'changed', 'captured', 'released', 'expired'],
  list: ['ordered', 'executed', 'cancelled'],
  member: ['invited', 'joined', 'changed', 'ended'],
  order: ['created', 'paused', 'resumed', 'ended', 'refused'],
  session: ['revoked'],
  transfer: ['completed', 'pending', 'settled', 'returned', 'reversed', 'sent', 'cancelled'],
} as const
type Words = typeof words
export type EventType = { [R in keyof Words]: `${R}.${Words[R][number]}` }[keyof Words]

export const eventTypes = Object.entries(words).flatMap(([resource, told]) =>
  told.map((word) => `${resource}.${word}`),
) as EventType[]

const readState = statement(
  'events_read_state',
  ['text[]'],
  { type: 'text', lastNumber: 'int8', isBehind: 'bool' },
  `select t.type, coalesce(newest.last_number, 0) as "lastNumber",
     exists (select from events where last_number is null) as "isBehind"
   from unnest($1::text[]) as t (type)
   left join lateral (
     select last_number from events where type = t.type and last_number > 0
     order by last_number desc limit 1
   ) newest on true`,
)
/** The number of the newest event of each type, and whether there are some without a number. */
export async function feedState(db: Db) {
  const rows = await db.run(readState, [[...eventTypes]])
  return {
    newest: new Map(rows.map(({ type, lastNumber }) => [type, lastNumber])),
    isBehind: rows.some(({ isBehind }) => isBehind),
  }
}
export type FeedState = Awaited<ReturnType<typeof feedState>>

// With a plan that was made while the table was small, numbering would read all of it.
const lockLast = statement(
  'events_lock_last',
  [],
  { number: 'int8', byKeys: 'text' },
  `select number, set_config('enable_seqscan', 'off', true) as "byKeys"
   from last_event for no key update`,
)
const number = statement(
  'events_number',
  ['int8', 'int4'],
  { written: 'int8' },
  `with fresh as materialized (
     select written, cardinality(ids) as count from events where last_number is null
     order by written limit $2::int4
   ), placed as (
     select written, $1 + sum(count) over (order by written) as last_number from fresh
   ), last as (
     update last_event set number = placed.last_number
     from (select max(last_number) as last_number from placed) placed
     where placed.last_number is not null
   )
   update events e set last_number = p.last_number from placed p
   where e.written = p.written and e.last_number is null
   returning e.written`,
)
/** Rows that are numbered in one transaction. */
const numberedMax = 5000
/**
 * Numbers rows of committed transactions in the order in which they were written. Returns whether
 * there may be more. The rows are looked for in a statement behind the lock, so that it sees what
 * the transaction that had the lock before has numbered.
 */
export async function numberEvents(tx: Db): Promise<boolean> {
  const last = await one(tx, lockLast, [])
  const numbered = await tx.run(number, [last?.number ?? 0n, numberedMax])
  return numbered.length === numberedMax
}

const skip = statement(
  'events_skip_numbers',
  [],
  `update last_event
   set number = greatest(number, (extract(epoch from clock_timestamp()) * 1000000)::int8)`,
)
/**
 * From here on numbers are greater than any that was given out before, also after the backup from
 * which this database was restored. A bank has less than a million events a second, so no number
 * reaches the microseconds since 1970.
 */
export const skipNumbers = (tx: Db) => tx.run(skip, [])

/**
 * The first `$4` events of the types `$3`, numbered above `$1` and up to `$2`. A row is unpacked
 * once, and none behind the last of them is: unpacked for each identifier, rows took a third
 * of PostgreSQL's time beside an interest run.
 */
const numbered = fragment`with keys as materialized (
     select newer.type, newer.last_number from unnest($3::text[]) as t (type)
     cross join lateral (
       select type, last_number from events where type = t.type and last_number > $1
       order by last_number limit $4::int4
     ) newer
     order by newer.last_number limit $4::int4
   ), found as materialized (
     select k.type, e.at, told.id, e.before + told.place as number
     from keys k
     -- Row by row: a join would read all events of the types.
     cross join lateral (
       select at, ids, last_number - cardinality(ids) as before from events
       where type = k.type and last_number = k.last_number limit 1
     ) e
     cross join lateral unnest(e.ids) with ordinality as told (id, place)
     where e.before + told.place between $1 + 1 and $2
     order by k.last_number, told.place limit $4::int4
   )`

const told = { number: 'int8', type: wordOf(eventTypes), resourceId: 'uuid?' } as const
const readTold = statement(
  'events_read_told',
  ['int8', 'int8', 'text[]', 'int4'],
  told,
  sql`${numbered}
   select f.number, f.type, f.id as "resourceId" from found f order by f.number`,
)

type EventsAsked = { after: bigint; last: bigint; types: readonly EventType[] }

/** Like {@link eventsBetween}, without time and accounts: those take a look-up for each event. */
export const toldBetween = (db: Db, { after, last, types }: EventsAsked, count: number) =>
  db.run(readTold, [after, last, [...types], count])

const event = { ...told, at: 'timestamptz', accountIds: 'uuid[]' } as const
export type EventRow = RowOf<typeof event>

const readEvents = statement(
  'events_read',
  ['int8', 'int8', 'text[]', 'int4'],
  event,
  sql`${numbered}
   select f.number, f.type, f.id as "resourceId", f.at, coalesce(
     case split_part(f.type, '.', 1)
       when 'account' then array[f.id]
       when 'beneficiary' then (select array[account_id] from beneficiaries where id = f.id)
       when 'card' then coalesce(
         (select array[account_id] from cards where id = f.id),
         (select array[account_id] from card_authorizations where id = f.id))
       when 'draft' then (select array[account_id] from payment_drafts where id = f.id)
       when 'chargeback' then (
         select array[p.account_id] from card_chargebacks b
         join card_authorizations p on p.id = b.payment_id where b.transfer_id = f.id)
       when 'dispute' then (select array[account_id] from card_disputes where id = f.id)
       when 'hold' then (select array[account_id] from holds where id = f.id)
       when 'list' then (select array[account_id] from payment_lists where id = f.id)
       when 'member' then (select array[account_id] from account_members where id = f.id)
       when 'order' then (select array[account_id] from standing_orders where id = f.id)
       when 'transfer' then
         (select array[from_account_id, to_account_id] from transfers where id = f.id)
     end, '{}') as "accountIds"
   from found f order by f.number`,
)
/** At most `count` events of these types, numbered above `after` and up to `last`, in order. */
export const eventsBetween = (db: Db, { after, last, types }: EventsAsked, count: number) =>
  db.run(readEvents, [after, last, [...types], count])

const findOwned = statement(
  'events_find_owned',
  ['uuid', 'uuid[]'],
  { id: 'uuid' },
  'select id from accounts where owner_id = $1 and id = any($2)',
)
/**
 * Those that concern an account of this customer, without the accounts of others: the payer learns
 * an IBAN of the payee and no identifier.
 */
export async function eventsOfOwner(db: Db, rows: readonly EventRow[], ownerId: string) {
  const accountIds = [...new Set(rows.flatMap((row) => row.accountIds))] as string[]
  const owned = await db.run(findOwned, [ownerId, accountIds])
  const ids = new Set<unknown>(owned.map(({ id }) => id))
  return rows
    .map((row) => ({ ...row, accountIds: row.accountIds.filter((id) => ids.has(id)) }))
    .filter((row) => row.accountIds.length > 0)
}

const readHolders = statement(
  'events_read_holders',
  ['uuid[]'],
  { accountId: 'uuid', name: 'text' },
  `select a.id as "accountId", u.given_name || ' ' || u.family_name as name
   from accounts a join users u on u.id = a.owner_id where a.id = any($1)`,
)
/** The names of the holders of customers' accounts, by account. */
export async function holdersOf(db: Db, rows: readonly EventRow[]) {
  const accountIds = [...new Set(rows.flatMap((row) => row.accountIds))] as string[]
  const found = await db.run(readHolders, [accountIds])
  return new Map(found.map(({ accountId, name }) => [accountId, name]))
}

// Statements of holds. A transaction that writes one has the lock of its account.
import { rowArrays, sameColumns } from '../../database/statements/arrays.ts'
import type { PurgeBatch } from '../../database/background/purge.ts'
import {
  bareColumns,
  type Db,
  fragment,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { givenBack } from './card-days.ts'
import { withRows } from './feed-rows.ts'
import { type CountedHold, type Hold, holdColumns } from '../rules/holds.ts'
import { ifAny } from './transfers.ts'

const readHoldRows = statement(
  'ledger_read_holds',
  ['uuid[]'],
  { ...holdColumns, counted: 'int8', countedOn: 'text?' },
  sql`select ${select(holdColumns)}, counted, counted_on::text as "countedOn"
   from holds where id = any($1)`,
)
/** In a batch they are read behind the locks of their accounts. */
export const readHolds = (db: Db, ids: string[]) =>
  ifAny(ids, () => db.run(readHoldRows, [ids]) as Promise<CountedHold[]>)

const told = fragment`insert into events (type, at, ids)`

/**
 * Expires what is due on accounts that are locked, and counts anew what they hold, and what counts
 * to the day's limit of their cards. Not by what was read of them before: this statement sees what
 * the owner of the lock before has written.
 */
const expireRows = statement(
  'ledger_expire_holds',
  ['uuid[]', 'timestamptz'],
  { id: 'uuid', held: 'int8', heldUntil: 'timestamptz?', activeHolds: 'int4' },
  sql`with due as materialized (
     select id, account_id, card_id, captured, remaining, counted, counted_on from holds
     where account_id = any($1) and status = 'active' and expires_at <= $2
   ), expired as (
     update holds h set status = 'expired', remaining = 0, ended_at = h.expires_at,
       counted = least(h.counted, h.captured)
     from due where h.id = due.id
   ), uncounted as (
     update cards c set spent_amount = c.spent_amount - d.given_back
     from (
       select card_id, counted_on, ${givenBack}::int8 as given_back
       from due group by card_id, counted_on
     ) d
     where d.given_back > 0 and c.id = d.card_id and c.spent_on = d.counted_on
       and c.status <> 'cancelled'
   ), told as (
     ${told} select 'hold.expired', $2, array_agg(id order by id) from due having count(*) > 0
   )
   update accounts a
   set held = a.held - coalesce(
         (select sum(due.remaining) from due where due.account_id = a.id), 0)::int8,
       active_holds = a.active_holds - (
         select count(*) from due where due.account_id = a.id)::int4,
       held_until = (
         select min(h.expires_at) from holds h
         where h.account_id = a.id and h.status = 'active' and h.expires_at > $2)
   where a.id = any($1)
   returning a.id, a.held, a.held_until as "heldUntil", a.active_holds as "activeHolds"`,
)
/** What the accounts hold at that time. Lock them first; their holds are read after this. */
export const expireHolds = (db: Db, accountIds: string[], at: number) =>
  db.run(expireRows, [accountIds, new Date(at)])

/** Accounts whose holds expire in one transaction: its batch of the ledger may wait for them. */
const sweptMax = 200n

const lockDue = statement(
  'ledger_lock_due_holds',
  ['timestamptz', 'int8'],
  { id: 'uuid' },
  `select id from accounts
   where id = any(array(
     select account_id from holds where status = 'active' and expires_at <= $1
     order by expires_at limit $2
   ))
   order by id
   for no key update skip locked`,
)
/**
 * Expires holds of accounts that no batch has locked: a batch expires those of its own. It is not
 * what decides: a movement judges a hold by the time.
 */
export const sweepHolds: PurgeBatch = async (db, now) => {
  const locked = await db.run(lockDue, [new Date(now), sweptMax])
  if (locked.length === 0) return false
  const ids = locked.map(({ id }) => id)
  await expireHolds(db, ids, now)
  return true
}

/** What is told of a hold, in the feed of events. */
export type HoldWord = 'created' | 'changed' | 'captured' | 'released'
export type HoldEvent = { id: string; word: HoldWord; at: Date }
/** `unheld`: what it took that nothing was held for, in minor units. */
export type Capture = { transferId: string; holdId: string; unheld: bigint }

const holds = rowArrays<CountedHold>('h', {
  ...sameColumns(holdColumns, (hold: Hold) => hold),
  counted: ['int8', ({ counted }) => counted],
  countedOn: ['text', ({ countedOn }) => countedOn],
})
const events = rowArrays<HoldEvent & { row: number }>(
  'e',
  {
    id: ['uuid', ({ id }) => id],
    row: ['int4', ({ row }) => row],
    word: ['text', ({ word }) => word],
    at: ['timestamptz', ({ at }) => at],
  },
  holds.takes.length + 1,
)
const captures = rowArrays<Capture>(
  'c',
  {
    transferId: ['uuid', ({ transferId }) => transferId],
    holdId: ['uuid', ({ holdId }) => holdId],
    unheld: ['int8', ({ unheld }) => unheld],
  },
  holds.takes.length + events.takes.length + 1,
)
const writeHoldRows = statement(
  'ledger_write_holds',
  [...holds.takes, ...events.takes, ...captures.takes],
  sql`with told as (
     ${told} select 'hold.' || e.word, max(e.at), array_agg(e.id) from ${events.unnest}
     group by e.row, e.word order by e.row
   ), taken as (
     insert into hold_captures (transfer_id, hold_id, unheld)
     select c.transfer_id, c.hold_id, c.unheld from ${captures.unnest}
   )
   insert into holds (${bareColumns(holdColumns)}, counted, counted_on)
   select ${bareColumns(holdColumns, 'h')}, h.counted, h.counted_on::date from ${holds.unnest}
   on conflict (id) do update
     set amount = excluded.amount, captured = excluded.captured, remaining = excluded.remaining,
       status = excluded.status, expires_at = excluded.expires_at, ended_at = excluded.ended_at,
       counted = excluded.counted, counted_on = excluded.counted_on`,
)
/** What a batch writes of holds. */
export type HoldPlan = {
  /** As they are left, by identifier; not those that an authorisation has placed. */
  holds: Map<string, CountedHold>
  holdEvents: HoldEvent[]
  captures: Capture[]
}
export const writeHolds = (db: Db, plan: HoldPlan) =>
  db.run(writeHoldRows, [
    ...holds.values([...plan.holds.values()]),
    ...events.values(withRows(plan.holdEvents)),
    ...captures.values(plan.captures),
  ])

// Runs of standing orders: read and written in the transaction of their transfers. The run of a day
// is a row with the day in its primary key, so it is made once, however often it is tried.
import { rowArrays } from '../../database/statements/arrays.ts'
import { type Db, select, sql, statement } from '../../database/statements/statement.ts'
import {
  type RunOutcome,
  standingColumns,
  standingOrderColumns,
} from '../rules/standing-order-runs.ts'

const readStandingOrders = statement(
  'ledger_read_standing_orders',
  ['uuid[]'],
  standingOrderColumns,
  sql`select ${select(standingColumns, 'o')}, o.first_on::text as "firstOn",
     o.last_on::text as "lastOn",
     o.next_on::text as "nextOn", a.owner_id as "ownerId", o.is_program as "isProgram",
     s.expires_at as "programEndsAt",
     u.status = 'active' and 'customer' = any (u.roles)
       and (not o.is_program or s.status = 'active' and o.account_id = any (s.pay_from)
         and exists (
           select from service_keys k
           where k.service_account_id = s.id and k.revoked_at is null))
       as "isAllowed",
     r.outcome
   from standing_orders o
   join accounts a on a.id = o.account_id
   join users u on u.id = a.owner_id
   left join service_accounts s on o.is_program and s.id = o.caller_id
   left join standing_order_runs r on r.order_id = o.id and r.due_on = o.next_on
   where o.id = any($1)`,
)
export const readOrders = (db: Db, ids: string[]) => db.run(readStandingOrders, [ids])

const outcomes = rowArrays<RunOutcome>('r', {
  orderId: ['uuid', ({ orderId }) => orderId],
  dueOn: ['text', ({ dueOn }) => dueOn],
  onHoliday: ['text', ({ onHoliday }) => onHoliday],
  movedTo: ['text', ({ movedTo }) => movedTo],
  at: ['timestamptz', ({ at }) => at],
  outcome: ['text', ({ outcome }) => outcome],
  transferId: ['uuid', ({ transferId }) => transferId],
  amount: ['int8', ({ amount }) => amount],
  refusal: ['text', ({ refusal }) => refusal],
  status: ['text', ({ status }) => status],
  pausedBecause: ['text', ({ pausedBecause }) => pausedBecause],
  nextOn: ['text', ({ nextOn }) => nextOn],
  triedOn: ['text', ({ triedOn }) => triedOn],
  lateCount: ['int4', ({ lateCount }) => lateCount],
  refusedMailId: ['uuid', ({ refusedMailId }) => refusedMailId],
  pausedMailId: ['uuid', ({ pausedMailId }) => pausedMailId],
})

const writeOutcomes = statement(
  'ledger_write_order_runs',
  outcomes.takes,
  sql`with tried as materialized (
     select order_id, due_on::date as due_on, on_holiday, moved_to::date as moved_to,
       at, outcome, transfer_id, amount, refusal, status,
       paused_because, next_on::date as next_on, tried_on::date as tried_on, late_count,
       refused_mail_id, paused_mail_id
     from ${outcomes.unnest}
   ), ran as (
     insert into standing_order_runs (order_id, due_on, on_holiday, moved_to, outcome, transfer_id,
       amount, refusal, at)
     select order_id, due_on, on_holiday, moved_to, outcome, transfer_id, amount, refusal, at
     from tried
     on conflict (order_id, due_on) do update
       set on_holiday = excluded.on_holiday, moved_to = excluded.moved_to,
         outcome = excluded.outcome, transfer_id = excluded.transfer_id,
         amount = excluded.amount, refusal = excluded.refusal, at = excluded.at
   ), told as (
     insert into events (type, at, ids)
     select 'order.refused', max(at), array_agg(order_id) from tried where outcome = 'refused'
     having count(*) > 0
   ), mailed as (
     insert into mails (id, kind, order_id, due_on, created_at, due_at, expires_at)
     select m.id, m.kind, order_id, due_on, at, at, at + interval '1 day'
     from tried cross join lateral (values
       (refused_mail_id, 'order-refused'), (paused_mail_id, 'order-paused')
     ) as m (id, kind)
     where m.id is not null and not mail_is_unwanted(
       (select a.owner_id from standing_orders s join accounts a on a.id = s.account_id
        where s.id = order_id), m.kind, at)
   )
   update standing_orders o
   set status = t.status, paused_because = t.paused_because, next_on = t.next_on,
     -- A pause is a change of the order: its trail gets the terms.
     version = o.version + case when t.paused_because is null then 0 else 1 end,
     tried_on = t.tried_on, late_count = t.late_count, leased_until = null, attempts = 0
   from tried t where o.id = t.order_id`,
)
/** In the transaction of the transfers. It waits for no lock: each writer has the account's. */
export const writeRuns = (db: Db, runs: readonly RunOutcome[]) =>
  db.run(writeOutcomes, outcomes.values(runs))

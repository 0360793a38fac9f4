// Totals of the bank and what waits in it, without a look at the entries of the ledger.
import { statement } from '../../database/statements/statement.ts'

/**
 * One statement, so that all totals are of one moment.
 *
 * The entries of each transfer sum to zero, so the customers' balances are together what the bank's
 * own accounts lack: no customer's balance is read. `$1` is now, `$2` the idle limit of a session,
 * `$3` the first identifier of the audit events that count, `$4` how many sessions and refusals are
 * read at most, `$5` how many active holds.
 */
export const readTotals = statement(
  'overview_read_totals',
  ['timestamptz', 'timestamptz', 'uuid', 'int8', 'int8'],
  { total: 'text', of: 'text', count: 'int4', units: 'text?' },
  `select 'accounts' as total, currency as of, count(*)::int4, null::text as units
   from accounts where kind = 'customer' and status <> 'closed' group by currency
   union all
   select 'balances', currency, 0, (-sum(balance))::text
   from accounts where code is not null group by currency
   union all
   select 'pending', currency, count(*)::int4, sum(amount)::text
   from transfers where status = 'pending' group by currency
   union all
   select 'held', currency, count(*)::int4, sum(remaining)::text
   from (
     -- In the order of the index of active ones, so that no other is read.
     select currency, remaining from holds where status = 'active' order by account_id limit $5
   ) active group by currency
   union all
   select 'overdrawn', 'accounts', count(*)::int4,
     (extract(epoch from min(unarranged_since)) * 1000)::int8::text
   from (
     select unarranged_since from accounts where unarranged > 0
     order by unarranged_since, id limit $4
   ) lacking
   union all
   select 'disputes', 'waiting', count(*)::int4,
     (extract(epoch from min(created_at)) * 1000)::int8::text
   from (
     select created_at from card_disputes
     where chargeback_id is null and closed_at is null order by id limit $4
   ) disputed
   union all
   select 'users', status, count(*)::int4, null from users group by status
   union all
   select 'sessions', 'live', count(*)::int4, null
   from (select id from sessions where ends_at > $1 order by ends_at desc limit $4) newest
   join current_sessions c on c.id = newest.id
   where c.last_used_at > $2
   union all
   select 'refusals', asked.outcome, count(found.id)::int4, null
   from unnest(array['failure', 'limited', 'forbidden']) as asked (outcome)
   left join lateral (
     select id from audit_events
     where outcome = asked.outcome and outcome <> 'success' and id >= $3 limit $4
   ) found on true
   group by asked.outcome`,
)

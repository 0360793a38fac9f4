// What waits in the bank and in its database, for the metrics. Each part reads a bounded number of
// rows, by an index.
import { currencyText, statement } from '../../database/statements/statement.ts'

/**
 * What waits, sessions, and the last runs of commands, by the audit trail. `$1` is now, `$2` the
 * idle limit of a session, `$3` how many rows are read at most, `$4` what the bank's numbers are
 * like, `$5` the day of the bank, `$6` the events of which payments are looked up by, `$7` the
 * rules of orders for holidays, `$8` until which day those are due.
 */
export const readBacklog = statement(
  'overview_read_backlog',
  ['timestamptz', 'timestamptz', 'int8', 'text[]', 'text', 'text[]', 'text[]', 'text[]'],
  { what: 'text', count: 'int4', at: 'timestamptz?' },
  `select 'mails' as what, count(*)::int4, (select created_at from mails order by id limit 1) as at
   from (select from mails limit $3) waiting
   union all
   select 'deliveries', count(*)::int4, min(at)
   from (select at from webhook_deliveries where done_at is null limit $3) waiting
   union all
   select 'events', coalesce(sum(ids), 0)::int4, null
   from (
     select cardinality(ids) as ids from events where last_number is null limit $3
   ) waiting
   union all
   -- The start of the due day in UTC stands for the day.
   select 'orders ' || by.rule, count(due.next_on)::int4,
     min(due.next_on)::timestamp at time zone 'UTC'
   from unnest($7::text[], $8::text[]) as by (rule, day)
   left join lateral (
     select next_on from standing_orders
     where status = 'active' and tried_on is null
       and on_holiday = by.rule and next_on <= by.day::date
     order by next_on, id limit $3
   ) due on true
   group by by.rule
   union all
   select 'lists', count(*)::int4, min(at)
   from (
     select greatest(ordered_at, execute_on::timestamp at time zone 'UTC') as at
     from payment_lists
     where status = 'ordered' and (execute_on is null or execute_on <= $5::text::date)
     order by execute_on, id limit $3
   ) due
   union all
   select 'drafts', count(*)::int4, min(created_at)
   from (select created_at from payment_drafts where status = 'waiting' limit $3) unsigned
   union all
   select way.status, count(found.id)::int4,
     (select created_at from transfers where status = way.status and status <> 'completed'
      order by id limit 1)
   from (values ('pending'), ('sent')) as way (status)
   left join lateral (
     select id from transfers
     where status = way.status and status <> 'completed' order by id limit $3
   ) found on true
   group by way.status
   union all
   select 'approvals', count(*)::int4, min(created_at)
   from (
     select created_at, expires_at from approvals where status = 'pending' limit $3
   ) asked where expires_at > $1
   union all
   select 'texts', count(*)::int4, null
   from (
     select from entries where reference is null and kind <> 'settlement' limit $3
   ) unfilled
   union all
   -- Since the last invitation, or their import.
   select 'invitations', count(u.id)::int4, case when count(u.id) > 0 then
     greatest(max(u.created_at), (select max(invited_at) from imported)) end
   from (
     select id from imported
     where kind = 'person' and invited_at is null order by source_id limit $3
   ) asked
   left join users u on u.id = asked.id and u.status = 'active' and u.password_hash is null
   union all
   select 'search', count(*)::int4, min(next.at)
   from payment_terms_place p cross join unnest($6::text[]) as t (type)
   cross join lateral (
     select at from events where type = t.type and last_number > p.event_number
     order by last_number limit 1
   ) next
   union all
   select 'overdrawn', count(*)::int4, min(unarranged_since)
   from (
     select unarranged_since from accounts where unarranged > 0
     order by unarranged_since, id limit $3
   ) lacking
   union all
   select 'disputes', count(*)::int4, min(created_at)
   from (
     select created_at from card_disputes
     where chargeback_id is null and closed_at is null order by id limit $3
   ) disputed
   union all
   select 'ibans', count(*)::int4, null from (
     select from iban_pool where iban like any($4) limit $3
   ) waiting
   union all
   select 'disabled', count(*)::int4, null
   from webhooks where disabled_because in ('gone', 'failing')
   union all
   select 'years', 0, min(ends)
   from (select max(ends) as ends from years() group by whole) of_table
   union all
   select 'sessions', count(*)::int4, null
   from (select id from sessions where ends_at > $1 order by ends_at desc limit $3) newest
   join current_sessions c on c.id = newest.id
   where c.last_used_at > $2
   union all
   select action || ' ' || outcome, 1, last.at
   from (values ('verify', 'success'), ('verify', 'failure'), ('verifyNew', 'success'),
     ('verifyNew', 'failure'), ('finishBackup', 'success'), ('closeDay', 'success'),
     ('closeDay', 'failure'))
     as run (action, outcome),
   lateral (
     select at from audit_events
     where action = run.action and outcome = run.outcome order by id desc limit 1
   ) last`,
)

/**
 * The accounts `$1` of money in suspense that hold some, with the time of the oldest that lies
 * there: what was sent back has left, and of the rest the oldest leaves first. It is sought among
 * the `$2` newest entries of each account; before them it is older, and in an archive as well.
 */
export const readSuspense = statement(
  'overview_read_suspense',
  ['uuid[]', 'int8'],
  { currency: currencyText, balance: 'int8', at: 'timestamptz?' },
  `select a.currency, a.balance, (
     select coalesce(
       case when coalesce(min(seq), g.seq + 1) = g.seq + 1
         and coalesce(sum(amount) filter (where amount > 0 and not is_sent_back), 0) < a.balance
         then g.at end,
       min(created_at) filter (where amount > 0 and newer < a.balance and not is_sent_back),
       min(created_at))
     from (
       select e.seq, e.created_at, e.amount, b.transfer_id is not null as is_sent_back,
         sum(e.amount) filter (where e.amount > 0 and b.transfer_id is null)
           over (order by e.seq desc rows between unbounded preceding and current row) - e.amount
           as newer
       from (
         select seq, amount, created_at, transfer_id from entries
         where account_id = a.id order by seq desc limit $2
       ) e
       left join brought_back b on b.transfer_id = e.transfer_id and e.amount > 0
     ) newest
   ) as at
   from accounts a left join archived_heads g on g.account_id = a.id
   where a.id = any($1) and a.balance > 0`,
)

/**
 * What the server of the database has to do: its archive of the log, its replication slots and the
 * age of its transaction identifiers. Undefined where there is no archive, or on a standby.
 */
export const readServer = statement(
  'overview_read_server',
  [],
  {
    archivedAt: 'timestamptz?',
    isArchiveFailing: 'bool?',
    archiveWaiting: 'int8?',
    slotsInactive: 'int4',
    slotsBehind: 'int8?',
    transactionIds: 'int8',
  },
  `select archive."archivedAt", archive."isArchiveFailing", archive."archiveWaiting",
     slots."slotsInactive", slots."slotsBehind", (
       select greatest(max(age(datfrozenxid)), max(mxid_age(datminmxid))) from pg_database
     )::int8 as "transactionIds"
   from (
     select case when not pg_is_in_recovery() then pg_current_wal_lsn() end as lsn
   ) log
   cross join lateral (
     select count(*) filter (where not active and not temporary)::int4 as "slotsInactive",
       coalesce(max(pg_wal_lsn_diff(log.lsn, restart_lsn)), 0)::int8 as "slotsBehind"
     from pg_replication_slots
   ) slots
   left join lateral (
     select last_archived_time as "archivedAt",
       coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
         as "isArchiveFailing",
       -- The name of a file of the log is the timeline and where the file begins.
       case when last_archived_wal ~ '^[0-9A-F]{24}$' then greatest(0, pg_wal_lsn_diff(
         log.lsn,
         (substr(last_archived_wal, 9, 8) || '/0')::pg_lsn
       ) - (('x' || substr(last_archived_wal, 17, 8))::bit(32)::int8 + 1)
         * pg_size_bytes(current_setting('wal_segment_size'))) end::int8 as "archiveWaiting"
     from pg_stat_archiver where current_setting('archive_mode') <> 'off'
   ) archive on true`,
)

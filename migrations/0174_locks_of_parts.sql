-- As 0060_lock_holder.sql made it, but that a lock of a part of a year is told as one of its table,
-- which an operator looks for.
create or replace function lock_holder() returns table (
  backend int4,
  role text,
  application text,
  state text,
  -- Null where it is a lock of rows that is not known to be of one table, or an advisory lock.
  relation text,
  mode text,
  -- The beginning of its transaction, where the owner sees it, else of the wait for it.
  since timestamptz,
  words text,
  -- A session waits for it, or it locks a whole table. Otherwise it has an open transaction that
  -- has locked rows, and is no session of the service.
  is_certain bool
) language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with locks as materialized (
    select l.* from pg_locks l
    where l.pid is distinct from pg_backend_pid()
  ), tables as (
    select oid, relname::text as name from pg_class
    where relnamespace = 'strongroom'::regnamespace and relkind in ('r', 'p')
  ), sessions as materialized (
    select * from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
  ), found as (
    -- The root of each queue: it waits for nothing itself.
    select holder.pid, coalesce(w.relation, (
        select t.relation from locks t where t.pid = w.pid and t.locktype = 'tuple' limit 1
      )) as relation, w.waitstart, 1 as rank
    from locks w
    join sessions s on s.pid = w.pid
    cross join lateral unnest(pg_blocking_pids(w.pid)) as holder (pid)
    where not w.granted and w.waitstart < clock_timestamp() - interval '200 ms'
      and not exists (select from locks own where own.pid = holder.pid and not own.granted)
    union all
    -- The service's own statements take none of these.
    select l.pid, l.relation, null, 2
    from locks l join tables t on t.oid = l.relation left join sessions s on s.pid = l.pid
    where l.granted and l.locktype = 'relation'
      and coalesce(s.xact_start < clock_timestamp() - interval '200 ms', true)
      and l.database = (select oid from pg_database where datname = current_database())
      and l.mode in
        ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    union all
    select l.pid, l.relation, null, 3
    from locks l join tables t on t.oid = l.relation join sessions s on s.pid = l.pid
    where l.granted and l.mode in ('RowShareLock', 'RowExclusiveLock')
      and s.application_name not like 'strongroom %'
      and exists (
        select from locks x where x.pid = l.pid and x.locktype = 'transactionid' and x.granted
      )
      and coalesce(s.xact_start < clock_timestamp() - interval '1 s', true)
  )
  select f.pid, s.usename::text, left(s.application_name, 40), s.state,
    (select coalesce(w.relname, c.relname)::text from pg_class c
     left join pg_inherits i on i.inhrelid = c.oid left join pg_class w on w.oid = i.inhparent
     where c.oid = f.relation),
    (select h.mode from locks h
     where h.pid = f.pid and h.relation = f.relation and h.granted and h.locktype = 'relation'
     order by array_position(array['AccessExclusiveLock', 'ExclusiveLock',
       'ShareRowExclusiveLock', 'ShareLock', 'ShareUpdateExclusiveLock', 'RowExclusiveLock',
       'RowShareLock', 'AccessShareLock'], h.mode) limit 1),
    coalesce(s.xact_start, f.waitstart),
    left(regexp_replace(
      substring(s.query from '^\s*([A-Za-z_]+(?:\s+[A-Za-z_.]+){0,3})'), '\s+', ' ', 'g'), 60),
    f.rank < 3
  from found f left join sessions s on s.pid = f.pid
  order by f.rank, s.xact_start nulls last, f.waitstart nulls last, f.pid
  limit 1
$$;

-- The audit trail is cut by years: its key is made from the time, so a year is a range of it. The
-- indexes that a new event goes into stay as small as a year, and `drop-audit` gives the disk of a
-- year back at once. What was there is attached, not copied. A list of all years looks into each
-- part, so there is one a year and not one a month.
do $$
begin
  if not exists (select from pg_constraint where conname = 'audit_events_first_end') then
    return;
  end if;
  alter table audit_events rename to audit_events_first;
  alter index audit_events_pkey rename to audit_events_first_pkey;
  alter index audit_events_of_request rename to audit_events_first_of_request;
  alter index audit_events_of_action rename to audit_events_first_of_action;
  alter index audit_events_of_actor rename to audit_events_first_of_actor;
  alter index audit_events_of_target rename to audit_events_first_of_target;
  alter index audit_events_unsuccessful rename to audit_events_first_unsuccessful;
  alter trigger audit_events_are_appended on audit_events_first
    rename to audit_events_first_are_appended;
  revoke all on audit_events_first from strongroom_service;

  create table audit_events (
    id uuid primary key,
    at timestamptz not null,
    actor_id uuid,
    action text not null
      constraint audit_events_action_check check (length(action) between 1 and 80),
    target uuid,
    outcome text not null constraint audit_events_outcome_check
      check (outcome in ('success', 'failure', 'limited', 'forbidden')),
    request_id uuid not null,
    address text not null constraint audit_events_address_check check (length(address) <= 45),
    detail text constraint audit_events_detail_check check (length(detail) <= 140)
  ) partition by range (id);
  create index audit_events_of_request on audit_events (request_id);
  create index audit_events_of_action on audit_events (action, id);
  create index audit_events_of_actor on audit_events (actor_id, id) where actor_id is not null;
  create index audit_events_of_target on audit_events (target, id) where target is not null;
  create index audit_events_unsuccessful on audit_events (outcome, id) where outcome <> 'success';
  grant select, insert on audit_events to strongroom_service;
  create trigger audit_events_are_appended before update or delete or truncate on audit_events
    for each statement execute function refuse_audit_change();
  execute format(
    'alter table audit_events attach partition audit_events_first for values from (minvalue) to (%s)',
    (select substring(pg_get_constraintdef(oid) from '''[0-9a-f-]{36}''')
     from pg_constraint where conname = 'audit_events_first_end'));
  alter table audit_events_first drop constraint audit_events_first_end;
end $$;

-- An event of a year that has no part, such as one by a wrong clock: no request is refused for it.
create table if not exists audit_events_rest partition of audit_events default;
create or replace trigger audit_events_rest_are_appended before update or delete or truncate
  on audit_events_rest for each statement execute function refuse_audit_change();

-- The parts of years, with where they end. Locks none of them.
create or replace function audit_years() returns table (part text, ends timestamptz)
  stable language sql set search_path = strongroom, pg_temp as $$
  select c.relname::text,
    to_timestamp(('x' || translate(bound.first_digits, '-', ''))::bit(48)::bigint / 1000.0)
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  cross join lateral (
    select substring(pg_get_expr(c.relpartbound, 0) from 'TO \(''([0-9a-f]{8}-[0-9a-f]{4})')
  ) as bound (first_digits)
  where i.inhparent = 'audit_events'::regclass and bound.first_digits is not null
$$;

-- The least identifier of a time: identifiers of version 7 begin with its milliseconds.
create or replace function least_id_at(at timestamptz) returns uuid immutable language sql as $$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- Makes the years that begin before `until`, three years ahead at most. Gives how many: none where
-- another session makes them, or reads what has to be locked for a moment; the next call does.
create or replace function make_audit_years(until timestamptz) returns int8 language plpgsql
  security definer set search_path = strongroom, pg_temp set lock_timeout = '200ms' as $$
declare
  last_start timestamptz := least(until, now() + interval '3 years');
  starts timestamptz;
  ends timestamptz;
  name text;
  made int8 := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('strongroom.make_audit_years')) then
    return 0;
  end if;
  starts := (select max(y.ends) from audit_years() y);
  while starts < last_start loop
    ends := (starts at time zone 'UTC' + interval '1 year') at time zone 'UTC';
    name := format('audit_events_%s', extract(year from starts at time zone 'UTC'));
    execute format('create table %I (like audit_events including all)', name);
    execute format('create trigger %I before update or delete or truncate on %I
      for each statement execute function refuse_audit_change()', name || '_are_appended', name);
    lock table audit_events_rest in access exclusive mode;
    perform set_config('strongroom.drop_audit', 'on', true);
    execute format('with moved as (delete from audit_events_rest where id >= %1$L and id < %2$L
      returning *) insert into %3$I table moved', least_id_at(starts), least_id_at(ends), name);
    perform set_config('strongroom.drop_audit', 'off', true);
    execute format('alter table audit_events attach partition %I for values from (%L) to (%L)',
      name, least_id_at(starts), least_id_at(ends));
    starts := ends;
    made := made + 1;
  end loop;
  return made;
exception when lock_not_available then
  return 0;
end $$;
revoke execute on function make_audit_years(timestamptz) from public;
grant execute on function make_audit_years(timestamptz) to strongroom_service;

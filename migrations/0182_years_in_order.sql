-- The rest of a table of years becomes the range behind its last year, in place of whatever no part
-- takes. PostgreSQL knows the order of the parts then: a list ends in the year that fills its page.
-- With a default part it looks into each year first.
create or replace function end_of_years(whole text) returns timestamptz stable language sql
  set search_path = strongroom, pg_temp as $$
  select max(y.ends) from years() y where y.whole = end_of_years.whole
$$;

create or replace function attach_rest(whole text) returns void language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  execute format('alter table %I attach partition %I for values from (%L) to (maxvalue)',
    whole, whole || '_rest', least_id_at(end_of_years(whole)));
end $$;
revoke execute on function attach_rest(text) from public;

-- The transactions of others that use the table or its rest, each by what no later one has.
create or replace function users_of_years(whole text) returns text[] volatile language sql
  set search_path = strongroom, pg_temp as $$
  select coalesce(array_agg(l.virtualtransaction), '{}') from pg_locks l
  where l.granted and l.pid is distinct from pg_backend_pid()
    and l.database = (select oid from pg_database where datname = current_database())
    and l.relation in (whole::regclass, (whole || '_rest')::regclass)
$$;
revoke execute on function users_of_years(text) from public;

-- Makes the years of one table that begin before `until`, three years ahead at most, and gives how
-- many: a caller calls it until it gives 0. The table is locked while its rest gets another begin,
-- for some tens of milliseconds: payments and lists wait behind that, and behind a wait for it of
-- 200 ms. None are made where another session makes them, and none of a table that a transaction
-- uses for as long, such as a dump: nothing waits for it then. A later call makes those. A rest of
-- more than 10,000 rows takes longer to be moved than a request waits: the owner alone does that.
create or replace function make_years(until timestamptz) returns int8 language plpgsql
  security definer set search_path = strongroom, pg_temp set lock_timeout = '200ms' as $$
declare
  last_start timestamptz := least(until, now() + interval '3 years');
  wholes text[] := array(
    select y.whole from years() y group by 1 having max(y.ends) < last_start order by 1);
  users text[] := '{}';
  whole text;
  rest text;
  name text;
  names text[];
  starts timestamptz;
  ends timestamptz;
  is_long bool;
begin
  if wholes = '{}' or not pg_try_advisory_xact_lock(hashtext('strongroom.make_years')) then
    return 0;
  end if;
  foreach whole in array wholes loop
    users := users || users_of_years(whole);
  end loop;
  perform pg_sleep(0.2);
  foreach whole in array wholes loop
    continue when users && users_of_years(whole);
    rest := whole || '_rest';
    names := '{}';
    -- Another session may have made some before it gave its turn.
    starts := end_of_years(whole);
    begin
      while starts < last_start loop
        name := format('%s_%s', whole, extract(year from starts at time zone 'UTC'));
        names := names || name;
        -- With the indexes, the checks and the triggers of statements that a part has.
        execute format('create table %I (like %I including all)', name, rest);
        execute (
          select string_agg(replace(pg_get_triggerdef(oid), rest, name), ';') from pg_trigger
          where tgrelid = rest::regclass and not tgisinternal and tgparentid = 0);
        starts := (starts at time zone 'UTC' + interval '1 year') at time zone 'UTC';
      end loop;
      continue when names = '{}';
      -- Before any part of it, as a statement that uses it takes them.
      execute format('lock table only %I in access exclusive mode', whole);
      execute format('select exists (select from %I offset 10000)', rest) into is_long;
      if is_long and session_user <> current_user then raise lock_not_available; end if;
      execute format('alter table %I detach partition %I', whole, rest);
      execute format('alter table %I disable trigger user', rest);
      foreach name in array names loop
        starts := end_of_years(whole);
        ends := (starts at time zone 'UTC' + interval '1 year') at time zone 'UTC';
        execute format('with moved as (delete from %1$I where id < %2$L returning *)
          insert into %3$I table moved', rest, least_id_at(ends), name);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          whole, name, least_id_at(starts), least_id_at(ends));
      end loop;
      execute format('alter table %I enable trigger user', rest);
      perform attach_rest(whole);
      return cardinality(names);
    exception when lock_not_available then
      null;
    end;
  end loop;
  return 0;
end $$;

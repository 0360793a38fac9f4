-- The audit trail becomes a table of parts, one a year (0152_trail_of_years.sql). What it holds, and
-- what is added this year and the next, stays where it is and is the first part. Where that part
-- ends is a check here, which 0151 proves beside the service: then no row has to be read while the
-- table is locked. More than a year is left to run both files.
do $$
declare
  last_id uuid := (select id from audit_events order by id desc limit 1);
  last_at timestamptz := to_timestamp(
    ('x' || translate(left(last_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0);
  ends timestamptz := date_trunc(
    'year', greatest(now(), last_at) at time zone 'UTC' + interval '2 years') at time zone 'UTC';
begin
  if exists (select from pg_class where oid = 'audit_events'::regclass and relkind = 'r') then
    execute format(
      'alter table audit_events add constraint audit_events_first_end check (id < %L) not valid',
      rpad(lpad(to_hex((extract(epoch from ends) * 1000)::bigint), 12, '0'), 32, '0')::uuid);
  end if;
end $$;

-- Transfers become a table of parts, one a year (0172_transfers_of_years.sql), as the trail is. An
-- index of a table of parts is unique only with the column that cuts it. So that a transfer is
-- brought back once is the key of a table of its own, which a trigger writes, also for an instance
-- of the release before. Its name is the one that the index had.
do $$
begin
  if to_regclass('brought_back') is null then
    alter index transfers_brought_back_once rename to transfers_first_brought_back;
  end if;
end $$;
create table if not exists brought_back (
  transfer_id uuid constraint transfers_brought_back_once primary key,
  -- The transfer whose `reversal_of` names it.
  by_transfer_id uuid not null
);
grant select on brought_back to strongroom_service;
create or replace trigger brought_back_stays before update or delete or truncate on brought_back
  for each statement execute function refuse_change();

-- Only the trigger adds a row. Transfers are never deleted: one that is there stays.
create or replace function keep_brought_back() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
begin
  -- With the lock of a foreign key.
  perform from transfers where id = new.reversal_of for key share;
  if not found then
    raise exception 'Transfer % brings back %, which is not there', new.id, new.reversal_of
      using errcode = 'foreign_key_violation', constraint = 'transfers_reversal_of_fkey';
  end if;
  insert into brought_back (transfer_id, by_transfer_id) values (new.reversal_of, new.id);
  return null;
end $$;
revoke execute on function keep_brought_back() from public;

-- What the bank has, and what is added this year and the next, is the first part. Where that ends
-- is a check here, which 0171 proves beside the service: then no row has to be read while the table
-- is locked. More than a year is left to run all of these files.
do $$
declare
  last_id uuid := (select id from transfers order by id desc limit 1);
  last_at timestamptz := to_timestamp(
    ('x' || translate(left(last_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0);
  ends timestamptz := date_trunc(
    'year', greatest(now(), last_at) at time zone 'UTC' + interval '2 years') at time zone 'UTC';
begin
  if exists (select from pg_class where oid = 'transfers'::regclass and relkind = 'r') then
    execute format('alter table transfers
      add constraint transfers_first_end check (id < %L) not valid', least_id_at(ends));
  end if;
end $$;
-- All who write wait for it, so 0171 finds each row that was added without it.
create or replace trigger transfers_keep_brought_back after insert on transfers
  for each row when (new.reversal_of is not null) execute function keep_brought_back();

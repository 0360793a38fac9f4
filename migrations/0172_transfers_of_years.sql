-- Transfers are cut by years, as the trail is: the indexes that a payment writes into stay as small
-- as a year. What was there is attached, not copied.
do $$
declare
  first_end text := (
    select substring(pg_get_constraintdef(oid) from '''[0-9a-f-]{36}''')
    from pg_constraint where conname = 'transfers_first_end');
begin
  if first_end is null then
    return;
  end if;
  alter table transfers rename to transfers_first;
  alter index transfers_pkey rename to transfers_first_pkey;
  alter index transfers_of_source rename to transfers_first_of_source;
  alter index transfers_pending rename to transfers_first_pending;
  alter index transfers_pending_listed rename to transfers_first_pending_listed;
  alter index transfers_by_status rename to transfers_first_by_status;
  alter index transfers_on_their_way rename to transfers_first_on_their_way;
  -- A part has those of rows from its table.
  drop trigger transfers_stay on transfers_first;
  drop trigger transfers_keep_their_terms on transfers_first;
  drop trigger transfers_keep_their_states on transfers_first;
  drop trigger transfers_keep_their_texts on transfers_first;
  drop trigger transfers_reverse_no_cancellation on transfers_first;
  drop trigger transfers_keep_brought_back on transfers_first;
  drop trigger transfers_erase_filled_texts on transfers_first;
  drop trigger transfers_erase_details on transfers_first;
  drop trigger transfers_erase_terms on transfers_first;
  drop trigger transfers_count_marks on transfers_first;
  -- transfers_keep_brought_back checks it.
  alter table transfers_first drop constraint transfers_reversal_of_fkey;
  revoke all on transfers_first from strongroom_service;

  -- With each check. Of `reversal_of` each part has a unique index, and the table none: instances
  -- of 0.3.0 read by it. For 0.5 to remove.
  create table transfers (
    like transfers_first including comments including constraints including defaults
      including storage,
    primary key (id)
  ) partition by range (id);
  alter table transfers drop constraint transfers_first_end;
  create index transfers_of_source on transfers (from_account_id, id);
  create index transfers_pending on transfers (from_account_id) where status = 'pending';
  create index transfers_pending_listed on transfers (id) where status = 'pending';
  create index transfers_by_status on transfers (status, id) where status <> 'completed';
  create index transfers_on_their_way on transfers (from_account_id)
    where status in ('pending', 'sent');
  grant select, update (status, sent_seq, settled_seq), insert (
    id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at, caller_id, session_id,
    kind, status, currency, reference, beneficiary_id, counterparty_name, counterparty_iban, salt,
    reversal_of
  ) on transfers to strongroom_service;

  create trigger transfers_stay before delete or truncate on transfers
    for each statement execute function refuse_change();
  create trigger transfers_keep_their_terms before update of id, from_account_id, to_account_id,
    from_seq, to_seq, amount, created_at, caller_id, session_id, kind, currency, beneficiary_id,
    reversal_of on transfers
    for each statement execute function refuse_change();
  create trigger transfers_keep_their_states before update of status, sent_seq, settled_seq
    on transfers for each row when (
      not case old.status
        when 'pending' then new.status in ('sent', 'completed', 'returned', 'cancelled')
        when 'sent' then new.status in ('completed', 'returned')
        when 'completed' then new.status = 'returned'
        else false
      end
      -- Two steps may be one change: a batch writes how it leaves a transfer.
      or (new.sent_seq is distinct from old.sent_seq and old.status <> 'pending')
      or (new.settled_seq is distinct from old.settled_seq and old.status = 'completed')
      or (new.status = 'completed' and new.settled_seq is null)
    )
    execute function refuse_change();
  create trigger transfers_keep_their_texts before update of reference, counterparty_name,
    counterparty_iban, salt, commitment, erasure_id on transfers
    for each row when (old.salt is null or new.salt is not null)
    execute function refuse_change();
  -- For 0.4 to remove: see 0036_cancellations_stay.sql.
  create trigger transfers_reverse_no_cancellation before insert on transfers
    for each row when (new.kind = 'reversal') execute function refuse_cancelled();
  create trigger transfers_keep_brought_back after insert on transfers
    for each row when (new.reversal_of is not null) execute function keep_brought_back();
  create trigger transfers_erase_filled_texts after update of salt on transfers
    for each row when (old.salt is not null and new.salt is null)
    execute function erase_filled_texts();
  create trigger transfers_erase_details after update of salt on transfers
    for each row when (old.salt is not null and new.salt is null)
    execute function erase_details();
  create trigger transfers_erase_terms after update of salt on transfers
    for each row when (old.salt is not null and new.salt is null)
    execute function erase_payment_terms();
  create trigger transfers_count_marks after update on transfers
    referencing old table as old_rows new table as new_rows
    for each statement execute function count_marks();

  execute format(
    'alter table transfers attach partition transfers_first for values from (minvalue) to (%s)',
    first_end);
  alter table transfers_first drop constraint transfers_first_end;
  -- Triggers of statements do not see one that names a part: nothing is changed in that way.
  create trigger transfers_first_stays before update or delete or truncate on transfers_first
    for each statement execute function refuse_change();

  -- A transfer of a year that has no part, such as one by a wrong clock: no payment is refused for
  -- it.
  create table transfers_rest partition of transfers default;
  create unique index transfers_rest_brought_back on transfers_rest (reversal_of)
    where reversal_of is not null;
  create trigger transfers_rest_stays before update or delete or truncate on transfers_rest
    for each statement execute function refuse_change();
end $$;

-- What roles of the bank read they go on reading, also of the trail (0152_trail_of_years.sql).
do $$
declare
  found record;
begin
  for found in
    select whole, a.grantee from (values ('transfers'), ('audit_events')) as t (whole)
    join pg_class c on c.oid = to_regclass(whole || '_first')
    cross join lateral aclexplode(c.relacl) a
    where a.privilege_type = 'SELECT'
      and a.grantee not in (c.relowner, 'strongroom_service'::regrole)
  loop
    execute format('grant select on %I to %s', found.whole,
      case found.grantee when 0 then 'public' else found.grantee::regrole::text end);
  end loop;
end $$;

-- As 0020_texts_of_entries.sql made it. A body of this kind keeps the table that it was made for,
-- which is the first part now.
create or replace function entry_texts(account_id uuid, transfer_id uuid, is_credit boolean)
  returns table (reference text, counterparty_name text, counterparty_iban text)
  stable language sql
begin atomic
  select t.reference,
    case when not is_shown then null
         when is_payer then coalesce(t.counterparty_name, holder_at(o.owner_id, t.created_at))
         else holder_at(o.owner_id, t.created_at) end,
    case when not is_shown then null
         when is_payer then coalesce(t.counterparty_iban, o.iban)
         else o.iban end
  from transfers t
  join accounts a on a.id = entry_texts.account_id
  join accounts o on o.id = case when t.from_account_id = a.id then t.to_account_id
                                 else t.from_account_id end
  cross join lateral (
    select entry_texts.is_credit = (t.kind in ('reversal', 'return')) as is_payer,
           a.kind = 'customer' and t.salt is not null as is_shown
  ) side
  where t.id = entry_texts.transfer_id;
end;

-- The parts of years of each table that has any, with where they end. Locks none of them.
create or replace function years() returns table (whole text, part text, ends timestamptz)
  stable language sql set search_path = strongroom, pg_temp as $$
  select w.relname::text, c.relname::text,
    to_timestamp(('x' || translate(bound.first_digits, '-', ''))::bit(48)::bigint / 1000.0)
  from pg_class w
  join pg_inherits i on i.inhparent = w.oid
  join pg_class c on c.oid = i.inhrelid
  cross join lateral (
    select substring(pg_get_expr(c.relpartbound, 0) from 'TO \(''([0-9a-f]{8}-[0-9a-f]{4})')
  ) as bound (first_digits)
  where w.relnamespace = 'strongroom'::regnamespace and w.relkind = 'p'
    and bound.first_digits is not null
$$;

-- Makes the years of each table that begin before `until`, three years ahead at most. Gives how
-- many: none where another session makes them, and none of a table of which another session reads
-- what has to be locked for a moment. The next call makes those.
create or replace function make_years(until timestamptz) returns int8 language plpgsql
  security definer set search_path = strongroom, pg_temp set lock_timeout = '200ms' as $$
declare
  last_start timestamptz := least(until, now() + interval '3 years');
  whole text;
  rest text;
  name text;
  starts timestamptz;
  ends timestamptz;
  made int8;
  made_of_all int8 := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('strongroom.make_years')) then
    return 0;
  end if;
  for whole, starts in select y.whole, max(y.ends) from years() y group by 1 order by 1 loop
    rest := whole || '_rest';
    made := 0;
    begin
      while starts < last_start loop
        -- First: where it is refused, nothing was made for it.
        execute format('lock table %I in access exclusive mode', rest);
        ends := (starts at time zone 'UTC' + interval '1 year') at time zone 'UTC';
        name := format('%s_%s', whole, extract(year from starts at time zone 'UTC'));
        -- With the indexes, the checks and the triggers of statements that a part has.
        execute format('create table %I (like %I including all)', name, rest);
        execute (
          select string_agg(replace(pg_get_triggerdef(oid), rest, name), ';') from pg_trigger
          where tgrelid = rest::regclass and not tgisinternal and tgparentid = 0);
        execute format('alter table %I disable trigger user', rest);
        execute format('with moved as (delete from %1$I where id >= %2$L and id < %3$L
          returning *) insert into %4$I table moved', rest, least_id_at(starts),
          least_id_at(ends), name);
        execute format('alter table %I enable trigger user', rest);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          whole, name, least_id_at(starts), least_id_at(ends));
        starts := ends;
        made := made + 1;
      end loop;
      made_of_all := made_of_all + made;
    exception when lock_not_available then
      null;
    end;
  end loop;
  return made_of_all;
end $$;
revoke execute on function make_years(timestamptz) from public;
grant execute on function make_years(timestamptz) to strongroom_service;

-- No release has called them.
drop function if exists make_audit_years(timestamptz);
drop function if exists audit_years();

-- An entry keeps what its account sees of the other side: the texts of the day on which it was
-- booked. A page of a history reads no transfer, no account and no person, and no later name
-- changes an earlier entry.

alter table entries
  -- Null: a version that knows no such column wrote the entry. Then entry_texts() tells, until
  -- fill_entry_texts() has written them.
  add reference text,
  add counterparty_name text,
  add counterparty_iban text,
  -- The hash of the entry holds these three, too. Not of those that were filled in later.
  add texts_in_chain boolean not null default false,
  -- Takes their place in the hash after an erasure, as that of the transfer does.
  add commitment bytea,
  -- Not valid: the entries of before have none of all this, so none has to be read.
  add constraint entries_texts check (
    case
      when reference is null then counterparty_name is null and counterparty_iban is null
        and commitment is null and not texts_in_chain
      when commitment is not null then reference = '' and counterparty_name is null
        and counterparty_iban is null and texts_in_chain and octet_length(commitment) = 32
      else length(reference) <= 140
    end
  ) not valid;

revoke insert on entries from strongroom_service;
grant insert (
  account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind, reference,
  counterparty_name, counterparty_iban, texts_in_chain
) on entries to strongroom_service;

drop trigger entries_are_appended on entries;
create trigger entries_stay before delete or truncate on entries
  for each statement execute function refuse_change();
create trigger entries_keep_their_terms before update of account_id, transfer_id, seq, amount,
  balance_after, created_at, hash, kind, texts_in_chain on entries
  for each statement execute function refuse_change();
-- Texts are filled in where there are none, or all of them are erased, once.
create trigger entries_keep_their_texts before update of reference, counterparty_name,
  counterparty_iban, commitment on entries
  for each row when (
    not (old.reference is null and new.reference is not null and new.commitment is null)
    and (old.commitment is not null or new.reference is distinct from ''
      or new.counterparty_name is not null or new.counterparty_iban is not null
      or (new.commitment is not null) <> old.texts_in_chain)
  )
  execute function refuse_change();

-- The names that people had before: a statement names the holder of the end of its period.
create table holder_names (
  user_id uuid not null references users,
  -- From then on the person had another name.
  until timestamptz not null,
  name text not null,
  primary key (user_id, until)
);
grant select on holder_names to strongroom_service;

-- When the service last changed the person: a former name ends then. A version that does not know
-- the column renames people at the time of the database.
alter table users add changed_at timestamptz;

create function keep_former_name() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
declare
  -- Clocks of instances differ by seconds: names follow each other in the order of the changes.
  earliest timestamptz := (
    select max(until) + interval '1 millisecond' from holder_names where user_id = new.id
  );
  at timestamptz := new.changed_at;
begin
  if new.erased_at is not null then
    delete from holder_names where user_id = new.id;
    return null;
  end if;
  if at is not distinct from old.changed_at then at := clock_timestamp(); end if;
  insert into holder_names (user_id, until, name)
  values (new.id, greatest(at, earliest), old.given_name || ' ' || old.family_name);
  return null;
end $$;

create trigger users_keep_former_name after update of given_name, family_name on users
  for each row when (
    (old.given_name, old.family_name) is distinct from (new.given_name, new.family_name))
  execute function keep_former_name();

-- The name of the holder of an account at a time: the last one that was not over by then.
create function holder_at(owner_id uuid, at timestamptz) returns text stable language sql
begin atomic
  select coalesce(
    (select h.name from holder_names h
     where h.user_id = holder_at.owner_id and h.until > holder_at.at
     order by h.until limit 1),
    (select u.given_name || ' ' || u.family_name from users u where u.id = holder_at.owner_id)
  );
end;

-- What an account sees of a transfer of its own. The payer sees a payee that is a beneficiary under
-- the name that the payer gave, also when the money comes back: an IBAN does not tell who holds it.
-- The payee sees the holder of the payer's account. An account of the bank sees no
-- names, and of an erased transfer nobody does.
create function entry_texts(account_id uuid, transfer_id uuid, is_credit boolean)
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

-- Fills in the texts of that many entries at most that have none: with the rights of the owner,
-- since the service may change no entry. The names are those of the day of the entry, as far back
-- as former names are kept.
create function fill_entry_texts(count int8) returns int8 language sql
  security definer set search_path = strongroom, pg_temp
begin atomic
  with missing as materialized (
    select account_id, seq, transfer_id, amount from entries
    where entries.reference is null and kind <> 'settlement'
    order by account_id, seq limit fill_entry_texts.count for update skip locked
  ), filled as (
    update entries e
    set reference = x.reference, counterparty_name = x.counterparty_name,
        counterparty_iban = x.counterparty_iban
    from missing m
    cross join lateral entry_texts(m.account_id, m.transfer_id, m.amount > 0) x
    where e.account_id = m.account_id and e.seq = m.seq
    returning 1
  )
  select count(*) from filled;
end;
revoke execute on function fill_entry_texts(int8) from public;
grant execute on function fill_entry_texts(int8) to strongroom_service;

-- Whom a customer pays, and the cards of an account. Neither changes while its account is frozen,
-- so whoever writes here holds the account's row in share mode: a freeze or a close waits for him,
-- and he for it.

create table beneficiaries (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text,
  iban text,
  nickname text,
  status text not null default 'active' check (status in ('active', 'deactivated', 'deleted')),
  created_at timestamptz,
  -- What is deleted leaves a tombstone: its identifier and its account, and nothing of a person.
  constraint beneficiaries_tombstone check (
    case status
      when 'deleted' then num_nonnulls(name, iban, nickname, created_at) = 0
      else num_nulls(name, iban, created_at) = 0
    end
  )
);
create unique index beneficiaries_iban_key on beneficiaries (account_id, iban)
  where status <> 'deleted';
create index beneficiaries_of_account on beneficiaries (account_id, id) where status <> 'deleted';
grant select, insert, update on beneficiaries to strongroom_service;

create table cards (
  id uuid primary key,
  account_id uuid not null references accounts,
  -- All that is kept of the number: what may be shown of it (PCI DSS 3.4.1), and a keyed hash so
  -- that none is given out twice (3.5.1.1). The number never leaves the memory it was made in.
  last_four text not null check (last_four ~ '^[0-9]{4}$'),
  number_hmac bytea not null constraint cards_number_key unique
    check (octet_length(number_hmac) = 32),
  expiry_month int2 not null check (expiry_month between 1 and 12),
  expiry_year int2 not null check (expiry_year between 2000 and 9999),
  nickname text,
  status text not null default 'active' check (status in ('active', 'frozen', 'cancelled')),
  frozen_by text check (frozen_by in ('customer', 'admin')),
  created_at timestamptz not null,
  constraint cards_frozen_by_somebody check ((status = 'frozen') = (frozen_by is not null))
);
create index cards_of_account on cards (account_id, id);
grant select, insert, update on cards to strongroom_service;

-- Cancelled is the end of a card and deleted that of a beneficiary, whoever asks.
create function refuse_return() returns trigger language plpgsql as $$
begin
  raise exception 'a % of % does not come back', old.status, tg_table_name
    using errcode = 'restrict_violation';
end $$;

create trigger cancelled_cards_stay before update on cards
  for each row when (old.status = 'cancelled') execute function refuse_return();
create trigger deleted_beneficiaries_stay before update on beneficiaries
  for each row when (old.status = 'deleted') execute function refuse_return();

-- A closed account takes with it what hangs on it, in the same transaction: nobody could delete the
-- personal data of its beneficiaries any more.
create function end_with_account() returns trigger language plpgsql as $$
begin
  update beneficiaries
  set status = 'deleted', name = null, iban = null, nickname = null, created_at = null
  where account_id = new.id and status <> 'deleted';
  update cards set status = 'cancelled', frozen_by = null, nickname = null
  where account_id = new.id and status <> 'cancelled';
  return null;
end $$;

create trigger accounts_end_theirs after update of status on accounts
  for each row when (new.status = 'closed' and old.status <> 'closed')
  execute function end_with_account();

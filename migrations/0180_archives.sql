-- Closed periods of the books leave the database for a folder (`strongroom archive`). Of each
-- account a begin of its chain goes: its last entry there is the head from which `verify` proves the rest.
-- The rows go in pieces, each in one transaction with the move of the heads.

-- A row for each archive, the newest with the highest number. Only the newest can be restored.
create table if not exists archives (
  id int4 primary key check (id > 0),
  -- The first moment that stays.
  until timestamptz not null,
  -- The name of its folder, without the path.
  name text not null check (length(name) between 1 and 200),
  -- SHA-256 of its manifest, which names all files.
  digest bytea not null check (octet_length(digest) = 32),
  entries bigint not null check (entries >= 0),
  transfers bigint not null check (transfers >= 0),
  -- How many rows `archived_terms` has when it is removed.
  kept bigint not null check (kept >= 0),
  -- How many rows of `brought_back` are of transfers that are in archives then.
  brought_back bigint not null check (brought_back >= 0),
  state text not null check (state in ('removing', 'removed', 'restoring')),
  made_at timestamptz not null
);

-- Where the chain of an account goes on: the last entry that is in an archive.
create table if not exists archived_heads (
  -- Without a foreign key, whose making locks the accounts: `verify` finds one that is not there.
  account_id uuid primary key,
  seq bigint not null check (seq > 0),
  hash bytea not null check (octet_length(hash) = 32),
  balance_after bigint not null,
  -- How many entries up to it are marks of payments.
  mark_count bigint not null check (mark_count >= 0),
  at timestamptz not null
);

-- Transfers whose entries are in an archive, while they are here: the places of these, SHA-256 over
-- their terms as the chain holds them, and which of their marks are there. SHA-256 over the links of
-- each of these entries, null where it has none: its external identifier, and its card payment. At each COMMIT there is
-- one for each of them: it alone proves that the two entries are there.
create table if not exists archived_terms (
  transfer_id uuid primary key,
  from_account_id uuid not null,
  to_account_id uuid not null,
  from_seq bigint not null,
  to_seq bigint not null,
  terms bytea not null check (octet_length(terms) = 32),
  links bytea check (octet_length(links) = 32),
  sent_seq bigint,
  sent_links bytea check (octet_length(sent_links) = 32),
  settled_seq bigint,
  settled_links bytea check (octet_length(settled_links) = 32)
);
grant select on archives, archived_heads, archived_terms to strongroom_service;

-- Rows leave the books for an archive alone: in a transaction of the owner that says so. The
-- service's role may delete none, whatever it says.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name in ('entries', 'transfers')
    and current_setting('strongroom.archive', true) = 'on' then
    return null;
  end if;
  raise exception '% of % is not possible: the ledger is append-only', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

-- As 0170_brought_back.sql made it. What tells that a transfer came back stays while both are in an
-- archive: at no moment of a restore can it be brought back again. The same row is right then.
create or replace function keep_brought_back() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
begin
  -- With the lock of a foreign key: neither leaves for an archive alone.
  perform from transfers where id = new.reversal_of for key share;
  if not found then
    raise exception 'Transfer % brings back %, which is not there', new.id, new.reversal_of
      using errcode = 'foreign_key_violation', constraint = 'transfers_reversal_of_fkey';
  end if;
  -- One that names another transfer is refused by the key.
  insert into brought_back (transfer_id, by_transfer_id)
    select new.reversal_of, new.id where not exists (
      select from brought_back where transfer_id = new.reversal_of and by_transfer_id = new.id);
  return null;
end $$;

-- Puts rows of an archive into a table, as far as the condition over a row `r` says, and gives how
-- many. They have the columns of their day: one that was added since takes its default.
create or replace function restore_rows(name text, rows jsonb, is_new text) returns int8
  language plpgsql set search_path = strongroom, pg_temp as $$
declare
  columns text := (
    select string_agg(quote_ident(a.attname), ', ')
    from pg_attribute a join jsonb_object_keys(rows -> 0) as k (key) on k.key = a.attname
    where a.attrelid = name::regclass and a.attnum > 0 and not a.attisdropped);
  count int8;
begin
  execute format('insert into %1$I (%2$s)
    select %2$s from jsonb_populate_recordset(null::%1$I, $1) r where %3$s', name, columns, is_new)
    using rows;
  get diagnostics count = row_count;
  return count;
end $$;
revoke execute on function restore_rows(text, jsonb, text) from public;

create or replace function refuse_beside_archive() returns trigger language plpgsql as $$
begin
  if current_setting('strongroom.archive', true) = 'on' then return null; end if;
  raise exception '% of % is for `strongroom archive` alone', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;
create or replace trigger archives_stay before insert or update or delete or truncate on archives
  for each statement execute function refuse_beside_archive();
create or replace trigger archived_heads_stay before insert or update or delete or truncate
  on archived_heads for each statement execute function refuse_beside_archive();
create or replace trigger archived_terms_stay before insert or update or delete or truncate
  on archived_terms for each statement execute function refuse_beside_archive();

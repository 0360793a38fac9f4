-- What the former bank of an imported account had booked there. It is no part of the books: no chain,
-- no balance and no statement has it. An import adds it, and an erasure of the person deletes it.
create table former_entries (
  -- Its time is the day of the entry and the place of its line on it, so it orders the list.
  id uuid primary key,
  account_id uuid not null references accounts,
  booked_on date not null,
  -- Minor units of the account's currency; negative of what was paid.
  amount int8 not null,
  counterparty_name text check (length(counterparty_name) between 1 and 70),
  counterparty_iban text check (length(counterparty_iban) between 15 and 34),
  reference text not null check (length(reference) <= 140)
);
create index former_entries_of_account on former_entries (account_id, id);
-- The import and the erasure are by the owner of the tables.
grant select on former_entries to strongroom_service;

-- Not valid: the rows of before have the words of before.
alter table imported
  drop constraint imported_kind_check,
  add constraint imported_kind_check check (kind in (
    'person', 'account', 'balance', 'beneficiary', 'order', 'block', 'former_entry')) not valid;

-- The digest of a line would confirm a guess of what was erased.
create function forget_former_lines() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
begin
  update imported i set line_hash = null from gone where i.id = gone.id;
  return null;
end $$;
revoke execute on function forget_former_lines() from public;
create trigger former_entries_forget_imported after delete on former_entries
  referencing old table as gone for each statement
  execute function forget_former_lines();

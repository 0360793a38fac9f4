-- What came from another bank by `strongroom import`: which line became which thing here. A line is
-- imported once, whatever is repeated, and one that has changed since is refused by its name there.

create table imported (
  kind text not null check (kind in ('person', 'account', 'balance', 'beneficiary', 'order')),
  -- The identifier that the other bank gave it; of a balance that of its account.
  source_id text not null check (length(source_id) between 1 and 64),
  -- The person, the account, the beneficiary or the standing order; of a balance its account.
  id uuid not null,
  -- SHA-256 over the line. Null: what the line told is erased, and nothing shall tell it.
  line_hash bytea check (octet_length(line_hash) = 32),
  -- When a person was sent an invitation to set a password.
  invited_at timestamptz,
  primary key (kind, source_id),
  constraint imported_invites_people check (kind = 'person' or invited_at is null)
);
create index imported_of_id on imported (id);
create index imported_to_invite on imported (source_id) where kind = 'person' and invited_at is null;
create index imported_invited on imported (invited_at) where invited_at is not null;
-- The import itself is by the owner of the tables.
grant select, update (invited_at) on imported to strongroom_service;

-- The digest of a line would confirm a guess of what was erased. Runs as the owner: the service
-- writes no other column.
create function forget_imported_line() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
begin
  update imported set line_hash = null
  where (id = new.id or (
      tg_table_name = 'users'
      and id in (select a.id from accounts a where a.owner_id = new.id)))
    and line_hash is not null;
  return null;
end $$;
revoke execute on function forget_imported_line() from public;
create trigger users_forget_imported after update of erased_at on users
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function forget_imported_line();
create trigger accounts_forget_imported after update of status on accounts
  for each row when (new.status = 'closed' and old.status <> 'closed')
  execute function forget_imported_line();
create trigger beneficiaries_forget_imported after update of status on beneficiaries
  for each row when (new.status = 'deleted' and old.status <> 'deleted')
  execute function forget_imported_line();
create trigger orders_forget_imported after update of status on standing_orders
  for each row when (new.status = 'ended' and old.status <> 'ended')
  execute function forget_imported_line();

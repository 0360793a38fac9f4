-- Customers whom the owner of an account lets act on it: see, prepare or pay. Who is invited accepts
-- first. A row is never deleted: it says who might act, and until when.
create table account_members (
  id uuid primary key,
  account_id uuid not null references accounts,
  -- Null: no customer had the name when it was invited. The row of a person is never deleted; a
  -- foreign key would make an invitation of a name that exists take longer.
  person_id uuid,
  -- As the owner has written it; empty once the person was erased.
  username text not null check (length(username) <= 32),
  rights text not null check (rights in ('view', 'prepare', 'pay')),
  -- In minor units; null: no limit of the member's own.
  per_payment bigint check (per_payment >= 0),
  per_day bigint check (per_day >= 0),
  until timestamptz,
  invited_at timestamptz not null,
  -- An invitation is accepted before.
  expires_at timestamptz not null,
  accepted_at timestamptz,
  ended_at timestamptz,
  ended_by text check (ended_by in ('owner', 'member', 'staff', 'time')),
  check ((ended_at is null) = (ended_by is null)),
  check (accepted_at is null or person_id is not null)
);
create unique index account_members_open on account_members (account_id, username)
  where ended_at is null;
create index account_members_of_person on account_members (person_id, id) where person_id is not null;
create index account_members_of_account on account_members (account_id, id);
grant select, insert, update on account_members to strongroom_service;

-- Those who may act, but for the time: the reader judges `until` by the time of the database. The one
-- rule of it: the gate, the ledger and the lists of members read this view.
create view standing_members as
  select m.id, m.account_id, m.person_id, a.owner_id, m.rights, m.per_payment, m.per_day, m.until
  from account_members m
  join accounts a on a.id = m.account_id
  join users o on o.id = a.owner_id and o.status = 'active' and 'customer' = any (o.roles)
  join users p on p.id = m.person_id and p.status = 'active' and 'customer' = any (p.roles)
  where m.accepted_at is not null and m.ended_at is null and m.person_id <> a.owner_id;
grant select on standing_members to strongroom_service;

-- What takes a right from a member holds for orders of money too, as the end of a session does: see
-- 0018_orders_and_revocations.sql.
create function shut_member_out() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  perform shut_out(new.person_id);
  return null;
end $$;
create trigger account_members_shut_out
  after update of rights, per_payment, per_day, until, ended_at on account_members
  for each row when (
    new.person_id is not null
    and (old.rights, old.per_payment, old.per_day, old.until, old.ended_at)
      is distinct from (new.rights, new.per_payment, new.per_day, new.until, new.ended_at))
  execute function shut_member_out();

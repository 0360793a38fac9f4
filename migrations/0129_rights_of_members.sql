-- Whether a member ever had the right to pay: a payment by one that never had is found by `verify`.
-- Memberships of before may have had it. The trigger also serves an instance of the release before.
alter table account_members add if not exists may_have_paid boolean not null default true;
create or replace function keep_right_to_pay() returns trigger language plpgsql as $$
begin
  new.may_have_paid :=
    new.rights = 'pay' or (tg_op = 'UPDATE' and old.may_have_paid);
  return new;
end $$;
create or replace trigger account_members_keep_right
  before insert or update of rights on account_members
  for each row execute function keep_right_to_pay();

-- As before, and of a name that no customer has too: to take such an invitation back takes as long.
create or replace function shut_member_out() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  perform shut_out(coalesce(new.person_id, new.id));
  return null;
end $$;
create or replace trigger account_members_shut_out
  after update of rights, per_payment, per_day, until, ended_at on account_members
  for each row when (
    (old.rights, old.per_payment, old.per_day, old.until, old.ended_at)
      is distinct from (new.rights, new.per_payment, new.per_day, new.until, new.ended_at))
  execute function shut_member_out();

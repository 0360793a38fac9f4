-- The feed tells of memberships, whatever statement made the change: of an invitation, whether or not
-- a customer has the name, and of what follows. An invitation that lapses, is declined or taken back
-- has ended, as a membership has.
create or replace function tell_member() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  insert into events (type, at, ids)
  values (
    'member.' || case
      when tg_op = 'INSERT' then 'invited'
      when old.ended_at is null and new.ended_at is not null then 'ended'
      when old.accepted_at is null and new.accepted_at is not null then 'joined'
      else 'changed'
    end,
    coalesce(case when tg_op = 'INSERT' then new.invited_at end, clock_timestamp()),
    array[new.id]
  );
  return null;
end $$;
create or replace trigger account_members_tell_invitation after insert on account_members
  for each row execute function tell_member();
create or replace trigger account_members_tell_change
  after update of rights, per_payment, per_day, until, accepted_at, ended_at on account_members
  for each row when (
    (old.rights, old.per_payment, old.per_day, old.until, old.accepted_at, old.ended_at)
      is distinct from
      (new.rights, new.per_payment, new.per_day, new.until, new.accepted_at, new.ended_at))
  execute function tell_member();

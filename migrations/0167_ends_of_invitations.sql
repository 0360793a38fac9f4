-- An invitation may end since a session or signing key that sent or changed it was revoked: by no person
-- alone.
alter table account_members
  drop constraint account_members_ended_by_check,
  add constraint account_members_ended_by_check
    check (ended_by in ('owner', 'member', 'staff', 'time', 'revocation')) not valid;

-- As before, but for invitations: who has not accepted has no right to be shut out of. Two people who
-- have invited each other, and end all of their sessions in one moment, wait in no circle.
create or replace trigger account_members_shut_out
  after update of rights, per_payment, per_day, until, ended_at on account_members
  for each row when (
    old.accepted_at is not null
    and (old.rights, old.per_payment, old.per_day, old.until, old.ended_at)
      is distinct from (new.rights, new.per_payment, new.per_day, new.until, new.ended_at))
  execute function shut_member_out();

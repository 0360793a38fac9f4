-- An account that a clearing has left lacking is told again when it lacks nothing any more, whatever
-- gave it room: a payment that came in, a hold that ended, a higher limit.
create function tell_covered() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  insert into events (type, at, ids) values ('account.covered', clock_timestamp(), array[new.id]);
  return null;
end $$;
create trigger accounts_tell_covered
  after update of balance, held, overdraft_limit, unarranged on accounts
  for each row when (old.unarranged > 0 and new.unarranged = 0)
  execute function tell_covered();

-- A session that is over can be revoked still: what was asked for in it may be the wish of a thief.
-- That, too, waits for what is under way, and what comes later is judged again.
create or replace trigger sessions_shut_out after update of ended_at, ended_because on sessions
  for each row when (
    (old.ended_at, old.ended_because) is distinct from (new.ended_at, new.ended_because))
  execute function shut_caller_out();

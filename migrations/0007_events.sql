-- Events: what happened, for programs that follow the bank. A row is written in the transaction of
-- what it tells, so no event is lost and none tells of what was rolled back.
--
-- One row holds all events of one type of one transaction: a batch of transfers writes one or two.
-- Its events are numbered after its COMMIT, by one transaction at a time (src/features/events):
-- a number therefore never appears below one that was already read. There are no gaps, but for one
-- at each end of all sessions: after a restore no number is given out again.

create table events (
  -- The order of writing. A transaction that waited for the COMMIT of another has the greater one.
  written bigint generated always as identity,
  type text not null,
  at timestamptz not null,
  -- The accounts, transfers, cards, beneficiaries or sessions that it is about, in order; null
  -- where it is about every session of the bank.
  ids uuid[] not null check (cardinality(ids) > 0),
  -- The number of the last of its events; null until they are numbered.
  last_number bigint
);
create unique index events_not_numbered on events (written) where last_number is null;
create unique index events_numbered on events (type, last_number) where last_number is not null;
grant select, insert (type, at, ids), update (last_number) on events to strongroom_service;

-- Its lock makes the numbering of all instances one sequence.
create table last_event (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);
insert into last_event (number) values (0);
grant select, update (number) on last_event to strongroom_service;

-- Writes the event of a new row or a new status, whatever statement or trigger made it. Arguments:
-- the resource, the word for a new row, and the word for a return to 'active'.
create function tell_status() returns trigger language plpgsql as $$
begin
  insert into events (type, at, ids)
  values (
    tg_argv[0] || '.' || case
      when tg_op = 'INSERT' then tg_argv[1]
      when new.status = 'active' then tg_argv[2]
      else new.status
    end,
    coalesce(case when tg_op = 'INSERT' then new.created_at end, clock_timestamp()),
    array[new.id]
  );
  return null;
end $$;

create trigger accounts_tell_opening after insert on accounts
  for each row when (new.kind = 'customer')
  execute function tell_status('account', 'opened', 'unfrozen');
create trigger accounts_tell_status after update of status on accounts
  for each row when (new.status <> old.status)
  execute function tell_status('account', 'opened', 'unfrozen');
create trigger cards_tell_issue after insert on cards
  for each row execute function tell_status('card', 'issued', 'unfrozen');
create trigger cards_tell_status after update of status on cards
  for each row when (new.status <> old.status)
  execute function tell_status('card', 'issued', 'unfrozen');
create trigger beneficiaries_tell_addition after insert on beneficiaries
  for each row execute function tell_status('beneficiary', 'added', 'reactivated');
create trigger beneficiaries_tell_status after update of status on beneficiaries
  for each row when (new.status <> old.status)
  execute function tell_status('beneficiary', 'added', 'reactivated');

-- The end of one session. Where many end together, by a greater generation, the statement that
-- raises it writes the events.
create function tell_revocation() returns trigger language plpgsql as $$
begin
  insert into events (type, at, ids) values ('session.revoked', new.ended_at, array[new.id]);
  return null;
end $$;

create trigger sessions_tell_revocation after update of ended_at on sessions
  for each row when (old.ended_at is null and new.ended_because <> 'expired')
  execute function tell_revocation();

-- The audit trail: who did what to what, and how it ended. Rows are only ever added, by the
-- transaction of the change they tell of or a moment after the read, login or refusal.

create table audit_events (
  -- UUID version 7 made from `at`: a range of time is a range of this key, and needs no other index.
  id uuid primary key,
  at timestamptz not null,
  -- Null where nobody was authenticated: a login that failed or was limited.
  actor_id uuid,
  -- The operation by its name in the API reference.
  action text not null check (length(action) between 1 and 80),
  target uuid,
  outcome text not null check (outcome in ('success', 'failure', 'limited', 'forbidden')),
  request_id uuid not null,
  address text not null check (length(address) <= 45),
  -- The reason that was given, or the names of the fields that were changed; never their values.
  detail text check (length(detail) <= 140)
);

-- Each grows at a few places only: the newest end of its requests, of an action, of those who work
-- right now, of what they work on. Nearly all events are successes, so only the others are indexed.
create index audit_events_of_request on audit_events (request_id);
create index audit_events_of_action on audit_events (action, id);
create index audit_events_of_actor on audit_events (actor_id, id) where actor_id is not null;
create index audit_events_of_target on audit_events (target, id) where target is not null;
create index audit_events_unsuccessful on audit_events (outcome, id) where outcome <> 'success';

grant select, insert on audit_events to strongroom_service;

-- Not even the owner of the tables rewrites the trail by accident. `strongroom drop-audit` announces
-- in its own transaction that it drops what was exported; only the owner may delete at all.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('strongroom.drop_audit', true) = 'on' then
    return null;
  end if;
  raise exception '% of % is not possible: the audit trail is append-only', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

create trigger audit_events_are_appended before update or delete or truncate on audit_events
  for each statement execute function refuse_audit_change();

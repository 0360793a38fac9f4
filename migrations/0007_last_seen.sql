-- Where and when the service last saw its database. What was revoked after a backup was made is not
-- revoked in it: a database that is suddenly elsewhere, or later than now, is taken for restored.

create table last_seen (
  only_row boolean primary key default true check (only_row),
  -- Which cluster and timeline, database, tables and, embedded, folder; empty before the first time.
  place text not null,
  at timestamptz not null
);
insert into last_seen (place, at) values ('', '1970-01-01');
grant select, update on last_seen to strongroom_service;

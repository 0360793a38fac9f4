-- What each migration was when it ran, so that a file that was edited since is found; and which
-- releases run on the schema after it.

-- The SHA-256 of the file, as in SHA256SUMS. `migrate` sets the setting before it runs a file, so
-- that the hash is committed with what the file made. Null for the files before this one, until
-- `migrate` has prepared the statements of the service on what they made.
alter table migrations add column sha256 text;
alter table migrations alter column sha256
  set default nullif(current_setting('strongroom.migration_sha256', true), '');

-- The oldest release whose instances run on the schema with this migration: one of them may start,
-- although it does not know the file.
alter table migrations add column oldest_release text;
alter table migrations alter column oldest_release
  set default nullif(current_setting('strongroom.oldest_release', true), '');

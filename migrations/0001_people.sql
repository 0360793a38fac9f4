-- People, their sessions and devices, and the keys of the service. Everything here is read on each
-- request or guards one, so the rows are small and looked up by primary key.

-- The role the service works as. It owns nothing: it can neither change the schema nor, later,
-- rewrite the ledger. Roles belong to the cluster, so another bank in it may have made it already.
do $$
begin
  create role strongroom_service nologin;
exception when duplicate_object or unique_violation then null;
end $$;

do $$
begin
  if not pg_has_role(current_user, 'strongroom_service', 'set') then
    execute format('grant strongroom_service to %I', current_user);
  end if;
end $$;

grant usage on schema strongroom to strongroom_service;
grant select on migrations to strongroom_service;

create table users (
  id uuid primary key,
  -- Both are stored in the canonical form that is compared: NFKC, lower case.
  username text not null constraint users_username_key unique,
  email text not null constraint users_email_key unique,
  given_name text not null,
  family_name text not null,
  phone text,
  address text,
  roles text[] not null
    check (cardinality(roles) > 0 and roles <@ array['customer', 'support-agent', 'admin']),
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- argon2id in PHC string form; null until an invited person sets a password.
  password_hash text,
  -- A login that read an older password cannot open a session after it was changed.
  password_version int not null default 0,
  -- Raising it ends all sessions of the user at once; see sessions.
  session_generation int not null default 0,
  created_at timestamptz not null
);
-- Counts them.
create index users_by_status on users (status);
grant select, insert, update on users to strongroom_service;

-- Raising the number ends all sessions of the bank at once; see sessions.
create table bank_generation (
  only_row boolean primary key default true check (only_row),
  number int not null
);
insert into bank_generation (number) values (0);
grant select, update on bank_generation to strongroom_service;

-- How staff find people by name: each full name from each of its words on. An index over parts of
-- names from anywhere would need an extension that not every server has.
create table user_names (
  tail text collate "C" not null,
  user_id uuid not null references users,
  primary key (tail, user_id)
);
create index user_names_of_user on user_names (user_id);
grant select on user_names to strongroom_service;

-- A hyphen is as good as a space.
create function searchable(name text) returns text immutable language sql
return trim(lower(regexp_replace(name, '[\s-]+', ' ', 'g')));

-- Runs as the owner: the service only reads what is kept here.
create function keep_user_names() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
declare
  words text[] := string_to_array(searchable(new.given_name || ' ' || new.family_name), ' ');
begin
  delete from user_names where user_id = new.id;
  insert into user_names (tail, user_id)
  select distinct array_to_string(words[first:], ' '), new.id
  from generate_subscripts(words, 1) as first;
  return null;
end $$;

create trigger users_keep_names after insert or update of given_name, family_name on users
  for each row execute function keep_user_names();

-- The people in whose full name that text is there from the beginning of a word on.
create function people_named(name text) returns setof uuid stable language sql
begin atomic
  select user_id from user_names
  where searchable(name) <> '' and tail >= searchable(name)
    -- No character comes after this one.
    and tail < searchable(name) || chr(1114111);
end;

-- How staff find people by the beginning of the user name or of the e-mail address.
create index users_by_username on users (username collate "C");
create index users_by_email on users (email collate "C");

-- The people with that text, in canonical form, at the beginning of the user name, of the e-mail
-- address, or of a word of the full name.
create function people_found(beginning text) returns setof uuid stable language sql
begin atomic
  select people_named(beginning)
  union
  select id from users
  where username collate "C" >= beginning and username collate "C" < beginning || chr(1114111)
  union
  select id from users
  where email collate "C" >= beginning and email collate "C" < beginning || chr(1114111);
end;

create table sessions (
  id uuid primary key,
  user_id uuid not null references users,
  -- A session is good only while both numbers are those of its user and of the bank. To end many
  -- sessions is to raise one number, whatever lies in the table. No clock is compared, and a
  -- session that a backup brings back after that stays ended.
  generation int not null default 0,
  bank_generation int not null default 0,
  device text,
  -- SHA-256 of the handle in the browser's cookie; null where the session has tokens instead.
  handle_hash bytea,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- The absolute end; nothing moves it.
  ends_at timestamptz not null,
  -- Set once, never cleared: an ended session stays ended whatever the clock does.
  ended_at timestamptz,
  ended_because text
    check (ended_because in ('logout', 'revoked', 'expired', 'replaced', 'reuse')),
  check ((ended_at is null) = (ended_because is null))
);
-- Without last_used_at, which is written every second: an update that changes no indexed column
-- touches no index (heap-only tuples).
create index sessions_of_user on sessions (user_id, generation, ends_at) where ended_at is null;
create index sessions_by_end on sessions (ends_at);
create unique index sessions_handle_key on sessions (handle_hash) where handle_hash is not null;
grant select, insert, update, delete on sessions to strongroom_service;

-- The sessions that nothing has ended. Whether time has, its reader judges: by ends_at and
-- last_used_at. The gate's statement holds the same rule the other way round.
create view current_sessions as
  select s.id, s.user_id, s.device, s.created_at, s.last_used_at, s.ends_at
  from sessions s join users u on u.id = s.user_id and u.session_generation = s.generation
  where s.ended_at is null and s.bank_generation = (select number from bank_generation);
grant select on current_sessions to strongroom_service;

create table refresh_tokens (
  -- SHA-256; the token itself is never stored.
  token_hash bytea primary key,
  session_id uuid not null references sessions,
  used_at timestamptz
);
create index refresh_tokens_of_session on refresh_tokens (session_id);
grant select, insert, update, delete on refresh_tokens to strongroom_service;

create table devices (
  id uuid primary key,
  user_id uuid not null references users,
  -- SHA-256 of the device token.
  token_hash bytea not null constraint devices_token_key unique,
  created_at timestamptz not null,
  -- The last login from it.
  last_used_at timestamptz not null
);
create index devices_of_user on devices (user_id, last_used_at);
create index devices_by_use on devices (last_used_at);
grant select, insert, update, delete, truncate on devices to strongroom_service;

create table signing_keys (
  kid text primary key,
  -- Ed25519 as JWK (RFC 8037).
  public_jwk jsonb not null,
  private_jwk jsonb not null,
  created_at timestamptz not null,
  -- Still verifies until its last token has expired; signs no more.
  retired_at timestamptz,
  -- Verifies nothing from here on: every check of a session reads the revoked keys.
  revoked_at timestamptz check (revoked_at is null or retired_at is not null)
);
create unique index signing_keys_one_signs on signing_keys ((true)) where retired_at is null;
grant select on signing_keys to strongroom_service;

-- Symmetric keys all instances share: of cursors, of the succession of refresh tokens.
create table secrets (
  name text primary key,
  value bytea not null check (octet_length(value) = 32)
);
grant select on secrets to strongroom_service;

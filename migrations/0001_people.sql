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
  created_at timestamptz not null
);
grant select, insert, update on users to strongroom_service;

create table sessions (
  id uuid primary key,
  user_id uuid not null references users,
  device text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- The absolute end; nothing moves it.
  ends_at timestamptz not null,
  -- Set once, never cleared: an ended session stays ended whatever the clock does.
  ended_at timestamptz,
  ended_because text
    check (ended_because in ('logout', 'revoked', 'expired', 'password', 'reuse', 'disabled')),
  check ((ended_at is null) = (ended_because is null))
);
create index sessions_of_user on sessions (user_id, id) where ended_at is null;
grant select, insert, update on sessions to strongroom_service;

create table refresh_tokens (
  -- SHA-256; the token itself is never stored.
  token_hash bytea primary key,
  session_id uuid not null references sessions,
  used_at timestamptz
);
create index refresh_tokens_of_session on refresh_tokens (session_id);
grant select, insert, update on refresh_tokens to strongroom_service;

create table devices (
  id uuid primary key,
  user_id uuid not null references users,
  -- SHA-256 of the device token.
  token_hash bytea not null constraint devices_token_key unique,
  created_at timestamptz not null
);
create index devices_of_user on devices (user_id);
grant select, insert on devices to strongroom_service;

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

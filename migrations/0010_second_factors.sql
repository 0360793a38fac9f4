-- Second factors: passkeys and one-time codes of people, recovery codes, and the challenges that
-- are answered with them. What the gate reads on each request stands in users and sessions.

alter table users
  -- A factor of theirs is active: kept in the transaction that activates or removes one.
  add has_factor boolean not null default false,
  -- The last login with a recovery code or a link that replaces factors. A payment to a beneficiary
  -- that was added less than 24 hours after it is refused.
  add recovered_at timestamptz;

-- Opens only the routes by which a factor is enrolled, and those of the session itself.
alter table sessions add is_restricted boolean not null default false;

create table factors (
  id uuid primary key,
  user_id uuid not null references users,
  kind text not null check (kind in ('passkey', 'totp')),
  name text not null check (length(name) between 1 and 140),
  -- Of a passkey (WebAuthn Level 3): its identifier, its key as COSE, its signature counter.
  credential_id bytea constraint factors_credential_key unique,
  public_key bytea,
  sign_count bigint not null default 0,
  transports text[] not null default '{}',
  -- Of one-time codes (RFC 6238): the secret, sealed by AES-256-GCM, and the last step whose code
  -- was used. A code of this step or an earlier one is refused.
  secret_sealed bytea,
  last_step int,
  created_at timestamptz not null,
  -- Null until its owner has answered the challenge of the enrolment.
  activated_at timestamptz,
  last_used_at timestamptz,
  constraint factors_passkey check (
    kind = 'totp' or (credential_id is null) = (public_key is null)
    and (activated_at is null or credential_id is not null)
  ),
  constraint factors_totp check ((kind = 'totp') = (secret_sealed is not null))
);
create index factors_of_user on factors (user_id);
create index factors_pending on factors (created_at) where activated_at is null;
grant select, insert, update, delete on factors to strongroom_service;

create table recovery_codes (
  user_id uuid not null references users,
  -- argon2id of the code with the salt, which the codes of one set share.
  hash bytea not null check (octet_length(hash) = 32),
  salt bytea not null check (octet_length(salt) = 16),
  used_at timestamptz,
  primary key (user_id, hash)
);
grant select, insert, update, delete on recovery_codes to strongroom_service;

create table challenges (
  id uuid primary key,
  purpose text not null check (purpose in ('login', 'passkey-login', 'enrolment', 'confirmation')),
  user_id uuid references users,
  -- Without a foreign key: a challenge is gone long before its session is.
  session_id uuid,
  -- Of a login: the version of the password that was checked, and the key that its failures are
  -- counted under.
  password_version int,
  counted_as text,
  -- Of a confirmation: the operation, what is shown, and the SHA-256 of the canonical terms.
  operation text,
  terms jsonb,
  digest bytea check (octet_length(digest) = 32),
  nonce bytea not null check (octet_length(nonce) = 32),
  tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  confirmed_at timestamptz,
  used_at timestamptz,
  constraint challenges_user check ((purpose = 'passkey-login') = (user_id is null)),
  constraint challenges_session
    check ((purpose in ('login', 'passkey-login')) = (session_id is null)),
  constraint challenges_login check ((purpose = 'login') = (password_version is not null)),
  constraint challenges_confirmation
    check ((purpose = 'confirmation') = (num_nulls(operation, terms, digest) = 0)),
  constraint challenges_lifetime check (expires_at <= created_at + interval '5 minutes')
);
create index challenges_by_expiry on challenges (expires_at);
grant select, insert, update, delete, truncate on challenges to strongroom_service;

-- The one link by which a person who has lost all factors enrols new ones: staff start it, and it
-- opens nothing without the password.
create table factor_resets (
  user_id uuid primary key references users,
  -- SHA-256; the token itself is made when its mail is written and is never stored.
  token_hash bytea not null constraint factor_resets_hash unique
    check (octet_length(token_hash) = 32),
  email text not null,
  expires_at timestamptz not null,
  -- The session that was begun with it: a factor that is activated there replaces the others.
  session_id uuid
);
create index factor_resets_by_expiry on factor_resets (expires_at);
grant select, insert, update, delete, truncate on factor_resets to strongroom_service;

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in (
  'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
  'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
  'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset'
));

create or replace function void_credentials() returns void language sql as
  'truncate password_tokens, factor_resets, devices, mails, challenges';

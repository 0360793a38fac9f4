-- Staff sign in by an OpenID Connect issuer. A link of a person to a subject of the issuer is made by
-- an administrator alone; what was begun at the issuer ends with the link, with its logout tokens, and
-- with all else that ends a session.

create table issuer_links (
  user_id uuid primary key references users,
  -- `iss` and `sub` of ID tokens, compared byte by byte.
  issuer text not null check (length(issuer) between 1 and 255),
  subject text not null check (length(subject) between 1 and 255),
  linked_at timestamptz not null,
  linked_by uuid not null,
  constraint issuer_links_subject unique (issuer, subject)
);
grant select, insert, delete on issuer_links to strongroom_service;

-- A way to the issuer that has begun: deleted by the first answer to it. State, nonce and verifier of
-- PKCE are derived from the secret in the browser's cookie, so none of them is stored.
create table issuer_visits (
  handle_hash bytea primary key check (octet_length(handle_hash) = 32),
  -- Of a confirmation; without foreign keys, as in challenges.
  challenge_id uuid,
  session_id uuid,
  begun_at timestamptz not null,
  expires_at timestamptz not null,
  constraint issuer_visits_confirmation check ((challenge_id is null) = (session_id is null))
);
create index issuer_visits_by_expiry on issuer_visits (expires_at);
grant select, insert, update, delete, truncate on issuer_visits to strongroom_service;

-- Logout tokens that were obeyed. A token works once, and a sign-in that was under way meanwhile
-- begins no session.
create table issuer_logouts (
  -- SHA-256 of the issuer and, behind a line break, the `jti`, the `sid` and the `sub`.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  sid_hash bytea check (octet_length(sid_hash) = 32),
  subject_hash bytea check (octet_length(subject_hash) = 32),
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  constraint issuer_logouts_about check (num_nulls(sid_hash, subject_hash) = 1)
);
create index issuer_logouts_by_expiry on issuer_logouts (expires_at);
create index issuer_logouts_of_sid on issuer_logouts (sid_hash);
create index issuer_logouts_of_subject on issuer_logouts (subject_hash);
grant select, insert, update, delete on issuer_logouts to strongroom_service;

alter table sessions
  -- Null: begun at this bank.
  add issuer text,
  -- Of the session at the issuer, as in issuer_logouts.
  add issuer_sid_hash bytea,
  -- The issuer has asked for a second factor.
  add issuer_factor boolean not null default false,
  add constraint sessions_issuer check (
    (issuer is not null or (issuer_sid_hash is null and not issuer_factor))
    and octet_length(issuer_sid_hash) = 32) not valid;

-- Of a login whose first step was the issuer's.
alter table challenges
  add origin jsonb,
  add constraint challenges_origin check (origin is null or purpose = 'login') not valid;

alter table mails
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked')) not valid;

create or replace function void_credentials() returns void language sql as '
  select shut_out_bank();
  lock table users, service_accounts in exclusive mode;
  truncate password_tokens, factor_resets, devices, mails, challenges, issuer_visits';

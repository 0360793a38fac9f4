-- A new e-mail address that a person has asked for, until a link that was mailed there proves it. A
-- person has one such request: a newer one takes its place. The address is used for nothing else
-- before, and the request ends with the sessions of its person.
create table email_changes (
  user_id uuid primary key references users,
  -- The session that asked: once it is revoked, the link proves nothing.
  session_id uuid not null,
  email text not null,
  -- SHA-256; null until the mail is written. The token itself is never stored.
  token_hash bytea constraint email_changes_hash unique check (octet_length(token_hash) = 32),
  expires_at timestamptz not null
);
create index email_changes_by_expiry on email_changes (expires_at);
grant select, insert, update, delete, truncate on email_changes to strongroom_service;

alter table mails
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised',
    'notices-off', 'money-arrived', 'balance-below', 'list-ordered', 'list-refused', 'email-asked',
    'email-proof')) not valid,
  drop constraint mails_old,
  add constraint mails_old
    check ((kind in ('email-changed', 'email-asked')) = (old_email is not null)) not valid;

create or replace function void_credentials() returns void language sql as '
  select shut_out_bank();
  lock table users, service_accounts in exclusive mode;
  truncate password_tokens, factor_resets, email_changes, devices, mails, challenges, issuer_visits';

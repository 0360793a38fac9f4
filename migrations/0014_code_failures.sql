-- How many one-time codes were wrong in a row: after too many, further ones are refused. Here and
-- not in memory, so that it survives a restart and instances share it.

-- Of the logins of a person elsewhere than on a known device. Each code is counted before it is
-- judged; a success removes the row.
create table code_failures (
  user_id uuid primary key references users,
  -- The version of the password that came before the codes: another password begins a new count.
  password_version int not null,
  count int not null,
  -- As count, but a new password does not begin it anew: who reads somebody's mails can set one
  -- again and again.
  total int not null
);
grant select, insert, update, delete on code_failures to strongroom_service;

-- Of the logins on a known device, which others cannot add to.
alter table devices add code_failures int not null default 0;

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in (
  'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
  'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
  'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
  'wrong-factor', 'codes-refused'
));

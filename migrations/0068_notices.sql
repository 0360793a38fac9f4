-- Which mails a person wants. A row is a choice; without one a kind is sent, but for money that
-- arrives, which is told only where it was asked for. Mails about access and security have no row:
-- they are always sent.
create table notice_choices (
  user_id uuid not null references users,
  kind text not null check (kind in (
    'payment', 'card-payment', 'card-declined', 'order-refused', 'order-paused', 'money-arrived',
    'balance-below')),
  channel text not null check (channel in ('mail', 'off')),
  primary key (user_id, kind)
);
grant select, insert, update, delete on notice_choices to strongroom_service;

-- The one place that decides whether a mail is queued: its kind is switched off, or was sent too
-- often within the hour.
create function mail_is_unwanted(whose uuid, which text, at timestamptz) returns boolean
  stable language sql
begin atomic
  select alerts_paused(whose, which, at) or coalesce(
    (select channel from notice_choices where user_id = whose and kind = which),
    case which when 'money-arrived' then 'off' else 'mail' end
  ) = 'off';
end;

-- Below which balance the owner of an account is told of it, in minor units; null: not at all. Told
-- once, until the balance has reached the amount again.
-- Not valid: every account has none so far, and none has to be read.
alter table accounts
  add notice_below bigint,
  add is_below_told boolean not null default false,
  add constraint accounts_notice_below check (
    (kind = 'customer' or notice_below is null)
    and coalesce(notice_below >= 0, not is_below_told)
  ) not valid;

-- Both mails have a user. Without foreign keys, like `transfer_id`.
alter table mails
  add arrival_id uuid,
  add account_id uuid,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised',
    'notices-off', 'money-arrived', 'balance-below')) not valid,
  add constraint mails_arrival check (kind <> 'money-arrived' or arrival_id is not null) not valid,
  add constraint mails_account check (kind <> 'balance-below' or account_id is not null) not valid;

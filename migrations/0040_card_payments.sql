-- Payments by card: what a processor asked for, and what the bank answered. An approved one is a hold;
-- its captures and refunds are transfers. No number of a card is here, and no PIN.
create table card_authorizations (
  id uuid primary key,
  card_id uuid not null references cards,
  account_id uuid not null references accounts,
  -- The hold that it made, under its own identifier, or that it raised or was to raise.
  payment_id uuid references holds,
  -- In minor units.
  amount bigint not null check (amount > 0),
  currency text not null,
  channel text not null check (channel in ('online', 'contactless', 'chip', 'cash')),
  -- Why it was declined; null: approved.
  reason text check (reason in (
    'card_cancelled', 'card_frozen', 'card_expired', 'account_frozen', 'currency_mismatch',
    'channel_off', 'per_payment_limit', 'per_day_limit', 'insufficient_funds')),
  -- Null once they are erased.
  merchant_name text check (length(merchant_name) <= 140),
  merchant_category text check (merchant_category ~ '^[0-9]{4}$'),
  merchant_country text check (merchant_country ~ '^[A-Z]{2}$'),
  caller_id uuid not null,
  created_at timestamptz not null,
  -- Of an approved one, as it was then.
  expires_at timestamptz,
  constraint card_authorizations_erased
    check (num_nulls(merchant_name, merchant_category, merchant_country) in (0, 3)),
  constraint card_authorizations_approved check (
    (reason is null) = (expires_at is not null) and (reason is not null or payment_id is not null))
);
create index card_authorizations_of_account on card_authorizations (account_id, id);
grant select, insert on card_authorizations to strongroom_service;

create trigger card_authorizations_stay before update on card_authorizations
  for each row when (
    new.merchant_name is not null
    or (new.id, new.card_id, new.account_id, new.amount, new.currency, new.channel, new.caller_id,
      new.created_at, new.expires_at)
    is distinct from (old.id, old.card_id, old.account_id, old.amount, old.currency, old.channel,
      old.caller_id, old.created_at, old.expires_at)
    or new.payment_id is distinct from old.payment_id or new.reason is distinct from old.reason
  )
  execute function refuse_change();
create trigger card_authorizations_are_appended before delete or truncate on card_authorizations
  for each statement execute function refuse_change();

-- What came back of a payment.
create table card_refunds (
  transfer_id uuid primary key,
  payment_id uuid not null references holds
);
create index card_refunds_of_payment on card_refunds (payment_id, transfer_id);
grant select, insert on card_refunds to strongroom_service;
create trigger card_refunds_stay before update or delete or truncate on card_refunds
  for each statement execute function refuse_change();

-- All kinds. Not valid: earlier rows keep to the lists of before, and none has to be read.
alter table transfers
  drop constraint transfers_kind_check,
  add constraint transfers_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'fee', 'interest', 'correction', 'capture', 'card', 'refund')) not valid;
alter table entries
  drop constraint entries_kind_check,
  add constraint entries_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'settlement', 'sending', 'fee', 'interest', 'correction', 'capture', 'card', 'refund')) not valid;

-- The mails that tell of an authorisation, queued in its transaction.
alter table mails
  add authorization_id uuid,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused',
    'card-payment', 'card-declined')),
  add constraint mails_authorization
    check (kind not in ('card-payment', 'card-declined') or authorization_id is not null);

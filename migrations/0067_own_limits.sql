-- Limits that the owner of an account sets for its transfers, beside the limit of the bank. A lower
-- one holds at once. A higher one, and the end of one, stands in the columns `next_…` until
-- `next_limits_at`, and is read as the limit from that moment on. In minor units; null: no limit.
-- Not valid: every account has none so far, and none has to be read.
alter table accounts
  add own_per_payment bigint,
  add own_per_day bigint,
  add next_per_payment bigint,
  add next_per_day bigint,
  add next_limits_at timestamptz,
  add constraint accounts_own_limits check (
    (kind = 'customer'
      or num_nonnulls(own_per_payment, own_per_day, next_per_payment, next_per_day, next_limits_at) = 0)
    and (next_limits_at is not null or num_nonnulls(next_per_payment, next_per_day) = 0)
    and coalesce(least(own_per_payment, own_per_day, next_per_payment, next_per_day) >= 0, true)
  ) not valid;

alter table mails
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised')) not valid;

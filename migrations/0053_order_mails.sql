-- The mails that tell of a new standing order, and of a changed payee or amount: each of one version
-- of the order, whose terms it repeats (0052). Not valid: earlier mails keep to the checks of before,
-- and none has to be read.
alter table mails
  add order_version int,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined')) not valid,
  drop constraint mails_order,
  add constraint mails_order check (
    (kind in ('order-refused', 'order-paused', 'order-made', 'order-changed'))
      = (order_id is not null)
    and (kind in ('order-refused', 'order-paused')) = (due_on is not null)
    and (kind in ('order-made', 'order-changed')) = (order_version is not null)) not valid;

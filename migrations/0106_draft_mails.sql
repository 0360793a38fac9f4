-- The mails about drafts, each to one person.
alter table mails
  add draft_id uuid,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised',
    'notices-off', 'money-arrived', 'balance-below', 'list-ordered', 'list-refused', 'email-asked',
    'email-proof', 'account-overdrawn', 'draft-waiting', 'draft-paid', 'draft-ended',
    'signatures-lowered')) not valid,
  add constraint mails_draft
    check (kind not in ('draft-waiting', 'draft-paid', 'draft-ended') or draft_id is not null)
    not valid;

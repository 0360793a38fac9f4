-- The mails about memberships. An invitation has no user: the name that was invited may be no
-- customer's, and the foreign key would make one that exists take longer. The person is looked up
-- when the mail is written.
alter table mails
  add column if not exists member_id uuid,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised',
    'notices-off', 'money-arrived', 'balance-below', 'list-ordered', 'list-refused', 'email-asked',
    'email-proof', 'account-overdrawn', 'draft-waiting', 'draft-paid', 'draft-ended',
    'signatures-lowered', 'card-dispute', 'member-invited', 'member-joined', 'member-changed',
    'member-ended')) not valid,
  drop constraint mails_to_one,
  add constraint mails_to_one check (num_nonnulls(user_id, asked_email, transfer_id, order_id,
    case kind when 'member-invited' then member_id end) = 1) not valid,
  drop constraint if exists mails_member,
  add constraint mails_member check (
    kind not in ('member-invited', 'member-joined', 'member-changed', 'member-ended')
    or member_id is not null) not valid;

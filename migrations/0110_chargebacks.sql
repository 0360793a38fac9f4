-- Chargebacks of card payments. One credits the holder provisionally, and ends once: won, which
-- leaves the money there, or lost or withdrawn, which takes it back. Both are transfers.
create table card_chargebacks (
  -- The credit.
  transfer_id uuid primary key,
  payment_id uuid not null references holds,
  -- The code of the card scheme.
  reason text not null check (reason ~ '^[0-9A-Z][0-9A-Z.]{0,15}\Z')
);
create index card_chargebacks_of_payment on card_chargebacks (payment_id, transfer_id);
grant select, insert on card_chargebacks to strongroom_service;
create trigger card_chargebacks_stay before update or delete or truncate on card_chargebacks
  for each statement execute function refuse_change();

create table chargeback_ends (
  chargeback_id uuid primary key references card_chargebacks,
  outcome text not null check (outcome in ('won', 'lost', 'withdrawn')),
  -- What has taken the money back.
  transfer_id uuid unique,
  ended_at timestamptz not null,
  -- A person, or a service account.
  caller_id uuid not null,
  constraint chargeback_ends_taken_back check ((outcome = 'won') = (transfer_id is null))
);
grant select, insert on chargeback_ends to strongroom_service;
create trigger chargeback_ends_stay before update or delete or truncate on chargeback_ends
  for each statement execute function refuse_change();

-- What a holder disputes, until staff close it or its chargeback ends.
create table card_disputes (
  id uuid primary key,
  payment_id uuid not null references holds,
  account_id uuid not null references accounts,
  user_id uuid not null references users,
  reason text not null check (reason in (
    'not_authorized', 'not_received', 'not_as_described', 'duplicate', 'wrong_amount', 'cancelled',
    'other')),
  -- Null once it is erased.
  text text check (length(text) <= 1000),
  created_at timestamptz not null,
  -- What has taken it up.
  chargeback_id uuid unique references card_chargebacks,
  -- By staff, without a chargeback, and why: the holder reads it. Null again once it is erased.
  closed_at timestamptz,
  closed_by uuid,
  closed_reason text check (length(closed_reason) <= 500),
  constraint card_disputes_closed check (
    (closed_at is null) = (closed_by is null) and (closed_reason is null or closed_at is not null)
    and (chargeback_id is null or closed_at is null))
);
create unique index card_disputes_open on card_disputes (payment_id)
  where chargeback_id is null and closed_at is null;
create index card_disputes_waiting on card_disputes (id)
  where chargeback_id is null and closed_at is null;
create index card_disputes_of_payment on card_disputes (payment_id, id);
create index card_disputes_of_account on card_disputes (account_id, id);
create index card_disputes_of_user on card_disputes (user_id, id);
grant select, insert, update (chargeback_id, closed_at, closed_by, closed_reason) on card_disputes
  to strongroom_service;

-- Neither is what one says changed, but that its texts may be erased, nor how it has ended.
create trigger card_disputes_stay before update on card_disputes
  for each row when (
    (new.id, new.payment_id, new.account_id, new.user_id, new.reason, new.created_at)
      is distinct from
      (old.id, old.payment_id, old.account_id, old.user_id, old.reason, old.created_at)
    or (new.text is distinct from old.text and new.text is not null)
    or (old.chargeback_id is not null and new.chargeback_id is distinct from old.chargeback_id)
    or (old.closed_at is not null
      and (new.closed_at, new.closed_by) is distinct from (old.closed_at, old.closed_by))
    or (old.closed_at is not null and new.closed_reason is distinct from old.closed_reason
      and new.closed_reason is not null)
  )
  execute function refuse_change();
create trigger card_disputes_are_kept before delete or truncate on card_disputes
  for each statement execute function refuse_change();

-- All kinds. Not valid: earlier rows keep to the lists of before, and none has to be read.
alter table transfers
  drop constraint transfers_kind_check,
  add constraint transfers_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'fee', 'interest', 'correction', 'capture', 'card', 'clearing', 'refund', 'chargeback',
    'takeback')) not valid,
  drop constraint transfers_brings_back,
  add constraint transfers_brings_back check (
    (kind in ('reversal', 'return', 'cancellation', 'takeback')) = (reversal_of is not null)
  ) not valid;
alter table entries
  drop constraint entries_kind_check,
  add constraint entries_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'settlement', 'sending', 'fee', 'interest', 'correction', 'capture', 'card', 'clearing',
    'refund', 'chargeback', 'takeback')) not valid;

-- An instance of the release before knows no chargebacks: it would reverse one, and refund what has
-- come back by one. This release refuses both itself.
create or replace function refuse_cancelled() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
declare
  -- Named as people read it in the log of that instance.
  undone text := (
    select case kind when 'card' then 'card payment' else kind end
    from transfers where id = new.reversal_of
      and kind in ('cancellation', 'card', 'clearing', 'refund', 'chargeback', 'takeback'));
begin
  if undone is not null then
    raise exception 'A % is not reversed', undone using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create function refuse_refund_above() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  if exists (select from card_chargebacks where payment_id = new.payment_id) and (
    select captured from holds where id = new.payment_id
  ) < (
    select sum(t.amount) from transfers t where t.id = new.transfer_id
      or t.id in (select transfer_id from card_refunds where payment_id = new.payment_id)
      or t.id in (
        select b.transfer_id from card_chargebacks b
        left join chargeback_ends e on e.chargeback_id = b.transfer_id
        where b.payment_id = new.payment_id and coalesce(e.outcome, 'won') = 'won')
  ) then
    raise exception 'More would come back of a card payment than was captured'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
revoke execute on function refuse_refund_above() from public;
create trigger card_refunds_of_older_versions before insert on card_refunds
  for each row execute function refuse_refund_above();

alter table mails
  -- What has happened to a dispute, whose payment `authorization_id` names.
  add dispute_step text,
  add constraint mails_dispute_step_check check (
    dispute_step in ('opened', 'closed', 'made', 'won', 'lost', 'withdrawn')) not valid,
  add chargeback_id uuid,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised',
    'notices-off', 'money-arrived', 'balance-below', 'list-ordered', 'list-refused', 'email-asked',
    'email-proof', 'account-overdrawn', 'draft-waiting', 'draft-paid', 'draft-ended',
    'signatures-lowered',
    'card-dispute')) not valid,
  add constraint mails_dispute check (
    kind <> 'card-dispute' or num_nulls(authorization_id, dispute_step) = 0) not valid;

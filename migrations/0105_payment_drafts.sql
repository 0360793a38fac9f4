-- Two people for a payment. A draft is a payment with all of its terms that somebody else has to
-- sign; its terms never change. The signature that completes it is written in the transaction of
-- its transfer, and a draft that has ended stays so: no draft is paid twice, whatever is repeated or
-- killed. A writer of a draft locks its row; one that signs it has the lock of its account as well.

-- From which amount on two people sign what leaves an account, in minor units; null: from none. A
-- lower amount holds at once. A higher one, and none, stands in `next_signatures_from` until
-- `next_signatures_at`, and holds from that moment on. Not valid: every account has none so far.
alter table accounts
  add signatures_from bigint,
  add next_signatures_from bigint,
  add next_signatures_at timestamptz,
  add constraint accounts_signatures check (
    (kind = 'customer'
      or num_nonnulls(signatures_from, next_signatures_from, next_signatures_at) = 0)
    and (next_signatures_at is not null or next_signatures_from is null)
    and coalesce(least(signatures_from, next_signatures_from) > 0, true)
  ) not valid;

create table payment_drafts (
  id uuid primary key,
  account_id uuid not null references accounts,
  maker_id uuid not null,
  -- The payee: of the account, or another account of the same customer.
  beneficiary_id uuid references beneficiaries,
  to_account_id uuid references accounts,
  -- In minor units of the account's currency.
  amount bigint not null check (amount > 0),
  -- A text, which is erased one day.
  reference text not null check (length(reference) <= 140),
  -- What its maker was told of the name of the payee.
  payee_result text
    check (payee_result in ('match', 'close_match', 'no_match', 'not_possible')),
  payee_accepted boolean,
  status text not null default 'waiting'
    check (status in ('waiting', 'paid', 'cancelled', 'expired', 'void')),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- Who cancelled it.
  ended_by uuid,
  transfer_id uuid unique,
  -- How many signatures the payment needed when it was made.
  signatures_needed int2 check (signatures_needed in (1, 2)),
  constraint payment_drafts_payee check (
    num_nonnulls(beneficiary_id, to_account_id) = 1
    and (payee_result is null) = (payee_accepted is null)
    and coalesce(payee_accepted or payee_result = 'match', true)),
  constraint payment_drafts_ended check (
    (status = 'waiting') = (ended_at is null)
    and (status = 'cancelled') = (ended_by is not null)
    and (status = 'paid') = (transfer_id is not null)
    and (status = 'paid') = (signatures_needed is not null))
);
create index payment_drafts_of_maker on payment_drafts (maker_id);
create index payment_drafts_of_account on payment_drafts (account_id, id);
create index payment_drafts_waiting on payment_drafts (expires_at, id) where status = 'waiting';
create index payment_drafts_waiting_of_account on payment_drafts (account_id)
  where status = 'waiting';
grant select, insert, update on payment_drafts to strongroom_service;

create table draft_signatures (
  draft_id uuid not null references payment_drafts,
  person_id uuid not null,
  session_id uuid not null,
  signed_at timestamptz not null,
  primary key (draft_id, person_id)
);
create index draft_signatures_of_person on draft_signatures (person_id);
grant select, insert on draft_signatures to strongroom_service;

create trigger ended_drafts_stay before update on payment_drafts
  for each row when (old.status <> 'waiting' and new.status is distinct from old.status)
  execute function refuse_return();
create function refuse_other_draft() returns trigger language plpgsql as $$
begin
  raise exception 'the terms of draft % do not change', old.id using errcode = 'restrict_violation';
end $$;
-- Its text alone may go.
create trigger payment_drafts_keep_terms before update on payment_drafts
  for each row when ((
    new.account_id, new.maker_id, new.beneficiary_id, new.to_account_id, new.amount,
    new.payee_result, new.payee_accepted, new.created_at)
    is distinct from (
    old.account_id, old.maker_id, old.beneficiary_id, old.to_account_id, old.amount,
    old.payee_result, old.payee_accepted, old.created_at)
    or new.reference <> old.reference and new.reference <> '')
  execute function refuse_other_draft();

create trigger payment_drafts_tell_creation after insert on payment_drafts
  for each row execute function tell_status('draft', 'made', 'made');
create trigger payment_drafts_tell_status after update of status on payment_drafts
  for each row when (new.status <> old.status)
  execute function tell_status('draft', 'made', 'made');

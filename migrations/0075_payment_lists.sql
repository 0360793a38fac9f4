-- Many payments in one list: checked whole, confirmed once, paid line by line. The number of a line
-- in its list is its primary key, and its outcome is a row of the transaction of its transfer: no
-- line is paid twice, whatever is repeated or killed. Whoever writes a list holds the lock of its
-- account, but for the lease.

create table payment_lists (
  id uuid primary key,
  account_id uuid not null references accounts,
  -- Who sent it: a person, or a service account.
  maker_id uuid not null,
  -- As its maker numbered it (ISO 20022 MsgId): once for ever in an account.
  message_id text check (length(message_id) between 1 and 35),
  -- How it was sent.
  form text not null check (form in ('json', 'pain.001.001.03', 'pain.001.001.09')),
  -- The day of the bank on which it is to be paid; null: at once.
  execute_on date,
  -- SHA-256 over the salt, the list and all its lines as they were checked. The salt is erased with
  -- the texts of the lines: without it none is guessed from the digest.
  digest bytea not null check (length(digest) = 32),
  salt bytea check (length(salt) = 16),
  -- All lines, and the sum of their amounts in minor units of the account's currency.
  line_count int not null check (line_count between 1 and 1000),
  total bigint not null check (total > 0),
  -- Those that were not refused when the list was checked.
  ready_count int not null,
  ready_total bigint not null,
  made_count int not null default 0,
  made_total bigint not null default 0,
  -- Those that were refused when it was checked are among them.
  refused_count int not null,
  status text not null default 'checked'
    check (status in ('checked', 'ordered', 'executed', 'cancelled')),
  -- Who ordered it to be paid, with a session or a key.
  caller_id uuid,
  session_id uuid,
  is_program boolean,
  ordered_at timestamptz,
  -- When its last line had its outcome, or when it was cancelled.
  ended_at timestamptz,
  -- Until then one instance has it.
  leased_until timestamptz,
  attempts int not null default 0,
  created_at timestamptz not null,
  constraint payment_lists_ordered check (
    num_nonnulls(caller_id, session_id, is_program, ordered_at) in (0, 4)
    and (status <> 'checked' or ordered_at is null)
    and (status not in ('ordered', 'executed') or ordered_at is not null)),
  constraint payment_lists_ended check ((status in ('executed', 'cancelled')) = (ended_at is not null)),
  constraint payment_lists_counts check (
    ready_count between 0 and line_count and made_count between 0 and ready_count
    and refused_count between line_count - ready_count and line_count - made_count
    and (status <> 'executed' or made_count + refused_count = line_count)
    and (status <> 'ordered' or made_count + refused_count < line_count)
    and (status in ('ordered', 'executed')
      or (made_count = 0 and refused_count = line_count - ready_count)))
);
create unique index payment_lists_message_key on payment_lists (account_id, message_id);
create index payment_lists_of_account on payment_lists (account_id, id);
create index payment_lists_open on payment_lists (account_id) where status in ('checked', 'ordered');
create index payment_lists_due on payment_lists (execute_on, id) where status = 'ordered';
create index payment_lists_checked on payment_lists (created_at) where status = 'checked';
grant select, insert, update on payment_lists to strongroom_service;

create table payment_list_lines (
  list_id uuid not null references payment_lists,
  -- From 0.
  place int not null check (place between 0 and 999),
  -- The payee: of the account, or another account of the same customer. Null: neither, when the list
  -- was checked; it is made a payee when the list is ordered.
  beneficiary_id uuid references beneficiaries,
  to_account_id uuid references accounts,
  -- Texts, which are erased one day.
  payee_name text check (length(payee_name) <= 140),
  payee_iban text check (length(payee_iban) <= 34),
  reference text not null check (length(reference) <= 140),
  end_to_end_id text check (length(end_to_end_id) <= 35),
  -- Of the block of the file that it stood in (ISO 20022 PmtInfId).
  block_id text check (length(block_id) <= 35),
  amount bigint not null check (amount > 0),
  -- Refused when the list was checked.
  is_refused_early boolean not null,
  outcome text check (outcome in ('made', 'refused')),
  transfer_id uuid,
  refusal text,
  at timestamptz,
  primary key (list_id, place),
  constraint payment_list_lines_payee check (num_nonnulls(beneficiary_id, to_account_id) <= 1),
  constraint payment_list_lines_made check ((outcome is not distinct from 'made') = (transfer_id is not null)),
  constraint payment_list_lines_refused check ((outcome is not distinct from 'refused') = (refusal is not null)),
  constraint payment_list_lines_at check ((outcome is null) = (at is null)),
  constraint payment_list_lines_early check (not is_refused_early or outcome is not distinct from 'refused')
);
create unique index payment_list_lines_transfer_key on payment_list_lines (transfer_id)
  where transfer_id is not null;
grant select, insert, update on payment_list_lines to strongroom_service;

create function refuse_other_line() returns trigger language plpgsql as $$
begin
  raise exception 'line % of list % has an outcome', old.place, old.list_id
    using errcode = 'restrict_violation';
end $$;
-- Its texts alone may go.
create trigger payment_list_lines_stay before update on payment_list_lines
  for each row when (old.outcome is not null and (
    new.outcome, new.transfer_id, new.refusal, new.at, new.amount, new.is_refused_early, new.beneficiary_id)
    is distinct from (
    old.outcome, old.transfer_id, old.refusal, old.at, old.amount, old.is_refused_early, old.beneficiary_id))
  execute function refuse_other_line();
create trigger ended_lists_stay before update on payment_lists
  for each row when (old.status in ('executed', 'cancelled') and new.status <> old.status)
  execute function refuse_return();

-- A list that is not paid yet ends with its account. One that is being paid goes on: each line is
-- refused.
create function end_lists_of_account() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  with ended as (
    update payment_lists set status = 'cancelled', ended_at = clock_timestamp(), salt = null
    where account_id = new.id
      and (status = 'checked'
        or (status = 'ordered' and made_count = 0 and refused_count = line_count - ready_count))
    returning id
  )
  update payment_list_lines l
  set payee_name = null, payee_iban = null, reference = '', end_to_end_id = null, block_id = null
  from ended where l.list_id = ended.id;
  return null;
end $$;
create trigger accounts_end_lists after update of status on accounts
  for each row when (new.status = 'closed' and old.status <> 'closed')
  execute function end_lists_of_account();

-- The feed tells of orders and ends, not of lists that are only checked.
create trigger payment_lists_tell_status after update of status on payment_lists
  for each row when (new.status <> old.status)
  execute function tell_status('list', 'checked', 'checked');

alter table mails
  add list_id uuid,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised',
    'notices-off', 'money-arrived', 'balance-below', 'list-ordered', 'list-refused')) not valid,
  add constraint mails_list
    check (kind not in ('list-ordered', 'list-refused') or list_id is not null) not valid;

alter table notice_choices
  drop constraint notice_choices_kind_check,
  add constraint notice_choices_kind_check check (kind in (
    'payment', 'card-payment', 'card-declined', 'order-refused', 'order-paused', 'money-arrived',
    'balance-below', 'list-refused')) not valid;

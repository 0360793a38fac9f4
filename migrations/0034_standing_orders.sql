-- Standing orders: payments that the bank makes on days of a rhythm. The run of a day is a row of the
-- transaction of its transfer, and its primary key: no day is paid twice, whatever is repeated or
-- killed. Whoever writes an order holds the lock of its account, as for a beneficiary.

create table standing_orders (
  id uuid primary key,
  account_id uuid not null references accounts,
  -- Who ordered it: a person with a session, or a service account with a key.
  caller_id uuid not null,
  session_id uuid not null,
  is_program boolean not null,
  beneficiary_id uuid references beneficiaries,
  to_account_id uuid references accounts,
  -- In minor units of the account's currency.
  amount bigint not null check (amount > 0),
  reference text not null check (length(reference) <= 140),
  rhythm text not null check (rhythm in ('once', 'weekly', 'monthly', 'yearly')),
  first_on date not null,
  last_on date,
  -- For how many days after the due one a run waits for money; 0: it is refused at once.
  retry_days int2 not null check (retry_days between 0 and 5),
  status text not null default 'active' check (status in ('active', 'paused', 'ended')),
  -- 'missed': too many days were made up for in a row.
  paused_because text check (paused_because in ('owner', 'missed')),
  -- The next due day; null after the last one.
  next_on date,
  -- Raised by each change of an owner: a run is of the terms that were read for it.
  version int not null default 0,
  -- While a run waits for money: the day of the last attempt, and the last entry of the account then.
  tried_on date,
  tried_seq bigint,
  -- Runs in a row that were made up for after their day.
  late_count int not null default 0,
  -- Until then one instance has it.
  leased_until timestamptz,
  created_at timestamptz not null,
  constraint standing_orders_one_payee check (num_nonnulls(beneficiary_id, to_account_id) = 1),
  constraint standing_orders_ended check ((status = 'ended') = (next_on is null)),
  constraint standing_orders_paused check ((status = 'paused') = (paused_because is not null)),
  constraint standing_orders_tried check ((tried_on is null) = (tried_seq is null)),
  constraint standing_orders_days check (last_on >= first_on and next_on >= first_on)
);
create index standing_orders_of_account on standing_orders (account_id, id);
create index standing_orders_due on standing_orders (next_on, id) where status = 'active';
grant select, insert, update on standing_orders to strongroom_service;

create table standing_order_runs (
  order_id uuid not null references standing_orders,
  due_on date not null,
  -- 'waiting': for money, until the order's days of retry are over.
  outcome text not null check (outcome in ('made', 'refused', 'skipped', 'waiting')),
  transfer_id uuid,
  -- The code of the refusal, or of the last one while it waits.
  refusal text,
  at timestamptz not null,
  primary key (order_id, due_on),
  constraint standing_order_runs_made check ((outcome = 'made') = (transfer_id is not null)),
  constraint standing_order_runs_refused check (
    (outcome in ('refused', 'waiting')) = (refusal is not null))
);
grant select, insert, update on standing_order_runs to strongroom_service;

-- The ledger writes runs without waiting for a lock of others: the foreign key locks the order, whose
-- writers hold the account's lock.
create function refuse_other_outcome() returns trigger language plpgsql as $$
begin
  raise exception 'the run of % on % has an outcome', old.order_id, old.due_on
    using errcode = 'restrict_violation';
end $$;
create trigger standing_order_runs_stay before update on standing_order_runs
  for each row when (old.outcome <> 'waiting') execute function refuse_other_outcome();
create trigger ended_orders_stay before update on standing_orders
  for each row when (old.status = 'ended' and new.status <> 'ended')
  execute function refuse_return();

-- A closed account ends its orders, and takes their texts with it.
create function end_orders_of_account() returns trigger language plpgsql as $$
begin
  update standing_orders
  set status = 'ended', next_on = null, paused_because = null, tried_on = null, tried_seq = null,
    reference = ''
  where account_id = new.id;
  return null;
end $$;
create trigger accounts_end_orders after update of status on accounts
  for each row when (new.status = 'closed' and old.status <> 'closed')
  execute function end_orders_of_account();

create trigger standing_orders_tell_creation after insert on standing_orders
  for each row execute function tell_status('order', 'created', 'resumed');
create trigger standing_orders_tell_status after update of status on standing_orders
  for each row when (new.status <> old.status)
  execute function tell_status('order', 'created', 'resumed');

-- The mail that tells of a refused run, queued in its transaction.
alter table mails
  add order_id uuid,
  add due_on date,
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused')),
  drop constraint mails_to_one,
  add constraint mails_to_one
    check (num_nonnulls(user_id, asked_email, transfer_id, order_id) = 1),
  add constraint mails_order
    check ((kind in ('order-refused', 'order-paused')) = (order_id is not null)
      and (order_id is null) = (due_on is null));

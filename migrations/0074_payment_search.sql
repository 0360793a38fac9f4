-- Where staff look payments up by what they have of one, over the whole bank. The rows are written
-- behind the payments, in the background: no payment waits for them, or pays for an index.

-- SHA-256, its first 8 bytes, over one thing that is known of a payment, a hold or an authorisation:
-- a word of its texts, an IBAN, its account, or its amount and day. Odd: made of a text.
create table payment_terms (
  term bigint not null,
  -- By time, since identifiers are (UUID version 7).
  id uuid not null,
  primary key (term, id)
);
create index payment_terms_of on payment_terms (id);
grant select, insert on payment_terms to strongroom_service;

-- How far the terms are written: the events up to that number; and what is older than these from the
-- newest down to that identifier. Null: all of it.
create table payment_terms_place (
  only_row boolean primary key default true check (only_row),
  event_number bigint not null,
  below uuid
);
insert into payment_terms_place (event_number, below)
select number, 'ffffffff-ffff-ffff-ffff-ffffffffffff' from last_event;
grant select, update (event_number, below) on payment_terms_place to strongroom_service;

create function erase_payment_terms() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  delete from payment_terms where id = new.id and term & 1 = 1;
  return null;
end $$;
revoke execute on function erase_payment_terms() from public;
create trigger transfers_erase_terms after update of salt on transfers
  for each row when (old.salt is not null and new.salt is null)
  execute function erase_payment_terms();
create trigger holds_erase_terms after update of reference on holds
  for each row when (new.reference is distinct from old.reference)
  execute function erase_payment_terms();
create trigger card_authorizations_erase_terms after update of merchant_name on card_authorizations
  for each row when (old.merchant_name is not null and new.merchant_name is null)
  execute function erase_payment_terms();

-- Payments that were refused, so that staff can say why. A declined authorisation of a card is kept
-- elsewhere, for ever. None is written in a transaction of money, and each is removed after 90 days.
create table refused_payments (
  id uuid primary key,
  account_id uuid not null references accounts,
  -- The code of the refusal.
  reason text not null,
  -- In minor units.
  amount bigint not null check (amount > 0),
  currency text not null,
  -- The IBAN that it was for, without its middle.
  target text check (length(target) <= 34),
  -- The run of a standing order.
  order_id uuid,
  due_on date,
  created_at timestamptz not null,
  constraint refused_payments_run check ((order_id is null) = (due_on is null))
);
create index refused_payments_of_account on refused_payments (account_id, id);
create index refused_payments_of_amount on refused_payments (amount, currency, id);
create unique index refused_payments_of_run on refused_payments (order_id, due_on)
  where order_id is not null;
-- A purge locks what it deletes, which takes a right to update something; nothing is updated.
grant select, insert, delete, update (target) on refused_payments to strongroom_service;
create trigger refused_payments_stay before update on refused_payments
  for each statement execute function refuse_change();

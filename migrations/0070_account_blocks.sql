-- Blocks of accounts, apart from a freeze: of what leaves an account at its customer's will
-- (debits), of what arrives (credits), or of both. Several may stand at once. One that was lifted,
-- or whose time is over, stays as history.
create table account_blocks (
  id uuid primary key,
  account_id uuid not null references accounts,
  debits boolean not null,
  credits boolean not null,
  cause text not null check (cause in (
    'court_order', 'insolvency', 'sanctions', 'money_laundering', 'fraud', 'takeover', 'death',
    'guardianship', 'customer_request', 'identification', 'bank_request')),
  -- For administrators. Null once it is erased with the person.
  note text check (length(note) between 1 and 2000),
  -- It stands before this time; null: until it is lifted.
  until timestamptz,
  set_at timestamptz not null,
  -- A person of staff, or a service account.
  set_by uuid not null,
  lifted_at timestamptz,
  lifted_by uuid,
  constraint account_blocks_side check (debits or credits),
  constraint account_blocks_end check (until > set_at),
  constraint account_blocks_lift check (
    (lifted_at is null) = (lifted_by is null) and coalesce(lifted_at >= set_at, true))
);
create index account_blocks_of_account on account_blocks (account_id, id);
grant select, insert, update (lifted_at, lifted_by) on account_blocks to strongroom_service;

-- The sum of its blocks that are not lifted: what stops each side, and until when. In the account,
-- so that a transfer reads it with the lock. 9999-12-31T23:59:59.999Z: no end. Null: no block.
-- Not valid: every account has none so far, and none has to be read.
alter table accounts
  add debits_blocked_until timestamptz,
  add credits_blocked_until timestamptz,
  add constraint accounts_blocks check (
    kind = 'customer' or num_nonnulls(debits_blocked_until, credits_blocked_until) = 0) not valid;

-- A card payment may be declined since the debits of its account are blocked. Not valid: the rows
-- of before have the words of before.
alter table card_authorizations
  drop constraint card_authorizations_reason_check,
  add constraint card_authorizations_reason_check check (reason in (
    'card_cancelled', 'card_frozen', 'card_expired', 'account_frozen', 'debits_blocked',
    'currency_mismatch', 'channel_off', 'per_payment_limit', 'per_day_limit',
    'insufficient_funds')) not valid;

-- The books: transfers, the entries they make, and what keeps a repeated request from paying twice.
--
-- Few indexes and no foreign keys to accounts, on purpose: a transfer writes its rows while holding
-- the locks of its two account rows, accounts are never deleted, and four key checks per transfer
-- would cost more than all the rest. `strongroom verify` finds an entry without its account.

create table transfers (
  id uuid primary key,
  from_account_id uuid not null,
  to_account_id uuid not null,
  -- Where in the two accounts its entries stand: both are found without an index of their own.
  from_seq bigint not null check (from_seq > 0),
  to_seq bigint not null check (to_seq > 0),
  -- Minor units.
  amount bigint not null check (amount > 0),
  created_at timestamptz not null,
  -- The person or the service account.
  caller_id uuid not null,
  -- The session it was ordered in: the audit trail has the login that opened it. Or the key.
  session_id uuid not null,
  kind text not null
    check (kind in ('transfer', 'deposit', 'withdrawal', 'reversal', 'return')),
  -- Leaves pending once; nothing else changes it.
  status text not null check (status in ('completed', 'pending', 'returned')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  reference text not null check (length(reference) <= 140),
  -- The beneficiary it was addressed to, under the name it had then; the IBAN only of an account
  -- elsewhere, to which the money goes by way of the clearing account.
  beneficiary_id uuid,
  counterparty_name text,
  counterparty_iban text,
  -- 128 random bits. Reference, name and IBAN are in the chain as SHA-256 over this and them only,
  -- so they can be erased. Then that hash takes their place, with the audit event of the erasure.
  salt bytea check (octet_length(salt) = 16),
  commitment bytea check (octet_length(commitment) = 32),
  erasure_id uuid,
  -- Where its settlement stands in the clearing account.
  settled_seq bigint,
  -- The transfer whose money this one brings back.
  reversal_of uuid references transfers,
  constraint transfers_between_two check (from_account_id <> to_account_id),
  constraint transfers_only_elsewhere_waits check (
    case
      when salt is null then status <> 'pending'
      when kind = 'transfer' and counterparty_iban is not null
        then (status = 'completed') = (settled_seq is not null)
      else status = 'completed' and settled_seq is null
    end
  ),
  constraint transfers_erased_whole check (
    case
      when salt is null then commitment is not null and erasure_id is not null and reference = ''
        and counterparty_name is null and counterparty_iban is null
      else commitment is null and erasure_id is null
    end
  ),
  constraint transfers_brings_back check ((kind in ('reversal', 'return')) = (reversal_of is not null))
);
create unique index transfers_brought_back_once on transfers (reversal_of)
  where reversal_of is not null;
create index transfers_of_source on transfers (from_account_id, id);
-- Few at any time: money on its way out, which an account that closes must not leave behind.
create index transfers_pending on transfers (from_account_id) where status = 'pending';
-- The same in the order in which staff list what they have to settle or return.
create index transfers_pending_listed on transfers (id) where status = 'pending';
-- Not the columns of an erasure: only the owner erases.
grant select, update (status, settled_seq), insert (
  id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at, caller_id, session_id,
  kind, status, currency, reference, beneficiary_id, counterparty_name, counterparty_iban, salt,
  reversal_of
) on transfers to strongroom_service;

create table entries (
  account_id uuid not null,
  transfer_id uuid not null,
  -- 1, 2, 3 … per account, without gaps.
  seq bigint not null check (seq > 0),
  amount bigint not null,
  balance_after bigint not null,
  created_at timestamptz not null,
  -- SHA-256 over this entry, its transfer and the hash before it: see src/ledger/hash-chain.ts.
  hash bytea not null check (octet_length(hash) = 32),
  kind text not null
    check (kind in ('transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'settlement')),
  -- A settlement moves no money: it puts into the chain that a transfer arrived elsewhere.
  constraint entries_settle_nothing check ((amount = 0) = (kind = 'settlement')),
  primary key (account_id, seq),
  constraint entries_first check (seq > 1 or balance_after = amount)
);
grant select, insert on entries to strongroom_service;

-- Not even the owner of the tables rewrites the books by accident.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is not possible: the ledger is append-only', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

create trigger entries_are_appended before update or delete or truncate on entries
  for each statement execute function refuse_change();
create trigger transfers_stay before delete or truncate on transfers
  for each statement execute function refuse_change();
create trigger transfers_keep_their_terms before update of id, from_account_id, to_account_id,
  from_seq, to_seq, amount, created_at, caller_id, session_id, kind, currency, beneficiary_id,
  reversal_of on transfers
  for each statement execute function refuse_change();
create trigger transfers_leave_pending_once before update of status, settled_seq on transfers
  for each row when (
    old.status <> 'pending' or new.status = 'pending'
    or (new.status = 'completed') <> (new.settled_seq is not null)
  )
  execute function refuse_change();
-- Texts are erased, all of them and once, or they stay.
create trigger transfers_keep_their_texts before update of reference, counterparty_name,
  counterparty_iban, salt, commitment, erasure_id on transfers
  for each row when (old.salt is null or new.salt is not null)
  execute function refuse_change();

-- Idempotency keys, written in the transaction of the transfer they belong to; kept for 24 hours.
create table claims (
  caller_id uuid not null,
  key text not null check (length(key) between 1 and 255),
  -- First half of SHA-256 over what was asked.
  fingerprint uuid not null,
  -- The first answer: the transfer that was made, or the code of the refusal.
  transfer_id uuid,
  refusal text,
  claimed_at timestamptz not null,
  primary key (caller_id, key),
  constraint claims_answer check ((transfer_id is null) <> (refusal is null))
);
create index claims_by_age on claims (claimed_at);
grant select, insert, update, delete on claims to strongroom_service;

-- What was paid in the last seconds, by what was asked. So small that its old rows are found by
-- reading it whole: an index by age would cost every transfer more than that.
create table recent_transfers (
  fingerprint uuid primary key,
  transfer_id uuid not null,
  created_at timestamptz not null
);
grant select, insert, update, delete on recent_transfers to strongroom_service;

-- Balances change with every transfer: room in each page lets the new row stay beside the old one,
-- without a new entry in any index.
alter table accounts set (fillfactor = 60);

-- The bank's own side, per currency: cash for money that comes in and goes out, clearing for money
-- on its way to other banks. Their identifiers are known by heart: the last six digits spell the
-- currency, the two before say which (src/ledger/internal-accounts.ts).
insert into accounts (id, kind, currency, created_at)
select ('00000000-0000-8000-8000-0000' || side.digits || encode(convert_to(c.code, 'UTF8'), 'hex'))::uuid,
       side.kind, c.code, now()
from unnest(array['AED', 'AUD', 'BHD', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HUF', 'JPY',
                  'KWD', 'NOK', 'NZD', 'PLN', 'SEK', 'SGD', 'TND', 'USD']) as c (code),
     (values ('cash', '01'), ('clearing', '02')) as side (kind, digits);

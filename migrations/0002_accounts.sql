-- Accounts with their settings. One row carries all that a transfer decides on, so one row lock
-- serialises a transfer with a freeze, a close or a change of limits.

create table accounts (
  id uuid primary key,
  -- 'customer' belongs to a person; the others are the bank's own side of the double entry.
  kind text not null default 'customer' check (kind in ('customer', 'cash', 'clearing')),
  owner_id uuid references users,
  iban text constraint accounts_iban_key unique,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  name text,
  status text not null default 'active' check (status in ('active', 'frozen', 'closed')),
  -- Minor units. The ledger keeps it equal to the sum of the account's entries.
  balance bigint not null default 0,
  -- The last entry's sequence number and hash: the chain grows under the lock of this row.
  last_seq bigint not null default 0 check (last_seq >= 0),
  last_hash bytea,
  -- When that entry was made. No later one is earlier, so an account's history sorts by time too.
  last_entry_at timestamptz,
  overdraft_limit bigint not null default 0 check (overdraft_limit >= 0),
  daily_transfer_limit bigint check (daily_transfer_limit >= 0),
  -- What left by transfers on that day (UTC).
  spent_on date,
  spent_amount bigint not null default 0 check (spent_amount >= 0),
  registered_phone text,
  alerts_enabled boolean not null default true,
  created_at timestamptz not null,
  constraint accounts_owner check ((kind = 'customer') = (owner_id is not null)),
  constraint accounts_has_iban check ((kind = 'customer') = (iban is not null)),
  constraint accounts_floor check (kind <> 'customer' or balance >= -overdraft_limit),
  constraint accounts_closed_empty check (status <> 'closed' or balance = 0)
);
create index accounts_of_owner on accounts (owner_id, id);
create index accounts_listed on accounts (id) where kind = 'customer';
-- Counts them; a change of the balance touches no index.
create index accounts_open on accounts (currency) where kind = 'customer' and status <> 'closed';
grant select, insert, update on accounts to strongroom_service;

-- Service accounts: programs that call the API with keys of their own. One look-up by the hash of a
-- key gives everything that the gate judges a request by.

create table service_accounts (
  id uuid primary key,
  name text not null check (length(name) between 1 and 70),
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- What it may do: read the accounts of all customers or of one, pay from these accounts, and these
  -- operations of staff by their names in the API reference.
  reads_all boolean not null,
  customer_id uuid references users,
  pay_from uuid[] not null check (cardinality(pay_from) <= 20),
  operations text[] not null check (cardinality(operations) <= 100),
  -- The addresses and CIDR ranges that it calls from; none: from anywhere.
  addresses text[] not null check (cardinality(addresses) <= 20),
  expires_at timestamptz,
  -- Each administrator who made or changed it or was shown a key of it: it changes no account of
  -- theirs by a staff operation.
  administrators uuid[] not null,
  created_at timestamptz not null,
  constraint service_accounts_read_one_way check (not (reads_all and customer_id is not null))
);
grant select, insert, update on service_accounts to strongroom_service;

create table service_keys (
  id uuid primary key,
  service_account_id uuid not null references service_accounts,
  -- SHA-256; the key itself is never stored.
  key_hash bytea not null constraint service_keys_hash_key unique,
  -- Two live keys at most: a new one works before the old one is revoked.
  place int not null check (place in (1, 2)),
  created_at timestamptz not null,
  -- A few minutes exact, so that a key in use costs no write per request.
  last_used_at timestamptz,
  -- Set once, never cleared.
  revoked_at timestamptz
);
create unique index service_keys_live on service_keys (service_account_id, place)
  where revoked_at is null;
grant select, insert, update on service_keys to strongroom_service;

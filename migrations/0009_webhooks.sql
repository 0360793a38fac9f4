-- Webhooks: endpoints of other programs that are told of events, and the deliveries to them. A
-- delivery is made after the COMMIT of its event, from the numbers of the feed: writing an event
-- costs nothing more for them.

create table webhooks (
  id uuid primary key,
  url text not null check (length(url) between 8 and 500),
  description text not null check (length(description) <= 140),
  -- The types of events that are delivered.
  types text[] not null check (cardinality(types) between 1 and 100),
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- By an administrator, by the answer 410, or by five days of failures.
  disabled_because text check (disabled_because in ('administrator', 'gone', 'failing')),
  -- The keys that sign, readable as the signing keys are: the shared one (HMAC) and the seed of the
  -- bank's own (Ed25519). The previous ones sign as well until their end.
  hmac_key bytea not null check (octet_length(hmac_key) = 32),
  seed bytea not null check (octet_length(seed) = 32),
  previous_hmac_key bytea check (octet_length(previous_hmac_key) = 32),
  previous_seed bytea check (octet_length(previous_seed) = 32),
  previous_ends_at timestamptz,
  -- Deliveries are made of the events up to this number.
  after_number bigint not null,
  -- The first of the failures that no success followed.
  failing_since timestamptz,
  created_at timestamptz not null,
  constraint webhooks_disabled check ((status = 'disabled') = (disabled_because is not null)),
  constraint webhooks_previous
    check (num_nulls(previous_hmac_key, previous_seed, previous_ends_at) in (0, 3))
);
grant select, insert, update, delete on webhooks to strongroom_service;

-- Without a foreign key: a webhook is deleted at once, and its deliveries when they are old.
create table webhook_deliveries (
  -- UUID version 7, the same at every attempt: the receiver knows a repeat by it.
  id uuid primary key,
  webhook_id uuid not null,
  -- The event; its number is null for a test.
  number bigint,
  type text not null,
  at timestamptz not null,
  resource_id uuid,
  account_ids uuid[] not null,
  attempts int not null default 0,
  -- The next attempt. The instance that takes it moves it on by a lease, so that the delivery of an
  -- instance that died is taken by another.
  due_at timestamptz not null,
  -- Of the last attempt: the status of the answer, and why it was no success.
  last_status int,
  failure text check (length(failure) <= 200),
  -- When it was delivered, or given up.
  done_at timestamptz
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at)
  where done_at is null;
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, id);
grant select, insert, update, delete on webhook_deliveries to strongroom_service;

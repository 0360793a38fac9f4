-- Confirmations of risky requests: what needs none. The challenges themselves are those of 0010.

-- Its owner has confirmed that payments to it need no confirmation of their own.
alter table beneficiaries add trusted boolean not null default false;

-- What left an account by small payments without a confirmation since the last confirmed one. Read
-- and written under the lock of the account, for payers with a second factor only: a column of
-- accounts would cost every transfer.
create table unconfirmed_payments (
  account_id uuid primary key,
  -- Minor units.
  amount bigint not null check (amount >= 0),
  count int not null check (count >= 0)
);
grant select, insert, update on unconfirmed_payments to strongroom_service;

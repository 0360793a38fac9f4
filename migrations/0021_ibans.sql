-- Where a bank gets the numbers of its accounts from. A sponsor bank hands out a list of them: they
-- wait here, and an account takes the oldest one that no other transaction has just taken.
create table iban_pool (
  position bigint generated always as identity primary key,
  iban text not null unique
);

-- A bank with few numbers gives them out one after the other: a random one would nearly always be
-- taken. Here is the next of each bank code.
create table iban_sequences (
  bank text primary key,
  next_number bigint not null check (next_number >= 0)
);

-- A lock of a row needs the right to update it.
grant select, insert, update, delete on iban_pool to strongroom_service;
grant select, insert, update on iban_sequences to strongroom_service;

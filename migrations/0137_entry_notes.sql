-- What the owner of an account has noted on an entry: the owner's own, and no part of the books. No
-- chain, statement or balance has it, and it goes with the person.
create table if not exists entry_notes (
  account_id uuid not null references accounts,
  seq int8 not null,
  text text not null check (length(text) between 1 and 140),
  primary key (account_id, seq)
);
grant select, insert, update, delete on entry_notes to strongroom_service;

-- What staff note about a customer, or about an account of one. A note is added and read. It is
-- never changed, and is deleted with the rest of the person by an erasure alone.
create table staff_notes (
  id uuid primary key,
  user_id uuid not null references users,
  account_id uuid references accounts,
  -- A person, or a service account.
  author_id uuid not null,
  text text not null check (length(text) between 1 and 2000),
  created_at timestamptz not null
);
create index staff_notes_of_user on staff_notes (user_id, id);
create index staff_notes_of_account on staff_notes (account_id, id) where account_id is not null;
grant select, insert on staff_notes to strongroom_service;

-- What is judged of the caller of a change, and what is left for others when one is shut out.

-- Each change has locked a row of its caller in one of these tables: the end of all sessions waits
-- for those under way, and later ones wait for it. The locks come first: what waits for them holds
-- none of the tables that are emptied.
create or replace function void_credentials() returns void language sql as '
  lock table users, service_accounts in exclusive mode;
  truncate password_tokens, factor_resets, devices, mails, challenges';

-- Counts the requests of a maker that wait for a second person.
create index approvals_pending on approvals (maker_id) where status = 'pending';

-- The administrator who was shown the key; null where it is older than this column. The keys that
-- one has seen are renewed when that person goes.
alter table service_keys add issued_by uuid references users;

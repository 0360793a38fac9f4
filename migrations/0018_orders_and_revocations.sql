-- No order of a caller commits once the answer to what shut that caller out was sent. The row lock
-- that other changes take for it would cost each payment a write; an advisory lock lives in memory.
--
-- A batch of the ledger shares the lock of each of its callers, and that of the bank, before it
-- reads their sessions and keys and until its COMMIT. It never waits for one: an order whose caller
-- is being shut out is judged again in a moment. Whatever ends a session or a key, or takes a role
-- or a grant, has the lock alone until its own COMMIT: by triggers, so that no statement can leave
-- it out. What waits for it in a trigger waits for batches that wait for nothing but each other.
--
-- The keys are hashes. Two callers with the same one wait for each other, and nothing else.
-- A statement that changes many people takes a lock for each: do it in portions.

create function keep_caller(id uuid) returns boolean language sql
begin atomic
  select pg_try_advisory_xact_lock_shared(7868, uuid_hash(id));
end;

create function shut_out(id uuid) returns void language sql
begin atomic
  select pg_advisory_xact_lock(7868, uuid_hash(id));
end;

-- The lock of the bank has an identifier that no person and no program has.
create function shut_out_bank() returns void language sql
begin atomic
  select shut_out('00000000-0000-0000-0000-000000000000');
end;

create function shut_caller_out() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  if tg_table_name = 'sessions' then
    perform shut_out(new.user_id);
  elsif tg_table_name = 'service_keys' then
    perform shut_out(new.service_account_id);
  elsif tg_table_name in ('users', 'service_accounts') then
    perform shut_out(new.id);
  else
    perform shut_out_bank();
  end if;
  return null;
end $$;

-- Not for the activity of sessions and keys, which is written each second.
create trigger sessions_shut_out after update of ended_at on sessions
  for each row when (old.ended_at is distinct from new.ended_at)
  execute function shut_caller_out();
create trigger users_shut_out after update of session_generation, roles, status on users
  for each row when (
    (old.session_generation, old.roles, old.status)
      is distinct from (new.session_generation, new.roles, new.status))
  execute function shut_caller_out();
create trigger service_keys_shut_out after update of revoked_at on service_keys
  for each row when (old.revoked_at is distinct from new.revoked_at)
  execute function shut_caller_out();
create trigger service_accounts_shut_out after update on service_accounts
  for each row when (old is distinct from new)
  execute function shut_caller_out();
create trigger bank_generation_shut_out after update on bank_generation
  for each row execute function shut_caller_out();
create trigger signing_keys_shut_out after update of revoked_at on signing_keys
  for each row when (old.revoked_at is distinct from new.revoked_at)
  execute function shut_caller_out();

-- The lock of the bank comes first: a batch that shares it may be about to need one of these tables.
-- To queue a mail is to lock the table of users, by its foreign key.
create or replace function void_credentials() returns void language sql as '
  select shut_out_bank();
  lock table users, service_accounts in exclusive mode;
  truncate password_tokens, factor_resets, devices, mails, challenges';

-- A standing order that waits for money is tried again when its account has a new entry. What a hold
-- gives back is money too, and no entry: the order then counts as tried before the last entry.
create function wake_orders_of_account() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  update standing_orders set tried_seq = tried_seq - 1
  where account_id = new.id and status = 'active' and tried_on is not null;
  return null;
end $$;
revoke execute on function wake_orders_of_account() from public;
-- Not for a batch that touches no hold: it does not write the column.
create trigger accounts_wake_orders after update of held on accounts
  for each row when (new.held < old.held)
  execute function wake_orders_of_account();

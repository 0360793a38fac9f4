-- A payment that comes back on its day counts no more: neither to the daily limit of its account nor
-- to what may be paid without a confirmation. The latter begins anew with each confirmed payment, so
-- it has to be known which payments count.
alter table unconfirmed_payments
  -- Those that `amount` is the sum of; none of payments that an older version has counted.
  add transfer_ids uuid[] not null default '{}';

-- An older version changes the sum and leaves the identifiers. Which payments count is not known
-- then, and none of them is given back.
create function forget_unconfirmed() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  new.transfer_ids := '{}';
  return new;
end $$;
revoke execute on function forget_unconfirmed() from public;
create trigger unconfirmed_payments_of_older_versions before update on unconfirmed_payments
  for each row when (new.transfer_ids = old.transfer_ids) execute function forget_unconfirmed();

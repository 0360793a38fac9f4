-- The rest of the transfers: see 0182_years_in_order.sql.
do $$ begin
  lock table only transfers in access exclusive mode;
  alter table transfers detach partition transfers_rest;
  perform attach_rest('transfers');
end $$;

-- The rest of the trail: see 0182_years_in_order.sql. Each table has a transaction of its own, so
-- that none is locked while the lock of the other is waited for.
do $$ begin
  lock table only audit_events in access exclusive mode;
  alter table audit_events detach partition audit_events_rest;
  perform attach_rest('audit_events');
end $$;

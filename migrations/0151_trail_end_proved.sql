-- piece by piece
-- Reads the trail once, beside all that reads and adds.
do $$
begin
  if exists (select from pg_constraint where conname = 'audit_events_first_end') then
    alter table audit_events validate constraint audit_events_first_end;
  end if;
end $$;

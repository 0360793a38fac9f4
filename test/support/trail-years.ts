// An audit trail whose parts have to be made.

/** Its first part ends with the year before this one: what comes now has none of its own. */
export const withoutThisYear = `do $$ begin
  alter table audit_events detach partition audit_events_first;
  execute format('alter table audit_events attach partition audit_events_first
    for values from (minvalue) to (%L)', least_id_at(date_trunc('year', now(), 'UTC')));
end $$`

// A table whose parts of years have to be made.

/** Its first part ends with the year before this one: what comes now has none of its own. */
export const withoutThisYear = (table: 'audit_events' | 'transfers'): string => `do $$ begin
  alter table ${table} detach partition ${table}_first;
  execute format('alter table ${table} attach partition ${table}_first
    for values from (minvalue) to (%L)', least_id_at(date_trunc('year', now(), 'UTC')));
end $$`

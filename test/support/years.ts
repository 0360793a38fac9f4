// A table whose parts of years have to be made.

export const tables = ['audit_events', 'transfers'] as const
type Table = (typeof tables)[number]

/** Adds a row for each identifier, which has its time. */
export const addingRows: Record<Table, string> = {
  audit_events: `insert into audit_events (id, at, action, outcome, request_id, address)
    select id, now(), 'login', 'success', id, '::1' from unnest($1::uuid[]) as id`,
  transfers: `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
      created_at, caller_id, session_id, kind, status, currency, reference, salt)
    select id, gen_random_uuid(), id, 1, 1, 1, now(), id, id, 'deposit', 'completed', 'EUR', '',
      uuid_send(id)
    from unnest($1::uuid[]) as id`,
}

/** Its first part ends there, by an expression of SQL: what comes then has no part of its own. */
export const endingFirst = (table: Table, end: string): string => `do $$ begin
  alter table ${table} detach partition ${table}_first;
  alter table ${table} detach partition ${table}_rest;
  execute format('alter table ${table} attach partition ${table}_first
    for values from (minvalue) to (%L)', ${end});
  perform attach_rest('${table}');
end $$`

/** Its first part ends with the year before this one. */
export const withoutThisYear = (table: Table): string =>
  endingFirst(table, `least_id_at(date_trunc('year', now(), 'UTC'))`)

/** Makes the years of all tables, as the purges do. */
export const makingYears = (until: string): string =>
  `do $$ begin while make_years(${until}) > 0 loop end loop; end $$`

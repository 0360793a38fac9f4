// The content of all tables that a request may change, for tests of requests that change nothing.
import type { World } from './world.ts'

/** Written by every request (its own record), or by background work. */
const ofOthers = [
  'factor_resets',
  'approvals',
  'audit_events',
  'mails',
  'alert_windows',
  'events',
  'last_event',
  'password_tokens',
  'payment_terms',
  'payment_terms_place',
  'refused_payments',
  'recent_transfers',
]
const columnsOfOthers =
  '{last_used_at,due_at,done_at,failure,attempts,last_status,failing_since,after_number}'

/**
 * A digest of each table without those columns: whether two of them differ says what changed.
 *
 * @param more tables that are read, too
 */
export async function readTables(
  { sql }: Pick<World, 'sql'>,
  more: readonly string[] = [],
): Promise<Record<string, string>> {
  const { rows } = await sql(
    `select relname, exists (select from pg_prepared_statements where name = 'test_tables') as known
     from pg_class where relnamespace = 'strongroom'::regnamespace 
       and relkind in ('r', 'p') and not relispartition`,
  )
  const isRead = (name: string) => more.includes(name) || !ofOthers.includes(name)
  if (rows[0]?.['known'] !== true) {
    const digests = rows.map(({ relname }) => {
      const name = String(relname)
      return `select '${name}' as name, md5(string_agg(row, ' ' order by row)) as digest
        from (select (to_jsonb(t) - '${columnsOfOthers}'::text[])::text as row from ${name} t) as r`
    })
    // To plan it takes as long as a request.
    await sql(`prepare test_tables as ${digests.join(' union all ')}`)
  }
  const found = await sql('execute test_tables')
  return Object.fromEntries(
    found.rows
      .map(({ name, digest }) => [String(name), String(digest)] as const)
      .filter(([name]) => isRead(name)),
  )
}

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
  'recent_transfers',
]
const columnsOfOthers =
  '{last_used_at,due_at,done_at,failure,attempts,last_status,failing_since,after_number}'

/** All tables and columns but those. */
export async function readTables(
  { sql }: Pick<World, 'sql'>,
  more: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const { rows } = await sql(
    `select relname from pg_class where relnamespace = 'strongroom'::regnamespace and relkind = 'r'`,
  )
  const names = rows
    .map(({ relname }) => String(relname))
    .filter((each) => more.includes(each) || !ofOthers.includes(each))
  const tables: Record<string, unknown> = {}
  for (const name of names) {
    const found = await sql(`select to_jsonb(t) - $1::text[] as row from ${name} t`, [
      columnsOfOthers,
    ])
    tables[name] = found.rows.map(({ row }) => JSON.stringify(row)).toSorted()
  }
  return tables
}

// All that a database holds, as text: for tests of what must never be in it.
import type { World } from './world.ts'

/**
 * Every value in every table; bytes as hexadecimal digits. Left out is what the search of payments
 * makes of the others, in the background: hashes.
 */
export async function dump({ sql }: Pick<World, 'sql'>): Promise<string> {
  const { rows } = await sql(
    `select relname from pg_class where relnamespace = 'strongroom'::regnamespace
       and relkind in ('r', 'p') and not relispartition
       and relname not like 'payment_terms%'`,
  )
  const tables = await Promise.all(
    rows.map(async ({ relname }) => sql(`select t::text from ${String(relname)} t`)),
  )
  return JSON.stringify(tables.map((table) => table.rows))
}

/** What the background writes: activity, mails, deliveries, terms of searches. */
const inBackground =
  'sessions mails alert_windows password_tokens factor_resets webhooks webhook_deliveries ' +
  'payment_terms payment_terms_place'

/**
 * The rows of all tables, without those of the background and without these: to see what a request
 * has changed.
 */
export async function readTables(
  { sql, running }: World,
  leftOut: readonly string[],
): Promise<Record<string, unknown>> {
  await running.edge.flush()
  await running.core.feed.last()
  const { rows } = await sql(
    `select relname from pg_class
     where relnamespace = 'strongroom'::regnamespace and relkind in ('r', 'p')
       and not relispartition
       and relname <> all ($1::text[])`,
    [[...inBackground.split(' '), ...leftOut]],
  )
  const all: Record<string, unknown> = {}
  for (const { relname } of rows) {
    const table = await sql(`select t::text as row from ${String(relname)} t order by 1`)
    all[String(relname)] = table.rows.map(({ row }) => row)
  }
  return all
}

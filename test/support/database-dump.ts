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

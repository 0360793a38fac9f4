// All that a database holds, as text: for tests of what must never be in it.
import type { World } from './world.ts'

/** Every value in every table; bytes as hexadecimal digits. */
export async function dump({ sql }: Pick<World, 'sql'>): Promise<string> {
  const { rows } = await sql(
    `select relname from pg_class where relnamespace = 'strongroom'::regnamespace and relkind = 'r'`,
  )
  const tables = await Promise.all(
    rows.map(async ({ relname }) => sql(`select t::text from ${String(relname)} t`)),
  )
  return JSON.stringify(tables.map((table) => table.rows))
}

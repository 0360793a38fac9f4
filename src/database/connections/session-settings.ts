// What each connection sets for itself. A server, a database or a role may have other defaults, by
// ALTER ROLE … SET, and the statements, the driver and the promises of the service rely on these.
import type pg from 'pg'
import { StartupError } from '../../domain/startup-error.ts'

/** In the start-up packet of each connection: no round trip, and no default wins over them. */
export const sessionSettings: readonly string[] = [
  // How values are read and written.
  'datestyle=ISO,MDY',
  'intervalstyle=postgres',
  'timezone=UTC',
  'bytea_output=hex',
  'extra_float_digits=1',
  'array_nulls=on',
  'lc_monetary=C',
  'lc_numeric=C',
  'lc_time=C',
  // How a statement is read, and the names of types that are compared with its declaration.
  'standard_conforming_strings=on',
  'backslash_quote=safe_encoding',
  'transform_null_equals=off',
  'quote_all_identifiers=off',
  'plpgsql.extra_errors=none',
  // What a statement finds and when it fails.
  'default_transaction_isolation=read\\ committed',
  'gin_fuzzy_search_limit=0',
  'exit_on_error=off',
  'idle_session_timeout=0',
  // An answer 201 is durable. Compiling costs more than any statement of the service takes.
  'synchronous_commit=on',
  'jit=off',
].map((setting) => `-c ${setting}`)

/** What only a superuser sets, so that no connection can: its value, and what another one does. */
const ownersSettings = {
  session_replication_role: { value: 'origin', otherwise: 'switches the triggers off' },
  ignore_checksum_failure: { value: 'off', otherwise: 'hides damaged pages' },
  zero_damaged_pages: { value: 'off', otherwise: 'empties damaged pages' },
} as const

/** Throws {@link StartupError} for a setting that takes away what the service promises. */
export async function requireOwnersSettings(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: keyof typeof ownersSettings; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [Object.keys(ownersSettings)],
  )
  for (const { name, setting } of rows) {
    const { value, otherwise } = ownersSettings[name]
    if (setting === value) continue
    throw new StartupError(
      `PostgreSQL's setting ${name} is ${setting}, which ${otherwise}: set it to ${value} for ` +
        'the server, the database and the role.',
    )
  }
}
